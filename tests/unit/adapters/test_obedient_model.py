"""A model that does whatever an injection says, under the full profile: no field that it may not set comes through.

Directly and through each adapter; ``LICET_FUZZED_CALLS`` sets how many calls go through each.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from licet import Runtime
from licet.ledger.memory import MemoryLedger
from licet.profiles import principal
from licet.testing import FakeTransport, fake_tool
from obedient import CALLS, SCHEMA, arrived, obeyed, set_fields

Call = Callable[[dict[str, Any], str], Awaitable[Any]]


async def by_itself(runtime: Runtime) -> Call:
    who = principal("trader", "full")
    return lambda arguments, id: runtime.call(who, "execute_decision", arguments, call_id=id)


async def by_pydantic_ai(runtime: Runtime) -> Call:
    from pydantic_ai import RunContext
    from pydantic_ai.exceptions import ToolFailedError
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.usage import RunUsage

    from licet.adapters.pydantic_ai import toolset

    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    manager = await ToolManager(toolset(runtime, "trader", profile="full")).for_run_step(context)

    async def call(arguments: dict[str, Any], id: str) -> None:
        with suppress(ToolFailedError):  # how its manager says that a call failed
            await manager.handle_call(ToolCallPart("algenta_execute_decision", arguments, id))

    return call


async def by_openai_agents(runtime: Runtime) -> Call:
    from agents.tool import invoke_function_tool
    from agents.tool_context import ToolContext

    from licet.adapters.openai_agents import tools

    (tool,) = tools(runtime, "trader", profile="full")

    def call(arguments: dict[str, Any], id: str) -> Awaitable[Any]:
        text = json.dumps(arguments)
        context: Any = ToolContext(None, tool_name=tool.name, tool_call_id=id, tool_arguments=text)
        return invoke_function_tool(function_tool=tool, context=context, arguments=text)

    return call


async def by_langchain(runtime: Runtime) -> Call:
    from licet.adapters.langchain import tools

    (tool,) = tools(runtime, "trader", profile="full")
    return lambda arguments, id: tool.ainvoke({"name": tool.name, "args": arguments, "id": id, "type": "tool_call"})


async def fuzzed(made: Callable[[Runtime], Awaitable[Call]], calls: int) -> tuple[int, int]:
    """How many calls set such a field, and how many were executed."""
    tool, port = fake_tool("execute_decision", {"ok": True}, input_schema=SCHEMA)
    assert isinstance(port, FakeTransport)
    call = await made(Runtime([tool], ledger=MemoryLedger(1000)))
    chance = random.Random(8)
    asked = executed = 0
    for number in range(calls):
        arguments = obeyed(chance)
        asked += bool(set_fields(arguments))
        await call(arguments, f"c{number}")
        while port.calls:
            executed += 1
            assert arrived(port.calls.pop()) == set()
    return asked, executed


@pytest.mark.parametrize(
    "made", [by_itself, by_pydantic_ai, by_openai_agents, by_langchain], ids=lambda one: one.__name__[3:]
)
def test_what_no_model_may_set_does_not_come_to_the_engine(made: Callable[[Runtime], Awaitable[Call]]) -> None:
    asked, executed = asyncio.run(fuzzed(made, CALLS))  # however long it takes
    print(f"{CALLS} calls: {asked} set one, {executed} were executed, it arrived in none")
    assert asked > CALLS / 4
    assert executed > CALLS / 4
