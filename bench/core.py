"""One governed call against the calls that people use now: the same tool, the same arguments.

Ours is everything a call gets: grant, validation, an armed deadline, JSON-checked output, two chained entries with
their hashes, and the rendered block, which is read. The peers do what they do in an agent's run.
"""

import asyncio
import json
import logging
import sys
from typing import Any

from bench.measure import Case, Gate, time_rounds
from licet import Principal, Runtime
from licet.sources.function import make

MODULE = "bench.core"
PACKAGES = ("licet", "orjson", "jsonschema-rs", "pydantic-ai-slim", "mcp")
UNIT = "us a call"
ASYNC, SYNC = 2000, 200
GATES = (
    Gate("governed async call / pydantic-ai ToolManager.handle_call", "licet", "pydantic-ai", 0.75, 0.55),
    Gate("governed async call / mcp SDK direct call", "licet", "mcp", 1.1, 0.8),
    Gate("inline tool through the synchronous door / the async call", "licet inline, by hand", "licet", 1.3),
    Gate("not inline, by portal / pydantic-ai synchronous tool", "licet by portal", "pydantic-ai sync", 1.0),
)
ARGUMENTS = {"a": 1, "b": 2, "label": "hello"}


async def add(a: int, b: int, label: str) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b, "label": label}


def add_sync(a: int, b: int, label: str) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b, "label": label}


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

    async def by_hand() -> str:
        return runtime.call_blocking(runtime.begin(who), "inline", ARGUMENTS).content

    async def by_portal() -> str:
        return runtime.call_blocking(runtime.begin(who), "threaded", ARGUMENTS).content

    async def denied() -> str:
        return (await runtime.call(who, "remove", ARGUMENTS)).content

    async def bare() -> dict[str, Any]:
        return await add(**ARGUMENTS)  # type: ignore[arg-type]

    return {
        "licet": (governed, ASYNC),
        "licet in a run": (governed_in_a_run, ASYNC),
        "licet inline, by hand": (by_hand, ASYNC),
        "licet by portal": (by_portal, SYNC),
        "licet denied": (denied, ASYNC),
        "limit: the bare function": (bare, ASYNC),
    }


async def pydantic_ai() -> dict[str, Case]:
    try:
        from pydantic_ai import RunContext
        from pydantic_ai.messages import ToolCallPart
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.tool_manager import ToolManager
        from pydantic_ai.toolsets import FunctionToolset
        from pydantic_ai.usage import RunUsage
    except ImportError:
        return {}
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    tools: Any = FunctionToolset()
    tools.add_function(add, name="add")
    tools.add_function(add_sync, name="add_sync")
    manager = await ToolManager(tools).for_run_step(context)
    call = ToolCallPart(tool_name="add", args=ARGUMENTS, tool_call_id="c")
    call_sync = ToolCallPart(tool_name="add_sync", args=ARGUMENTS, tool_call_id="c")
    return {
        "pydantic-ai": (lambda: manager.handle_call(call), ASYNC),
        "pydantic-ai sync": (lambda: manager.handle_call(call_sync), SYNC),
    }


async def mcp() -> dict[str, Case]:
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        return {}
    server = MCPServer("bench")
    server.add_tool(add)
    return {"mcp": (lambda: server.call_tool("add", ARGUMENTS), ASYNC)}


async def main(rounds: int) -> None:
    logging.disable(logging.CRITICAL)
    cases = {**ours(), **await pydantic_ai(), **await mcp()}
    print(json.dumps(await time_rounds(cases, rounds)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
