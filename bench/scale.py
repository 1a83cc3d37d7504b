"""Ten thousand distinct tools: what it takes to register them, what they hold, and what a call among them costs.

Registered means: schema derived from the signature, compiled, and pinned. Time is processor time, because all of it
is the work of one thread; memory is how the process grew. Each measurement is a fresh process, which has imported its
library, registered one tool and made the other functions before it is looked at.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from itertools import cycle
from typing import Any

from bench.measure import ROOT, Case, Gate, time_rounds

MODULE = "bench.scale"
PACKAGES = ("licet", "mcp", "jsonschema-rs", "pydantic")
UNIT = "us of processor time a tool; KB a tool; us a call"
MANY, FEW = 10_000, 10
GATES = (
    Gate("10,000 tools registered, compiled and pinned / mcp SDK", "register", "register, mcp", 0.12, 0.06),
    Gate("the same, registered one at a time / mcp SDK", "register one at a time", "register, mcp"),
    Gate("memory of 10,000 tools / mcp SDK", "memory", "memory, mcp", 0.4, 0.25),
    Gate("a call at 10,000 tools / at 10", "call at 10,000", "call at 10", 1.3, 1.1),
    Gate("each of 10,000 tools called in turn / each of 10", "calls of all 10,000", "calls of all 10"),
)
SOURCE = '''
async def tool_{n}(first_{n}: int, second: int, label: str) -> dict:
    """Add two numbers, for the {n}th time."""
    return {{"sum": first_{n} + second, "label": label}}
'''
Functions = list[Callable[..., Any]]
Call = Callable[[], Coroutine[Any, Any, str]]


def functions(many: int) -> Functions:
    made: dict[str, Any] = {}
    for number in range(many):
        exec(SOURCE.format(n=number), made)  # noqa: S102 - the source above, so that no two schemas are alike
    return [made[f"tool_{number}"] for number in range(many)]


def resident_kb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


def measured(register: Callable[[Functions], object]) -> dict[str, float]:
    """Microseconds and KB a tool. ``register`` gives whatever has to stay alive."""
    first, *others = functions(MANY + 1)
    kept = [register([first])]
    gc.collect()
    size, started = resident_kb(), time.process_time()
    kept.append(register(others))
    took = time.process_time() - started
    gc.collect()
    grown = resident_kb() - size
    del kept  # which had to live until here
    return {"us": took / MANY * 1e6, "kb": grown / MANY}


def register_at_once(made: Functions) -> Any:
    from licet import Runtime
    from licet.sources.function import make

    runtime = Runtime()
    runtime.register(*map(make, made))
    return pinned(runtime)


def register_each(made: Functions) -> Any:
    from licet import Runtime
    from licet.sources.function import make

    runtime = Runtime()
    for function in made:
        runtime.register(make(function))
    return pinned(runtime)


def pinned(runtime: Any) -> Any:
    """The runtime, with every pin computed: otherwise that waits until somebody asks."""
    for tool in runtime._catalog.tools.values():
        assert tool.pin.whole
    return runtime


def register_mcp(made: Functions) -> Any:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench")
    for function in made:
        server.add_tool(function)
    return server


def calls() -> dict[str, float]:
    """Microseconds a call, each the best of five rounds: the runtimes stand in one process and differ in size alone."""
    made = functions(MANY)
    cases: dict[str, Case] = {}
    for size in (FEW, MANY):
        one, each = callers(made[:size])
        assert "hello" in asyncio.run(one())
        cases[f"call at {size:,}"] = (one, 2000)
        cases[f"calls of all {size:,}"] = (each, MANY)
    return {name: min(times) for name, times in asyncio.run(time_rounds(cases, 5)).items()}


def callers(made: Functions) -> tuple[Call, Call]:
    """A call of the last tool of a runtime that holds them all, and a call of the next one in turn."""
    from licet import Principal, Runtime
    from licet.sources.function import make

    runtime = Runtime()
    runtime.register(*(make(function, read_only=True) for function in made))
    names = [f"tool_{number}" for number in range(len(made))]
    given = [{f"first_{number}": 1, "second": 2, "label": "hello"} for number in range(len(made))]
    who = Principal("bench", grants=names)
    turn = cycle(zip(names, given, strict=True))

    async def one() -> str:
        return (await runtime.call(who, names[-1], given[-1])).content

    async def each() -> str:
        return (await runtime.call(who, *next(turn))).content

    return one, each


def apart(job: str) -> Any:
    command = [sys.executable, "-m", MODULE, job]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


JOBS: dict[str, Callable[[], dict[str, float]]] = {
    "at-once": lambda: measured(register_at_once),
    "each": lambda: measured(register_each),
    "mcp": lambda: measured(register_mcp),
    "calls": calls,
}


def main(rounds: int) -> None:
    found: dict[str, list[float]] = {}

    def note(figures: dict[str, float]) -> None:
        for name, value in figures.items():
            found.setdefault(name, []).append(value)

    for _ in range(rounds):
        at_once, each = apart("at-once"), apart("each")
        note({"register": at_once["us"], "memory": at_once["kb"], "register one at a time": each["us"]})
        if find_spec("mcp"):
            theirs = apart("mcp")
            note({"register, mcp": theirs["us"], "memory, mcp": theirs["kb"]})
        note(apart("calls"))
    print(json.dumps(found))


if __name__ == "__main__":
    job = JOBS.get(sys.argv[1])
    if job:
        print(json.dumps(job()))
    else:
        main(int(sys.argv[1]))
