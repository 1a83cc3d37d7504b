"""The process that is killed: 32 callers of one Runtime, who say what they ask for and what they are told.

Each line goes to the harness in one write to a pipe, so that it is there whole or not at all, and stays there when its
writer is killed: ``asks CALL TOOL`` before a call, ``told CALL WORD PROOF`` once its result came.
"""

import asyncio
import os
import random
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, NamedTuple

from campaign.lying import Careless, lying
from licet import CallContext, Principal, Runtime, Tool, ToolResult, tool
from licet.ledger import file
from licet.ledger.call import NOTHING, REQUESTED, call_of
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import CallRecord, Draft
from licet.ports import Receipt

CALLERS = 32
HERE, DONE = "here", "done"
"""The first line, before the ledger is opened, and the last."""

LEDGER, EFFECTS = "ledger.db", "effects"
READS = ("read_inline", "read_async", "read_threaded")
WRITES = ("write_async", "write_threaded", "write_slowly", "write_again")
"""Of these the last one is declared idempotent: it may be repeated, and is not repeated after a crash all the same."""

Build = Literal["sound", "forgets", "acknowledges early", "intends late"]


class Task(NamedTuple):
    """What one process is to do. ``again`` are calls that were asked for before, under their old ids.

    ``name`` begins the ids of its own calls; it makes at most ``most`` of them.
    """

    folder: str
    name: str
    seed: int
    build: Build
    strict: bool
    again: Sequence[tuple[str, str]]
    most: int


class Forgetful(SqliteLedger):
    """Knows of no call that it was ever asked for."""

    def find(self, call_id: str, /) -> CallRecord:
        return NOTHING


class Late(SqliteLedger):
    """Keeps the beginning of a call to itself until its end comes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._kept: dict[str | None, Draft] = {}

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:  # type: ignore[override]
        call_id = call_of(draft.kind, draft.body.decode())
        if draft.kind == REQUESTED:
            self._kept[call_id] = draft
            return None
        if (begun := self._kept.pop(call_id, None)) is not None:
            super().append(begun, durable=False)
        return super().append(draft, durable=durable)


def work(task: Task, pipe: Connection) -> None:
    """Call until everything is done, or until killed."""
    _say(pipe, HERE)
    runtime = Runtime(
        _tools(Path(task.folder) / EFFECTS),
        ledger=_ledger(task.build, Path(task.folder) / LEDGER),
        durability="strict" if task.strict else "effects",
    )
    with runtime:
        asyncio.run(_call(runtime, task, lambda line: _say(pipe, line)))
    runtime.ledger.close()
    _say(pipe, DONE)


def _say(pipe: Connection, line: str) -> None:
    os.write(pipe.fileno(), f"{line}\n".encode())


def _ledger(build: Build, path: Path) -> SqliteLedger:
    match build:
        case "sound":
            return SqliteLedger(path)
        case "forgets":
            return Forgetful(path)
        case "intends late":
            return Late(path)
        case "acknowledges early":
            return SqliteLedger(path, connect=lying(Careless, file.connect) if path.exists() else None)


def _tools(effects: Path) -> list[Tool]:
    handle = os.open(effects, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    proof = os.urandom(4).hex()

    def change(call: CallContext) -> dict[str, str]:
        """The effect, and a proof of which process had it: who answers from the ledger answers with the old one."""
        os.write(handle, f"{call.call_id} {proof}\n".encode())
        return {"proof": proof}

    @tool(read_only=True, idempotent=True, inline=True)
    def read_inline(n: int) -> dict[str, int]:
        return {"n": n}

    @tool(read_only=True, idempotent=True)
    async def read_async(n: int) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"n": n}

    @tool(read_only=True, idempotent=True)
    def read_threaded(n: int) -> dict[str, int]:
        return {"n": n}

    @tool(writes=True)
    async def write_async(n: int, call: CallContext) -> dict[str, str]:
        return change(call)

    @tool(writes=True)
    def write_threaded(n: int, call: CallContext) -> dict[str, str]:
        return change(call)

    @tool(writes=True)
    async def write_slowly(n: int, call: CallContext) -> dict[str, str]:
        await asyncio.sleep(0.001)
        told = change(call)
        await asyncio.sleep(0.002)
        return told

    @tool(writes=True, idempotent=True)
    async def write_again(n: int, call: CallContext) -> dict[str, str]:
        return change(call)

    return [read_inline, read_async, read_threaded, write_async, write_threaded, write_slowly, write_again]


async def _call(runtime: Runtime, task: Task, say: Callable[[str], None]) -> None:
    chance = random.Random(task.seed)
    principal = Principal("caller", grants=(*READS, *WRITES), mode="workspace_write")
    again = deque(task.again)
    fresh = iter(range(task.most))

    async def caller() -> None:
        while True:
            if again:
                call_id, name = again.popleft()
            elif (number := next(fresh, None)) is not None:
                call_id, name = f"{task.name}:{number}", chance.choice(READS + WRITES + WRITES)
            else:
                return
            say(f"asks {call_id} {name}")
            told = await runtime.call(principal, name, {"n": len(call_id)}, call_id=call_id)
            say(f"told {call_id} {_word(told)} {_proof(told)}")
            if chance.random() < 0.1:
                await asyncio.sleep(0)

    async with asyncio.TaskGroup() as callers:
        for _ in range(CALLERS):
            callers.create_task(caller())


def _word(result: ToolResult) -> str:
    return "completed" if result.success else result.code or "failed"


def _proof(result: ToolResult) -> str:
    output = result.output
    return str(output.get("proof", "-")) if isinstance(output, dict) else "-"


__all__ = ["CALLERS", "DONE", "EFFECTS", "HERE", "LEDGER", "READS", "WRITES", "Build", "Task", "work"]
