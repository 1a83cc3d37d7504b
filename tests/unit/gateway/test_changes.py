"""Clients hear that their listing changed; nothing else comes of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import ToolListChangedNotification
from served import gateway

from licet import Principal, Runtime
from licet.errors import ToolSchemaChangedError
from licet.gateway.server import Gateway
from licet.testing import fake_tool


def looks(name: str, answer: Any = None) -> Any:
    return fake_tool(f"mcp/git.{name}", answer, source="mcp", read_only=True)[0]


@asynccontextmanager
async def two_tools(drifted: bool = False) -> AsyncIterator[tuple[Gateway, Runtime]]:
    answer = ToolSchemaChangedError("it changed") if drifted else None
    with Runtime([looks("git_log", answer), looks("git_show")]) as runtime:
        principal = Principal("coder", grants=[spec.name for spec in runtime.specs()])
        async with gateway(runtime, principal) as served:
            yield served, runtime


class Heard:
    """Takes a legacy client's notifications."""

    def __init__(self) -> None:
        self.times = 0
        self.came = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.times += 1
            self.came.set()


async def test_a_legacy_client_is_told_what_an_upstream_said() -> None:
    heard = Heard()
    async with (
        two_tools() as (served, _),
        Client(served.server, mode="legacy", cache=None, message_handler=heard) as client,
    ):
        await client.list_tools()
        served.changes.said()
        await heard.came.wait()
    assert heard.times == 1


async def test_a_stateless_client_that_listens_is_told() -> None:
    async with (
        two_tools() as (served, _),
        Client(served.server, cache=None) as client,
        client.listen(tools_list_changed=True) as events,
    ):
        served.changes.said()
        async for event in events:
            assert type(event).__name__ == "ToolsListChanged"
            break


async def test_an_upstream_that_shouts_is_passed_on_twice_at_most() -> None:
    heard = Heard()
    async with (
        two_tools() as (served, _),
        Client(served.server, mode="legacy", cache=None, message_handler=heard) as client,
    ):
        await client.list_tools()
        for _ in range(1000):
            served.changes.said()
        await heard.came.wait()
        heard.came.clear()
        await client.list_tools()
    assert heard.times <= 2


async def test_a_listing_that_a_refusal_shows_to_be_another_is_told_once() -> None:
    heard = Heard()
    async with (
        two_tools() as (served, runtime),
        Client(served.server, mode="legacy", cache=None, message_handler=heard) as client,
    ):
        await client.list_tools()
        runtime.remove("mcp/git.git_log")
        for _ in range(3):
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("git__git_log", {})
        await heard.came.wait()
        assert [tool.name for tool in (await client.list_tools()).tools] == ["git__git_show"]
    assert heard.times == 1


async def test_a_refusal_that_changes_nothing_is_told_to_nobody() -> None:
    heard = Heard()
    async with (
        two_tools() as (served, _),
        Client(served.server, mode="legacy", cache=None, message_handler=heard) as client,
    ):
        await client.list_tools()
        await client.call_tool("git__git_log", {"a": float("nan")})
        await client.list_tools()
    assert heard.times == 0


async def test_a_change_ends_the_turn() -> None:
    async with two_tools() as (served, _), Client(served.server, mode="legacy", cache=None) as client:
        await client.call_tool("git__git_log", {})
        ((session, _),) = served._clients.all()
        before = session.run.turn_now
        await client.call_tool("git__git_log", {})
        assert session.run.turn_now is before
        served.changes.said()
        await asyncio.sleep(0)
        await client.call_tool("git__git_log", {})
        assert session.run.turn_now is not before


async def test_after_the_end_nobody_is_told() -> None:
    async with two_tools() as (served, _):
        changes = served.changes
    changes.said()
