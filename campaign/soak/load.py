"""Calls of every kind at once, 32 at a time, until the time is over."""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from campaign.soak.tools import Hung, tools
from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.doors.blocking import Blocking
from licet.model.call import Request
from licet.model.result import ToolResult
from licet.runtime.limits import Limits
from licet.runtime.run import Run

WIDTH = 32
BLOCKING_THREADS = 4
FILES = 8
"""Of each caller, written over and over."""
PAUSE_S = 0.01
"""Between two calls of one caller, at most: a load that goes on for long, not a race."""
LIMITS = Limits(approval_s=0.2, threads=16, backoff_s=0.001)


class Approver:
    """Mostly says yes, sometimes no, and sometimes nothing at all."""

    name = "duty officer"

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    async def approve(self, request: Any, /) -> bool:
        chance = self._rng.random()
        if chance < 0.05:
            await asyncio.sleep(60)
        if chance < 0.1:
            raise RuntimeError("the approver is ill")
        return chance < 0.8


@dataclass
class Seen:
    """What callers saw: results by code, tasks that were cancelled, and how long healthy calls took, in ms."""

    codes: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    healthy_ms: list[float] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def result(self, result: ToolResult, expected: tuple[str, ...]) -> None:
        code = "ok" if result.success else str(result.code)
        with self.lock:
            self.codes[code] += 1
            if code not in expected and len(self.strange) < 20:
                self.strange.append(f"{result.tool} gave {code} ({result.error}), expected {' or '.join(expected)}")
            if code == "ok" and result.tool == "local/echo":
                at = self.codes["ok"] % 10_000
                self.healthy_ms[at : at + 1] = [result.duration_ms]


class Kind(NamedTuple):
    """One kind of call: what is asked for, and the codes that it may end with."""

    weight: int
    tool: str
    arguments: Callable[[random.Random, int], dict[str, Any]]
    expected: tuple[str, ...]


def _file(rng: random.Random, who: int) -> str:
    return f"{who}/{rng.randrange(FILES)}.txt"


FULL = "limit_exceeded"
OK = ("ok", FULL)
OK_FILE = (*OK, "tool_failed", "path_violation")
"""It is not there yet, or it changed while somebody worked on it."""
KINDS = (
    Kind(20, "echo", lambda rng, _: {"n": rng.randrange(1000)}, OK),
    Kind(20, "inline", lambda rng, _: {"n": rng.randrange(1000)}, OK),
    Kind(10, "threaded", lambda rng, _: {"n": rng.randrange(1000)}, (*OK, "timeout")),
    Kind(10, "write_down", lambda rng, _: {"n": rng.randrange(1000)}, OK),
    Kind(6, "crash", lambda rng, _: {"how": rng.choice(("raise", "exit", "group", "stop"))}, ("tool_failed", FULL)),
    Kind(3, "crash_inline", lambda rng, _: {"how": rng.choice(("raise", "exit"))}, ("tool_failed", FULL)),
    Kind(3, "crash_threaded", lambda rng, _: {"how": rng.choice(("raise", "exit"))}, ("tool_failed", "timeout", FULL)),
    Kind(2, "broken_line", lambda *_: {}, ("transport", FULL)),
    Kind(2, "not_json", lambda *_: {}, ("invalid_result", FULL)),
    Kind(1, "flood", lambda *_: {}, ("invalid_result", FULL)),
    Kind(1, "hung", lambda *_: {}, ("timeout", "aborted", FULL)),
    Kind(1, "hung_thread", lambda *_: {}, ("timeout", "aborted", FULL)),
    Kind(2, "stubborn", lambda *_: {}, ("timeout", "aborted", FULL)),
    Kind(4, "asks", lambda *_: {}, ("ok", "approval_denied", "approval_expired", FULL)),
    Kind(4, "secret", lambda *_: {"n": 1}, ("not_granted",)),
    Kind(3, "gone", lambda *_: {}, ("unknown_tool",)),
    Kind(4, "echo", lambda *_: {"n": "seven", "more": None}, ("invalid_arguments",)),
    Kind(4, "read", lambda rng, who: {"path": _file(rng, who)}, OK_FILE),
    Kind(4, "write", lambda rng, who: {"path": _file(rng, who), "content": "x\n" * rng.randrange(400)}, OK_FILE),
    Kind(2, "edit", lambda rng, who: {"path": _file(rng, who), "edits": [{"old_text": "x", "new_text": "y"}]}, OK_FILE),
    Kind(2, "read", lambda *_: {"path": "../../etc/passwd"}, ("path_violation",)),
    Kind(2, "write", lambda *_: {"path": ".git/config", "content": ""}, ("path_violation",)),
    Kind(1, "find", lambda *_: {"pattern": "*.txt"}, OK),
    Kind(1, "grep", lambda *_: {"pattern": "x", "limit": 5}, OK),
)
WEIGHTS = [kind.weight for kind in KINDS]
GRANTS = tuple(sorted({kind.tool for kind in KINDS} - {"secret"}))


@dataclass
class Load:
    """A runtime over a ledger's file, and what is asked of it. ``leak`` is called with each result."""

    seed: int
    folder: Path
    leak: Callable[[Any], None] | None = None
    seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        self.hung = Hung()
        self.ledger = self.folder / "audit.licet"
        self.files = self.folder / "files"
        for who in range(WIDTH):
            (self.files / str(who)).mkdir(parents=True)
        self._rng = random.Random(self.seed)
        self._ends = 0.0

    def run(self, seconds: float) -> None:
        """Load for so long, from one event loop and from threads; all of it is closed again."""
        self._ends = time.monotonic() + seconds
        approver = Approver(random.Random(self.seed))
        runtime = Runtime(tools(self.hung, self.leak), ledger=self.ledger, approver=approver, limits=LIMITS)
        threads = [threading.Thread(target=self._blocking, args=(runtime, n)) for n in range(BLOCKING_THREADS)]
        try:
            for thread in threads:
                thread.start()
            asyncio.run(self._asynchronous(runtime))
        finally:
            for thread in threads:
                thread.join()
            self.hung.release()
            runtime.close()

    def _principal(self, who: int) -> Principal:
        sets = [GrantSet.group("read_only_builtins")] if who % 2 else []
        return Principal(
            f"agent-{who}",
            grants=[*GRANTS, *sets],
            mode="workspace_write",
            paths=PathPolicy.current_project(self.files),
        )

    async def _asynchronous(self, runtime: Runtime) -> None:
        await asyncio.gather(*(self._caller(runtime, who) for who in range(WIDTH)))

    async def _caller(self, runtime: Runtime, who: int) -> None:
        rng = random.Random(f"{self.seed}.{who}")
        while time.monotonic() < self._ends:
            async with runtime.run(self._principal(who)) as run:
                for number in range(rng.randint(1, 40)):
                    await self._one(run, rng, who, f"{run.id}.w{number}")
                    await asyncio.sleep(rng.uniform(0, PAUSE_S))
                    if time.monotonic() >= self._ends:
                        break

    async def _one(self, run: Run, rng: random.Random, who: int, call_id: str) -> None:
        kind = rng.choices(KINDS, WEIGHTS)[0]
        arguments = kind.arguments(rng, who)
        way = rng.random()
        if way < 0.04:
            await self._cancelled(run, rng, kind, arguments)
        elif way < 0.08:
            await self._aborted(run, rng, kind, arguments, call_id)
        elif way < 0.10:
            asked = [Request(kind.tool, arguments) for _ in range(3)]
            for result in await run.batch(asked):
                self.seen.result(result, kind.expected)
        elif way < 0.12:  # the same call id twice: the second is answered from the ledger, or refused
            first = await run.call(kind.tool, arguments, call_id=call_id)
            self.seen.result(first, kind.expected)
            again = await run.call(kind.tool, arguments, call_id=call_id)
            self.seen.result(again, (*kind.expected, "aborted", "error"))
        else:
            self.seen.result(await run.call(kind.tool, arguments), kind.expected)

    async def _cancelled(self, run: Run, rng: random.Random, kind: Kind, arguments: dict[str, Any]) -> None:
        task = asyncio.ensure_future(run.call(kind.tool, arguments))
        await asyncio.sleep(rng.uniform(0, 0.003))
        task.cancel()
        try:
            self.seen.result(await task, (*kind.expected, "ok"))  # a stubborn handler goes on and gives its answer
        except asyncio.CancelledError:
            with self.seen.lock:
                self.seen.cancelled += 1

    async def _aborted(self, run: Run, rng: random.Random, kind: Kind, arguments: dict[str, Any], call_id: str) -> None:
        task = asyncio.ensure_future(run.call(kind.tool, arguments, call_id=call_id))
        await asyncio.sleep(rng.uniform(0, 0.003))
        run.abort(call_id)
        self.seen.result(await task, (*kind.expected, "aborted"))

    def _blocking(self, runtime: Runtime, number: int) -> None:
        rng = random.Random(f"{self.seed}.blocking.{number}")
        while time.monotonic() < self._ends:
            with Blocking(runtime, self._principal(number)) as door:
                for _ in range(rng.randint(1, 40)):
                    kind = rng.choices(KINDS, WEIGHTS)[0]
                    self.seen.result(door.call(kind.tool, kind.arguments(rng, number)), kind.expected)
                    time.sleep(rng.uniform(0, PAUSE_S))
                    if time.monotonic() >= self._ends:
                        break
