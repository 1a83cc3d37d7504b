"""A denied call of a remote tool opens no socket, starts no process and opens no file, over each transport and door."""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from denials import LOOP, by_blocking, by_loop, by_registry, by_runner, by_runtime, watched

from doubles import holder
from licet import Principal, ServerSpec, ToolRegistry
from licet.dialects.mcp import Definition
from licet.doors.mcp import MCPResolver, MCPToolClient
from licet.gateway.surface import Surface
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.schema.pin import launch_pin
from licet.sources.mcp.server import McpServer, Pinned
from licet.testing import RecordingLedger

CALLS = 1000
SPECS = {
    "stdio": ServerSpec(id="far", command=sys.executable, args=("-c", "")),
    "http": ServerSpec(id="far", url="http://127.0.0.1:9/mcp"),
}
SCHEMA = JsonObject({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False})
TOOLS = {name: Definition(name, None, "", SCHEMA, None, Annotations()) for name in ("granted", "other")}
DENIED: list[tuple[str, Any]] = [
    ("mcp/far.other", {}),
    ("mcp/far.Granted", {}),
    ("mcp/far.nothing", {}),
    ("mcp/near.granted", {}),
    ("mcp__far__granted", {}),
    ("granted", {}),
    ("no name", {}),
    ("mcp/far.granted", {"n": "seven"}),
    ("mcp/far.granted", {"n": 1, "more": 2}),
    ("mcp/far.granted", '{"n": 1, "n": 2}'),
]


@pytest.fixture(params=SPECS)
def world(request: pytest.FixtureRequest) -> Iterator[tuple[ToolRegistry, Principal, RecordingLedger]]:
    """A registry over one server that is pinned and is none: whoever reached for it would be seen."""
    spec = SPECS[request.param]
    ledger = RecordingLedger()
    registry = ToolRegistry(ledger=ledger)
    server = McpServer(spec, pinned=Pinned(launch_pin(spec), TOOLS))
    asyncio.run_coroutine_threadsafe(registry.runtime.connect(server), LOOP).result(20)
    yield registry, holder("mcp/far.granted", mode="workspace_write"), ledger
    asyncio.run_coroutine_threadsafe(server.close(), LOOP).result(20)
    registry.close()


def by_gateway(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    """What a served client says is a wire name, which only means what its session offers."""

    async def served() -> Any:
        session = Surface(registry.runtime, who).session(None)
        try:
            return await session.run.call(session.meant(name), arguments)
        finally:
            session.close()

    return asyncio.run_coroutine_threadsafe(served(), LOOP).result(20)


@pytest.mark.requirement("own.denial-touches-nothing")
@pytest.mark.parametrize("door", [by_runtime, by_loop, by_blocking, by_registry, by_runner, by_gateway])
def test_a_thousand_denied_calls_of_a_server_touch_nothing(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Any
) -> None:
    registry, who, ledger = world
    for name, arguments in DENIED:  # what is imported when it is first needed is imported now
        door(registry, who, name, arguments)
    seen_all: list[str] = []
    before = len(list(ledger.entries()))
    for _ in range(CALLS // len(DENIED)):
        with watched() as seen:
            for name, arguments in DENIED:
                door(registry, who, name, arguments)
        seen_all += seen
    assert seen_all == []
    entries = list(ledger.entries())[before:]
    assert len(entries) == CALLS
    assert {entry.kind for entry in entries} == {"tool.refused"}


@pytest.mark.parametrize("door", [by_runtime, by_blocking, by_registry])
def test_the_control_a_call_that_is_permitted_is_seen_to_reach_for_its_server(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Any
) -> None:
    registry, who, _ = world
    with watched() as seen:
        door(registry, who, "mcp/far.granted", {"n": 1})
    assert any(event.startswith(("subprocess", "os.", "socket")) for event in seen), seen


@pytest.mark.requirement("call.grant-before-transport")
def test_a_denied_call_asks_nothing_of_a_resolver_over_servers() -> None:
    ledger = RecordingLedger()
    registry = ToolRegistry(ledger=ledger)
    resolver = MCPResolver([MCPToolClient("/nonexistent/licet-test-server")])
    registry.set_resolver(resolver)
    by_registry(registry, holder("something"), "granted", {})
    with watched() as seen:
        for _ in range(CALLS):
            by_registry(registry, holder("something"), "granted", {})
    assert seen == []
    assert ledger.kinds.count("tool.refused") == CALLS + 1
    registry.close()
    resolver.close()
