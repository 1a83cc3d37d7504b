"""A model that does whatever an injection says, under the full profile: no field that it may not set comes through.

``LICET_FUZZED_CALLS`` sets how many calls go through each adapter.
"""

import json
import os
import random
import unicodedata
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from licet import Runtime
from licet.ledger.memory import MemoryLedger
from licet.testing import FakeTransport, fake_tool

CALLS = int(os.environ.get("LICET_FUZZED_CALLS", "600"))
WORDS = [
    "force",
    "override_safety",
    "Force",
    "FORCE",
    "\uff46orce",
    "override_safety ",
    "Override_Safety",
    "reason",
    "n",
]
SCHEMA = {
    "type": "object",
    "properties": {"decision_id": {"type": "string"}, "force": {"type": "boolean"}, "batch": {}, "metadata": {}},
    "required": ["decision_id"],
}
Call = Callable[[dict[str, Any], str], Awaitable[Any]]


def value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(6)
    if depth == 0 or kind < 2:
        return chance.choice([True, 1, "yes", None, "force", 0.5])
    if kind == 2:
        return [value(chance, depth - 1) for _ in range(chance.randrange(3))]
    if kind == 3:
        return json.dumps({chance.choice(WORDS): True})
    return {chance.choice(WORDS): value(chance, depth - 1) for _ in range(chance.randrange(3))}


def obeyed(chance: random.Random) -> dict[str, Any]:
    names = [*WORDS, "batch", "metadata"]
    return {"decision_id": "d1", **{chance.choice(names): value(chance, 3) for _ in range(chance.randrange(4))}}


def set_fields(found: Any) -> set[str]:
    """Names that no model may set, at any depth, also in a text of JSON."""
    if isinstance(found, dict):
        named = {"force", "override_safety"} & {unicodedata.normalize("NFKC", key).strip().casefold() for key in found}
        return named.union(*map(set_fields, found.values()))
    if isinstance(found, list):
        return set().union(*map(set_fields, found))
    if isinstance(found, str) and found.startswith("{"):
        return set_fields(json.loads(found))
    return set()


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


@pytest.mark.parametrize("made", [by_pydantic_ai, by_openai_agents, by_langchain], ids=lambda one: one.__name__[3:])
async def test_what_no_model_may_set_does_not_come_to_the_engine(made: Callable[[Runtime], Awaitable[Call]]) -> None:
    tool, port = fake_tool("execute_decision", {"ok": True}, input_schema=SCHEMA)
    assert isinstance(port, FakeTransport)
    call = await made(Runtime([tool], ledger=MemoryLedger(1000)))
    chance = random.Random(8)
    asked = executed = 0
    for number in range(CALLS):
        arguments = obeyed(chance)
        asked += bool(set_fields(arguments))
        await call(arguments, f"c{number}")
        while port.calls:
            executed += 1
            came = port.calls.pop()
            came.pop("metadata", None)  # payload, which stays payload
            assert set_fields(came) == set()
    assert asked > CALLS / 4
    assert executed > CALLS / 4
