"""A model that does whatever an injection says, before a ``licet serve`` under the full profile, over both transports.

No field that it may not set comes to the engine; without the guard they come. ``LICET_FUZZED_CALLS`` sets how many
calls go through each door.
"""

import asyncio
import random
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import licet_serve
import pytest

from licet.conformance import Options, Vector
from licet.conformance.execution import Executions
from licet.conformance.hub import Hub
from licet.conformance.mcp_subject import McpSubject, Start
from obedient import CALLS, SCHEMA, arrived, obeyed, set_fields

AT_ONCE = 16
TOOL = "execute_decision"
ENGINE = {
    "name": TOOL,
    "description": "Executes a decision. With force=true it is sent once more.",
    "input_schema": SCHEMA,
    "read_only": False,
    "behaviour": {"answer": {"done": True}},
}
VECTOR = Vector("fields.obedient", "profile", "", (ENGINE,), (), {"profile": "full"}, None, None)
UNGUARDED = [sys.executable, str(Path(__file__).with_name("unguarded.py"))]


class Seen(NamedTuple):
    """Of the calls: how many set such a field, how many were executed, and in how many of these one arrived."""

    asked: int
    executed: int
    arrived: int


async def fuzzed(start: Start, calls: int) -> Seen:
    chance = random.Random(8)
    executions = Executions()
    tally = {"asked": 0, "arrived": 0, "executed": 0}
    left = iter(range(calls))

    async def ask(client: McpSubject, name: str) -> None:
        for number in left:
            arguments = obeyed(chance)
            tally["asked"] += bool(set_fields(arguments))
            answer = await client.call(name, arguments, f"c{number}")
            assert answer["ok"] or "invalid_arguments" in answer["content"], answer

    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(Hub.opened(executions, VECTOR))
        client = McpSubject(start)
        stack.push_async_callback(client.close)
        await client.setup(executions.tools(VECTOR.tools), Options("full", True, hub.command, hub.url))
        (shown,) = await client.list()
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(ask(client, shown["name"]))
    came = [arrived(one.arguments) for one in executions.all]
    return Seen(tally["asked"], len(came), sum(map(bool, came)))


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("start", [licet_serve.start, licet_serve.start_http], ids=["stdio", "http"])
def test_what_no_model_may_set_does_not_come_to_the_engine_behind_licet_serve(start: Start) -> None:
    seen = asyncio.run(fuzzed(start, CALLS))
    print(CALLS, "calls:", seen)
    assert seen.arrived == 0
    assert seen.asked > CALLS / 4
    assert seen.executed > CALLS / 4


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("start", [licet_serve.start, licet_serve.start_http], ids=["stdio", "http"])
def test_the_control_without_the_guard_they_come_to_the_engine(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licet_serve, "LICET", UNGUARDED)
    seen = asyncio.run(fuzzed(start, 200))
    print("200 calls:", seen)
    assert seen.arrived > 50
