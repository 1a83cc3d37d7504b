"""One governed call against the calls that people use now: the same tool, the same arguments.

Ours is everything a call gets: grant, validation, an armed deadline, JSON-checked output, two chained entries with
their hashes, and the rendered block, which is read. The peers do what they do in an agent's run.
"""

import asyncio
import json
import logging
import sys
from typing import Any

from bench import peers
from bench.measure import Case, Gate, time_rounds
from bench.peers import ARGUMENTS, FAST, SLOW, add, add_sync
from licet import Principal, Runtime
from licet.sources.function import make

MODULE = "bench.core"
PACKAGES = ("licet", "orjson", "jsonschema-rs", *peers.PACKAGES)
UNIT = "us a call"
GROUPS = [("pydantic_ai", "mcp.server.mcpserver")]
GROUPS += [(name,) for name in peers.PEERS if name not in GROUPS[0]]
"""Who shares a process: an application uses one framework, and what a second one loads slows all of them."""
GATES = (
    # That manager is made for the step of a run before anything is timed, and so is our run.
    Gate(
        "governed async call in a run / pydantic-ai ToolManager.handle_call",
        "licet in a run",
        "pydantic-ai",
        0.75,
        0.55,
    ),
    Gate("governed async call, a run of its own / pydantic-ai ToolManager.handle_call", "licet", "pydantic-ai"),
    Gate("governed async call / mcp SDK direct call", "licet", "mcp", 1.1, 0.8),
    Gate("governed async call / FastMCP direct call", "licet", "fastmcp", 0.09, 0.055),
    Gate("governed async call / LangChain ainvoke", "licet", "langchain", 0.09, 0.05),
    Gate("governed async call / llama-index acall", "licet", "llama-index", 0.55, 0.35),
    Gate("governed async call / openai-agents on_invoke_tool", "licet", "openai-agents"),
    Gate(
        "denied call, its entry and its result / pydantic-ai bare call_tool",
        "denied, the block not read",
        "pydantic-ai bare",
        4,
        2.5,
    ),
    Gate("inline synchronous tool / pydantic-ai synchronous tool", "inline", "pydantic-ai sync", 0.2, 0.12),
    Gate("inline tool through the synchronous door / the async call", "inline, by hand", "licet", 1.3),
    Gate("not inline, by portal / pydantic-ai synchronous tool", "by portal", "pydantic-ai sync", 1.0),
)
DENIED = "denied"
SHORT = 5
"""Short rounds for each round that is asked for."""


def ours() -> dict[str, Case]:
    runtime = Runtime(
        [
            make(add, read_only=True),
            make(add_sync, name="inline", read_only=True, inline=True),
            make(add_sync, name="threaded", read_only=True),
        ]
    )
    who = Principal("bench", grants=["add", "inline", "threaded"])
    run = runtime.begin(who)

    async def governed() -> str:
        return (await runtime.call(who, "add", ARGUMENTS)).content

    async def governed_in_a_run() -> str:
        return (await run.call("add", ARGUMENTS)).content

    async def inline() -> str:
        return (await runtime.call(who, "inline", ARGUMENTS)).content

    async def by_hand() -> str:
        return runtime.call_blocking(runtime.begin(who), "inline", ARGUMENTS).content

    async def by_portal() -> str:
        return runtime.call_blocking(runtime.begin(who), "threaded", ARGUMENTS).content

    async def denied() -> str:
        return (await runtime.call(who, "remove", ARGUMENTS)).content

    async def denied_unread() -> object:
        return await runtime.call(who, "remove", ARGUMENTS)

    async def bare() -> dict[str, Any]:
        return await add(**ARGUMENTS)  # type: ignore[arg-type]

    return {
        "licet": (governed, FAST),
        "licet in a run": (governed_in_a_run, FAST),
        "inline": (inline, FAST),
        "inline, by hand": (by_hand, FAST),
        "by portal": (by_portal, SLOW),
        DENIED: (denied, FAST),
        "denied, the block not read": (denied_unread, FAST),
        "limit: the bare function": (bare, FAST),
    }


async def main(rounds: int, names: list[str]) -> None:
    logging.disable(logging.CRITICAL)
    cases = {**ours(), **await peers.installed(names)}
    for name, (case, _) in cases.items():
        answer = str(await case())
        # Some libraries return what went wrong as if it were the result.
        if ("hello" in answer) is name.startswith(DENIED):
            raise SystemExit(f"{name} does not do what is timed: {answer}")
    print(json.dumps(await time_rounds(cases, rounds * SHORT)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
