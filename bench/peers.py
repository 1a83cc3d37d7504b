"""The calls that people use now, each as its library calls a tool in an agent's run: the same tool and arguments.

A library that is not installed brings no case.
"""

import json
import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from bench.measure import Case

FAST, SLOW = 400, 40
"""Calls a round, which is then short enough that most rounds meet nobody else: of what takes some microseconds, and
of what takes a hundred."""

ARGUMENTS = {"a": 1, "b": 2, "label": "hello"}
PACKAGES = ("pydantic-ai-slim", "mcp", "fastmcp", "langchain-core", "llama-index-core", "openai-agents", "pydantic")


async def add(a: int, b: int, label: str) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b, "label": label}


def add_sync(a: int, b: int, label: str) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b, "label": label}


async def installed(names: Iterable[str]) -> dict[str, Case]:
    """The cases of those of these libraries that can be imported."""
    cases: dict[str, Case] = {}
    for name in names:
        peer = PEERS[name]
        try:
            import_module(name)
        except ModuleNotFoundError as missing:
            if missing.name != name.partition(".")[0]:
                raise  # it is there, and broken
            continue
        cases |= await peer()
    return cases


async def pydantic_ai() -> dict[str, Case]:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    tools: Any = FunctionToolset()
    tools.add_function(add, name="add")
    tools.add_function(add_sync, name="add_sync")
    manager = await ToolManager(tools).for_run_step(context)
    call = ToolCallPart(tool_name="add", args=ARGUMENTS, tool_call_id="c")
    call_sync = ToolCallPart(tool_name="add_sync", args=ARGUMENTS, tool_call_id="c")
    found = (await tools.get_tools(context))["add"]
    return {
        "pydantic-ai": (lambda: manager.handle_call(call), FAST),
        "pydantic-ai sync": (lambda: manager.handle_call(call_sync), SLOW),
        "pydantic-ai bare": (lambda: tools.call_tool("add", ARGUMENTS, context, found), FAST),
    }


async def mcp() -> dict[str, Case]:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench")
    server.add_tool(add)
    return {"mcp": (lambda: server.call_tool("add", ARGUMENTS), FAST)}


async def fastmcp() -> dict[str, Case]:
    from fastmcp import FastMCP

    server: Any = FastMCP("bench")
    server.tool(add)
    return {"fastmcp": (lambda: server.call_tool("add", ARGUMENTS), SLOW)}


async def langchain() -> dict[str, Case]:
    os.environ["LANGSMITH_TRACING"] = "false"
    from langchain_core.tools import StructuredTool

    tool = StructuredTool.from_function(coroutine=add)
    return {"langchain": (lambda: tool.ainvoke(ARGUMENTS), SLOW)}


async def llama_index() -> dict[str, Case]:
    from llama_index.core.tools import FunctionTool

    tool = FunctionTool.from_defaults(async_fn=add)
    return {"llama-index": (lambda: tool.acall(**ARGUMENTS), FAST)}


async def openai_agents() -> dict[str, Case]:
    from agents import function_tool, set_tracing_disabled
    from agents.tool_context import ToolContext

    set_tracing_disabled(True)
    tool = function_tool(add)
    text = json.dumps(ARGUMENTS)

    async def invoke() -> Any:
        context: Any = ToolContext(None, tool_name="add", tool_call_id="c", tool_arguments=text)
        return await tool.on_invoke_tool(context, text)

    return {"openai-agents": (invoke, FAST)}


PEERS = {
    "pydantic_ai": pydantic_ai,
    "mcp.server.mcpserver": mcp,
    "fastmcp": fastmcp,
    "langchain_core.tools": langchain,
    "llama_index.core.tools": llama_index,
    "agents.tool_context": openai_agents,
}
