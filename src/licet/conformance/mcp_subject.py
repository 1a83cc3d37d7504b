"""A gateway as a subject: whatever it serves over MCP of the suite's own server behind it."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

from .process import Process
from .rpc import Client, RpcError, piped
from .subject import Answer, Options, Shown, Tool, UnsupportedError
from .verdict import Found

Start = Callable[[AsyncExitStack, Sequence[Tool], Options], Awaitable[Client]]
"""Starts a gateway before ``options.upstream`` such that it grants what is to be granted; gives a client of it."""

NOT_OVER_MCP = {
    "call id": "the ids of a model's calls do not go over MCP",
    "text": "over MCP arguments are an object, and never a text",
    "exception": "behind MCP the words of a failure are the server's own",
    "approval": "about which tools a gateway asks, and whom, is in its own configuration",
}
"""Why a vector is not applicable that needs one of these."""


class McpSubject:
    """Whatever a gateway serves over MCP. Give it how the gateway is started, and a line of your own is a subject."""

    is_mcp = True
    asks = False
    """Whether ``start`` sees to it that the gateway asks about tools that ask."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._stack = AsyncExitStack()
        self._client: Client | None = None

    async def setup(self, tools: Sequence[Tool], options: Options, /) -> None:
        if self._client is not None:
            await self.list()  # by now the gateway heard that the listing changed
            return
        refuse_what_does_not_go_over_mcp(options.needs, asks=self.asks)
        self._client = await self._start(self._stack, tools, options)
        try:
            await self._client.initialize()
        except RpcError as exc:
            raise RuntimeError(f"the handshake is refused: {exc.message}") from None

    async def list(self) -> Sequence[Shown]:
        return [shown(tool) for tool in await self._there().list_tools()]

    async def call(self, name: str, arguments: dict[str, Any] | str, call_id: str, /) -> Answer:
        if isinstance(arguments, str):
            raise UnsupportedError("over MCP arguments are an object, and never a text")
        return await called(self._there(), name, arguments)

    async def close(self) -> None:
        await self._stack.aclose()

    def _there(self) -> Client:
        if self._client is None:
            raise RuntimeError("nothing is set up")
        return self._client


def refuse_what_does_not_go_over_mcp(
    needs: Sequence[str],
    *,
    calls_have_ids: bool = False,
    arguments_may_be_text: bool = False,
    asks: bool = False,
) -> None:
    """For a vector that needs what a subject over MCP does not have. A runtime before a server may have some of it.

    Raises:
        UnsupportedError: the vector is not applicable.
    """
    has = {"call id": calls_have_ids, "text": arguments_may_be_text, "approval": asks}
    for need in needs:
        if not has.get(need, False):
            raise UnsupportedError(NOT_OVER_MCP[need])


def shown(tool: Any) -> Shown:
    """A tool of a listing over MCP. Raises Found: it is none."""
    if not isinstance(tool, dict):
        raise Found("garbled", "its listing holds something that is no object")
    told = {
        "name": tool.get("name"),
        "description": tool.get("description") or "",
        "input_schema": tool.get("inputSchema"),
    }
    return cast(Shown, told)  # whoever reads the listing looks at it


async def called(client: Client, name: str, arguments: dict[str, Any]) -> Answer:
    """What came of a call. Raises Found."""
    try:
        result = await client.request("tools/call", {"name": name, "arguments": arguments})
    except RpcError as exc:
        return {"ok": False, "content": exc.message, "code": str(exc.code), "data": None}
    if not isinstance(result, dict) or not isinstance(result.get("content", []), list):
        raise Found("garbled", "its answer to tools/call holds no list of content")
    blocks = [block for block in result.get("content", []) if isinstance(block, dict)]
    text = "\n".join(str(block["text"]) for block in blocks if "text" in block)
    data = result.get("structuredContent")
    if not text and data is not None:
        text = json.dumps(data, ensure_ascii=False)
    return {"ok": result.get("isError") is not True, "content": text, "code": None, "data": data}


async def started(stack: AsyncExitStack, command: Sequence[str], environment: Mapping[str, str]) -> Client:
    """A client of a gateway that is a command; both end with the stack.

    Raises:
        ConfigurationError: it does not start.
    """
    process = await Process.start(command, environment)
    stack.push_async_callback(process.close)
    return await stack.enter_async_context(piped(process))


__all__ = ["McpSubject", "Start", "called", "refuse_what_does_not_go_over_mcp", "shown", "started"]
