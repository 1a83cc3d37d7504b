"""The way to one tool of an MCP server."""

from typing import TYPE_CHECKING, Any

from ...dialects.mcp import read_result
from ...model.answer import Answer
from ...model.context import CallContext
from ...schema.pin import Pin

if TYPE_CHECKING:
    from .server import McpServer


class McpTool:
    """Asks its server, once a turn, whether the tool is still what was registered; then calls it.

    ``name`` is canonical, ``own_name`` what the server calls it.
    """

    def __init__(self, server: "McpServer", own_name: str, name: str, pin: Pin) -> None:
        self._server = server
        self.own_name = own_name
        self.name = name
        self.pin = pin
        self.kind = f"mcp_{server.spec.kind}"

    async def check_fresh(self, context: CallContext, /) -> None:
        """Raises ToolSchemaChangedError, QuarantinedError or ServerUnavailableError: nothing was sent to the tool."""
        await self._server.check_fresh(self, context.turn)

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Answer:
        """Raises what ``Connection.call`` and ``dialects.mcp.read_result`` raise."""
        raw = await self._server.call(self, arguments, context.turn, context.progress)
        answer = read_result(raw, self.name)
        marks = self._server.marks(context.turn)
        return answer._replace(marks=marks) if marks else answer
