"""The gateway over real HTTP in this process, with the official SDK's client in both eras."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from served import ERAS, gateway

from licet import Principal, Runtime
from licet.catalog import Tool
from licet.errors import ConfigurationError
from licet.gateway.http import address, listen, serve_http
from licet.gateway.server import Gateway
from licet.model.tool import ToolCapability
from licet.testing import fake_tool

TOKEN = "a-token-of-a-test"


@asynccontextmanager
async def served(*tools: Tool) -> AsyncIterator[tuple[str, Gateway]]:
    """The URL of a gateway, and the gateway."""
    with Runtime(tools) as runtime:
        principal = Principal("coder", grants=[tool.spec.name for tool in tools], mode="workspace_write")
        async with gateway(runtime, principal) as behind:
            stop, listening = asyncio.Event(), listen(0)
            url = address(listening)
            serving = asyncio.create_task(serve_http(behind.server, listening, TOKEN, stop))
            try:
                yield url, behind
            finally:
                stop.set()
                await serving


@asynccontextmanager
async def client(url: str, era: str, **options: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(20)) as web:
        transport = streamable_http_client(url, http_client=web)
        async with Client(transport, mode=era, cache=None, **options) as connected:
            yield connected


class Reporting:
    kind = "fake"

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        for step in (1, 2, 3):
            context.progress(step, 3, None)
        return {"done": True}


@pytest.mark.parametrize("era", ERAS)
async def test_calls_and_progress_pass_over_http(era: str) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    tool = Tool(fake_tool("mcp/up.work", read_only=True)[0].spec, Reporting())
    async with served(tool) as (url, _), client(url, era) as connected:
        assert [shown.name for shown in (await connected.list_tools()).tools] == ["up__work"]
        result = await connected.call_tool("up__work", {}, progress_callback=hear)
    assert result.content[0].text == '{"done":true}'
    assert heard == [1, 2, 3]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_a_question_reaches_the_user_over_http(era: str, action: Any) -> None:
    tool, transport = fake_tool("mcp/up.reset", capabilities=ToolCapability(writes=True, human_approval_required=True))

    async def say(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async with served(tool) as (url, _), client(url, era, elicitation_callback=say) as connected:
        result = await connected.call_tool("up__reset", {})
    assert result.is_error is (action == "decline")
    assert len(transport.calls) == (action == "accept")


async def test_a_change_reaches_clients_of_both_eras_over_http() -> None:
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    tool = fake_tool("mcp/up.look", read_only=True)[0]
    async with (
        served(tool) as (url, behind),
        client(url, "legacy", message_handler=hear) as old,
        client(url, "auto") as new,
    ):
        await old.list_tools()
        async with new.listen(tools_list_changed=True) as events:
            while not told.is_set():  # until the stream for notices is open
                behind.changes.said()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.1):
                        await told.wait()
            async for _ in events:
                break


async def test_it_ends_in_time_with_streams_open() -> None:
    tool = fake_tool("mcp/up.look", read_only=True)[0]
    async with served(tool) as (url, _):
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(20)) as web:
            hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
            session = (await web.post(url, json=hello)).headers["mcp-session-id"]
            async with web.stream("GET", url, headers={"Mcp-Session-Id": session}) as stream:
                assert stream.status_code == 200
                begun = time.monotonic()
                break_off = asyncio.create_task(stream.aread())
                await asyncio.sleep(0)
                break_off.cancel()
    assert time.monotonic() - begun < 4


async def test_only_this_machine_is_listened_to_and_a_port_once() -> None:
    with listen(0) as listening:
        host, port = listening.getsockname()
        assert host == "127.0.0.1"
        assert listening.proto == socket.IPPROTO_TCP  # or asyncio leaves Nagle's delay on
        with pytest.raises(ConfigurationError, match=f"port {port} of 127.0.0.1 cannot be used"):
            listen(port)
