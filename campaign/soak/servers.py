"""Four servers that somebody else wrote, healthy and ill, under load through one runtime."""

import asyncio
import os
import random
import signal
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from licet import Principal, Runtime
from licet.model.result import ToolResult
from licet.model.server import ServerSpec
from licet.runtime.limits import Limits
from licet.runtime.run import Run
from licet.sources.mcp.limits import McpLimits
from licet.sources.mcp.server import McpServer

PEERS = Path(__file__).parent / "peers"
HEALTHY, HEALTHY_PAUSE_S = 6, 0.06
"""Callers of the healthy server, and the longest pause between two calls of one: a load that it bears easily."""
CALL_S, HEALTHY_S = 0.3, 10.0
"""After which a call of an ill server is given up, and of the healthy one."""
BETWEEN_S, PATIENCE_S = 0.1, 10.0
"""How often somebody looks whether a process is gone, and for how long."""
LIMITS = Limits(backoff_s=0.001)
MCP_LIMITS = McpLimits(connect_s=5.0, list_s=1.0)
GONE = ("server_unavailable", "transport")
"""It is not there, or went away in the middle; or somebody else's call made it go away."""
FULL = "limit_exceeded"


class Kind(NamedTuple):
    """One kind of call of an ill server: how, how often among its own kinds, and the codes that it may end with."""

    server: str
    tool: str
    how: str
    weight: int
    expected: tuple[str, ...]


KINDS = (
    Kind("hung", "hang", "call", 30, ("timeout", "aborted")),
    Kind("hung", "hang", "deaf", 1, ("timeout", "aborted")),
    Kind("crashing", "crash", "exit", 2, ()),
    Kind("crashing", "crash", "signal", 2, ()),
    Kind("crashing", "crash", "half", 2, ()),
    Kind("crashing", "crash", "garbage", 4, ("ok",)),
    Kind("crashing", "crash", "nothing", 4, ("invalid_result",)),
    Kind("crashing", "crash", "twice", 4, ("ok",)),
    Kind("crashing", "crash", "well", 12, ("ok",)),
    Kind("flooding", "flood", "line", 1, ("timeout", "invalid_result")),
    Kind("flooding", "flood", "answer", 1, ("timeout", "invalid_result")),
    Kind("flooding", "flood", "notes", 3, ("ok", "timeout")),
    Kind("flooding", "flood", "much", 6, ("ok", "timeout")),
)
CALLERS = {"hung": (4, 0.2), "crashing": (4, 0.3), "flooding": (2, 0.8)}
"""How many of each ill server, and the longest pause between two calls of one."""


def _numbers() -> "array[float]":
    return array("f")  # a list of so many would be growth of its own


@dataclass
class Seen:
    """What callers saw: results by code, cancelled calls, how long healthy calls took in ms, alone and among others."""

    codes: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    alone_ms: "array[float]" = field(default_factory=_numbers)
    among_ms: "array[float]" = field(default_factory=_numbers)
    reaped_s: list[float] = field(default_factory=list)
    processes: int = 0
    strange: list[str] = field(default_factory=list)

    def result(self, result: ToolResult, expected: tuple[str, ...]) -> None:
        code = "ok" if result.success else str(result.code)
        self.codes[code] += 1
        if code not in expected and len(self.strange) < 20:
            self.strange.append(f"{result.tool} gave {code} ({result.error}), expected {' or '.join(expected)}")

    def add(self, other: "Seen") -> None:
        self.codes += other.codes
        for name in ("alone_ms", "among_ms", "reaped_s", "strange"):
            getattr(self, name).extend(getattr(other, name))
        self.cancelled += other.cancelled
        self.processes += other.processes


@dataclass
class ServersLoad:
    """A runtime over a ledger's file and four servers. ``harm``, if any, is called with each result: the control."""

    seed: int
    folder: Path
    harm: Callable[[ToolResult], None] | None = None
    seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        self.ledger = self.folder / "audit.licet"
        self.marks = self.folder / "marks"
        self.marks.mkdir(parents=True)

    def run(self, seconds: float) -> None:
        """Healthy calls alone and among all the others in turn, for so long; then calls are cancelled in the middle."""
        asyncio.run(self._loaded(seconds))

    async def _loaded(self, seconds: float) -> None:
        runtime = Runtime(ledger=self.ledger, limits=LIMITS)
        servers = [self._server(name, runtime) for name in ("healthy", *CALLERS)]
        ends = time.monotonic() + seconds
        try:
            lines = await runtime.connect(*servers)
            self.seen.strange += [f"{line}" for line in lines if line.state not in ("ready", "first_use")]
            while (left := ends - time.monotonic()) > 0.2:
                lasting = min(left, 20.0)
                await self._phase(runtime, lasting * 0.3, among=False)
                await self._phase(runtime, lasting * 0.7, among=True)
            await self._cancelled_and_closed(runtime, servers)
        finally:
            for server in servers:
                await server.close()
            runtime.close()

    def _server(self, name: str, runtime: Runtime) -> McpServer:
        words = (str(PEERS / f"{name}.py"), str(self.marks))
        patience_s = CALL_S if name in CALLERS else HEALTHY_S
        spec = ServerSpec(id=name, command=sys.executable, args=words, timeout_s=patience_s)
        return McpServer(spec, limits=MCP_LIMITS, note=runtime.note)

    # --- load ---

    async def _phase(self, runtime: Runtime, seconds: float, *, among: bool) -> None:
        """So long; nobody's call reaches into the next one."""
        ends = time.monotonic() + seconds
        took = self.seen.among_ms if among else self.seen.alone_ms
        callers = [self._healthy(runtime, number, ends, took) for number in range(HEALTHY)]
        if among:
            for server, (many, pause_s) in CALLERS.items():
                callers += [self._ill(runtime, server, number, ends, pause_s) for number in range(many)]
        await asyncio.gather(*callers)

    async def _healthy(self, runtime: Runtime, number: int, ends: float, took: "array[float]") -> None:
        rng = random.Random(f"{self.seed}.healthy.{number}.{ends}")
        async with runtime.run(_principal("healthy", "echo", number)) as run:
            while time.monotonic() < ends:
                async with run.turn():
                    for _ in range(rng.randint(1, 12)):
                        started = time.perf_counter()
                        result = await run.call("mcp/healthy.echo", {"n": number})
                        took.append((time.perf_counter() - started) * 1e3)
                        self._saw(result, ("ok",))
                        await asyncio.sleep(rng.uniform(0, HEALTHY_PAUSE_S))

    async def _ill(self, runtime: Runtime, server: str, number: int, ends: float, pause_s: float) -> None:
        rng = random.Random(f"{self.seed}.{server}.{number}.{ends}")
        kinds = [kind for kind in KINDS if kind.server == server]
        weights = [kind.weight for kind in kinds]
        async with runtime.run(_principal(server, kinds[0].tool, number)) as run:
            while time.monotonic() < ends:
                await self._one(run, rng, rng.choices(kinds, weights)[0])
                await asyncio.sleep(rng.uniform(0, pause_s))

    async def _one(self, run: Run, rng: random.Random, kind: Kind) -> None:
        calling = run.call(f"mcp/{kind.server}.{kind.tool}", {"how": kind.how})
        expected = (*kind.expected, *GONE, FULL, "timeout")
        if rng.random() < 0.8:
            self._saw(await calling, expected)
            return
        task = asyncio.ensure_future(calling)
        await asyncio.sleep(rng.uniform(0, 0.05))
        task.cancel()
        try:
            self._saw(await task, expected)
        except asyncio.CancelledError:
            self.seen.cancelled += 1

    def _saw(self, result: ToolResult, expected: tuple[str, ...]) -> None:
        self.seen.result(result, expected)
        if self.harm is not None:
            self.harm(result)

    # --- the end ---

    async def _cancelled_and_closed(self, runtime: Runtime, servers: list[McpServer]) -> None:
        """From the moment that calls in the middle are cancelled to the one at which no process is left."""
        async with runtime.run(_principal("hung", "hang", 0)) as run:
            tasks = [asyncio.ensure_future(run.call("mcp/hung.hang", {"how": "call"})) for _ in range(4)]
            await asyncio.sleep(CALL_S / 3)
            started = time.monotonic()
            for task in tasks:
                task.cancel()
            for task in tasks:
                try:
                    self.seen.result(await task, (*GONE, "timeout"))
                except asyncio.CancelledError:
                    self.seen.cancelled += 1
            await asyncio.gather(*(server.close() for server in servers))
        await asyncio.to_thread(wait_until_gone, self.marks)
        self.seen.reaped_s.append(time.monotonic() - started)
        self.seen.processes += len(list(self.marks.iterdir()))
        if left := living(self.marks):
            self.seen.strange.append(f"{len(left)} processes of servers left")
            for process in left:
                with suppress(ProcessLookupError):
                    process.kill()


def wait_until_gone(marks: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while living(marks) and time.monotonic() < until:
        time.sleep(BETWEEN_S)


def _principal(server: str, tool: str, number: int) -> Principal:
    return Principal(f"{server}-{number}", grants=[f"mcp/{server}.{tool}"], mode="workspace_write")


class Process(NamedTuple):
    """One that left a mark: its id, and when it started."""

    id: int
    started: str

    @property
    def lives(self) -> bool:
        """Whether it runs, or is dead and this process never asked about it."""
        try:
            state = Path(f"/proc/{self.id}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state[19] == self.started and (state[0] != "Z" or int(state[1]) == os.getpid())

    def kill(self) -> None:
        os.kill(self.id, signal.SIGKILL)


def living(marks: Path) -> list[Process]:
    found = [Process(int(mark.name), mark.read_text()) for mark in marks.iterdir()]
    return [process for process in found if process.lives]


__all__ = ["PEERS", "Seen", "ServersLoad", "living"]
