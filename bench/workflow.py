"""A scenario of many turns with one governed call each on a durable ledger, against SQLite commits alone.

Microseconds of a turn of the scenario, and of as many SQLite FULL commits as that turn waits for, on the same file
system in the same run. The model is offline: it asks for one call of a tool that writes, and nothing else. Kilobytes
are what the process grew by between two points of the scenario; memory is flat if the second half adds nothing.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.ledger import BODY, plain
from bench.measure import Gate
from licet import ToolRegistry, tool
from licet.agents.cast.handlers import HANDLERS
from licet.agents.scenario.play import play
from licet.agents.work.handler import WORKER
from licet.intrinsics import intrinsics
from licet.ledger.sqlite import SqliteLedger
from licet.model.call import Request
from licet.model.entry import Draft
from licet.model.tool import ModelTool
from licet.ports import Message, Receipt
from licet.project import scenario
from licet.project.manifest import Manifest
from licet.project.manifest_file import load

MODULE = "bench.workflow"
PACKAGES = ("licet",)
UNIT = "us a turn, kB"
TURNS = 1_000
GATES = (
    Gate("a turn with one call / its SQLite FULL commits", "a turn", "its commits", 6, 3),
    Gate("memory of the second half / 1,024 kB", "grown in the second half", "1,024 kB", 1, 0.25),
)
SCENARIO = """\
name: turns
goal: Count.
default_seed: one
cast: [counter]
genesis_text: It begins.
governor: {max_turns: %d, max_calls_per_turn: 1, max_total_calls: %d, max_total_tokens: 1000000000}
"""
MANIFEST = "name: counter\ntools: [add, complete_step]\nmay_emit: [turn.counted]\nmodel: asks\n"


class Asks:
    """Asks for one call, then says one word."""

    name = "asks"

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        if conversation[-1].role == "user":
            return Message("assistant", calls=(Request("add", {"a": 1, "b": 2, "label": "turn"}),))
        return Message("assistant", "counted")


@tool(writes=True)
def add(a: int, b: int, label: str) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


class Counting:
    """A ledger that counts the entries that somebody waits for, and looks at the memory on the way."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self.waited = self.calls = 0
        self.kilobytes: list[int] = []
        self._ledger = ledger

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        self.waited += durable
        if draft.kind == "tool.completed":
            self.calls += 1
            if self.calls in (TURNS // 2, TURNS):
                self.kilobytes.append(kilobytes())
        return self._ledger.append(draft, durable=durable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def kilobytes() -> int:
    """What the process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def manifest(name: str) -> Manifest:
    return load(MANIFEST.encode(), f"{name}.yaml", stem="counter", handlers=[*HANDLERS, WORKER], models=["asks"])


def turns(path: Path) -> tuple[float, Counting]:
    """Microseconds of a turn, and what its ledger saw."""
    with closing(SqliteLedger(path)) as held:
        ledger = Counting(held)
        found = scenario.load((SCENARIO % (TURNS, TURNS)).encode(), "turns.yaml", stem="turns", agents=["counter"])
        with ToolRegistry(ledger=ledger) as registry:
            for spec in (add, *intrinsics()):
                registry.register(spec)
            started = time.perf_counter()
            done = asyncio.run(play(found, [manifest("counter")], registry, model=lambda _: Asks()))
            took = time.perf_counter() - started
        assert (done.turns, done.calls, done.failed) == (TURNS, TURNS, ())
    return took / TURNS * 1e6, ledger


def commits(path: Path, times: int) -> float:
    """Microseconds of so many commits, one after the other."""
    with closing(plain(path)) as connection:
        started = time.perf_counter()
        for _ in range(times):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO e(body, head) VALUES (?, ?)", (BODY.decode(), b"h" * 32))
            connection.execute("COMMIT")
        return (time.perf_counter() - started) * 1e6


def main(rounds: int) -> None:
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        turns(Path(folder) / "warm.db")
        for number in range(rounds):
            took, ledger = turns(Path(folder) / f"{number}.db")
            first, last = ledger.kilobytes
            alone = commits(Path(folder) / f"{number}.plain.db", ledger.waited) / TURNS
            for name, value in (
                ("a turn", took),
                ("its commits", alone),
                ("commits a turn", ledger.waited / TURNS),
                ("grown in the second half", float(max(last - first, 1))),
                ("1,024 kB", 1024.0),
            ):
                found.setdefault(name, []).append(value)
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
