"""The engine as an MCP server, for one caller: what another caller may see is in another server.

Needs the extra ``licet[mcp]``.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from ... import __version__
from ..caller import Caller
from ..engine import Engine, Progress
from ..error import DecisionError
from ..tools import EXECUTE, Tool

if TYPE_CHECKING:
    import mcp_types as wire
    from mcp.server.lowlevel import Server

NAME = "licet-decisions"


def server(engine: Engine, caller: Caller) -> "Server[Any]":
    """An MCP server of what a caller is told of. Raises ImportError: the extra ``licet[mcp]`` is not installed."""
    import mcp_types as wire
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    async def listed(context: Any, params: Any) -> "wire.ListToolsResult":
        return wire.ListToolsResult(tools=[_definition(tool) for tool in engine.tools(caller)])

    async def called(context: Any, params: "wire.CallToolRequestParams") -> "wire.CallToolResult":
        try:
            async with _telling(context.session) as progress:
                answer = await engine.call(caller, params.name, params.arguments or {}, progress)
        except DecisionError as exc:
            if exc.reason == "unknown_tool":
                raise MCPError(wire.INVALID_PARAMS, f"Unknown tool: {params.name}") from None
            return _result(exc.told(), is_error=True)
        return _result(answer)

    return Server(
        NAME,
        version=__version__,
        get_tool_input_schema=lambda name: None,  # no hidden listing before each call over HTTP
        on_list_tools=listed,
        on_call_tool=called,
    )


def _result(answer: dict[str, Any], *, is_error: bool = False) -> "wire.CallToolResult":
    import mcp_types as wire

    text = json.dumps(answer, ensure_ascii=False)
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=text)], structured_content=answer, is_error=is_error
    )


def _definition(tool: Tool) -> "wire.Tool":
    import mcp_types as wire

    return wire.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema.copy(),
        output_schema=None if tool.output_schema is None else tool.output_schema.copy(),
        annotations=wire.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.name == EXECUTE,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.name == EXECUTE,
        ),
    )


@contextlib.asynccontextmanager
async def _telling(session: Any) -> AsyncIterator[Progress]:
    """Something to tell of progress to, which sends the latest and never more than the other side reads."""
    moved, latest = asyncio.Event(), (0, 0)

    def tell(done: int, total: int) -> None:
        nonlocal latest
        latest = (done, total)
        moved.set()

    async def send() -> None:
        while True:
            await moved.wait()
            moved.clear()
            await session.report_progress(*latest)

    sending = asyncio.create_task(send())
    try:
        yield tell
    finally:
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):  # whoever does not want to hear of it still calls
            await sending


__all__ = ["NAME", "server"]
