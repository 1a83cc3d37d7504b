"""The surface before the official SDK's low-level server: it answers tools/list and tools/call, in the client's era."""

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..dialects.mcp import wire_result
from ..dialects.untrusted import UNKNOWN_TO_MODEL, escaped
from ..errors import LicetError
from . import eras
from .changes import Changes
from .clients import Clients
from .early import NAME
from .flight import Flight, Question
from .refusals import Refusals, is_refusal
from .waiting import Waiting

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from ..model.result import ToolResult
    from .surface import Session, Surface

ENDING_S = 4.0
"""How long calls under way may take to end when the server does."""

_log = logging.getLogger("licet.gateway")


class Gateway:
    """Serves one surface to any number of clients. ``server`` is what a transport drives."""

    def __init__(self, surface: "Surface", refusals: Refusals, clients: Clients | None = None) -> None:
        """``clients`` are those that were answered before this was there."""
        self._surface = surface
        self._refusals = refusals
        self._clients = clients or Clients(surface)
        self._waiting = Waiting()
        self._under_way: set[asyncio.Task[ToolResult]] = set()
        self.changes = Changes(self._clients)
        self.server = self._made()

    async def close(self) -> None:
        """End the calls that are under way, and let go of what their sessions hold."""
        self.changes.close()
        under_way = list(self._under_way)
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way, timeout=ENDING_S)
        self._clients.close()

    def _made(self) -> "Server[Any]":
        from mcp.server.lowlevel import NotificationOptions, Server
        from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
        from mcp.server.subscriptions import ListenHandler
        from mcp_types import SERVER_INFO_META_KEY

        class Served(Server[Any]):
            def create_initialization_options(self, notification_options: Any = None, *more: Any, **named: Any) -> Any:
                """Over HTTP nobody passes options, and clients would be told that the listing never changes."""
                options = notification_options or NotificationOptions(tools_changed=True)
                return super().create_initialization_options(options, *more, **named)

        server = Served(
            NAME,
            version=__version__,
            get_tool_input_schema=lambda name: None,  # or each call over HTTP would list first, past the middleware
            on_list_tools=_not_yet,
            on_call_tool=_not_yet,
            on_subscriptions_listen=ListenHandler(self.changes.bus, max_subscriptions=256),
        )
        self._stamp = {"_meta": {SERVER_INFO_META_KEY: server.server_info_stamp}}
        sealed = RequestStateSecurity(keys=[os.urandom(32)], bind_principal=lambda ctx: self._surface.principal.name)
        server.middleware[:] = [RequestStateBoundary(sealed, default_audience=NAME), self._answer]  # and no spans
        return server

    async def _answer(self, ctx: Any, call_next: Any) -> Any:
        """The middleware. It answers by itself: the SDK's models would drop, reorder and refuse too much."""
        if ctx.request_id is None or ctx.method not in ("tools/list", "tools/call"):
            return await call_next(ctx)
        from mcp import MCPError
        from mcp_types import INTERNAL_ERROR
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        if not modern and ctx.session.client_params is None:
            return await call_next(ctx)  # before its handshake; that is refused there
        params = dict(ctx.params or {})
        try:
            session = self._clients.session(ctx, modern=modern)
            if ctx.method == "tools/list":
                result = _listed(session, params, modern=modern)
                self._refuse_nothing(result)
            else:
                result = await self._called(ctx, session, params, modern=modern)
            return {**result, **self._stamp} if modern else result
        except MCPError:
            raise
        except LicetError as exc:
            raise MCPError(INTERNAL_ERROR, f"this cannot be carried out ({exc.code})") from None
        except Exception:
            _log.exception("answering %s failed", ctx.method)
            raise MCPError(INTERNAL_ERROR, "internal error") from None

    async def _called(self, ctx: Any, session: "Session", params: dict[str, Any], *, modern: bool) -> dict[str, Any]:
        from mcp import MCPError
        from mcp_types import INVALID_PARAMS

        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise MCPError(INVALID_PARAMS, "a call names its tool in text")
        if modern and params.get("requestState") is not None:
            known = self._waiting.take(params["requestState"], name, arguments)
            if known is None:
                raise MCPError(INVALID_PARAMS, "Invalid or expired requestState", {"reason": "invalid_request_state"})
            flight = known
            flight.answer(accepted=eras.accepted(params.get("inputResponses")))
        else:
            flight = self._begun(ctx, session, params, modern=modern)
        outcome = await flight.outcome(ctx.session.report_progress)
        if isinstance(outcome, Question):
            self._waiting.put(outcome.call_id, flight)
            return eras.asking(outcome.text, outcome.call_id)
        if is_refusal(outcome):
            self._refusals.told(outcome, flight.session.run.id, arguments)
            self.changes.look()
        if outcome.code in UNKNOWN_TO_MODEL:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {escaped(name[:200])}")
        lacking = eras.missing_capability(outcome) if modern else None
        if lacking is not None:
            raise MCPError(lacking.code, lacking.message, lacking.data)
        return eras.called(wire_result(outcome, self._surface.spec(outcome.tool)), modern=modern)

    def _refuse_nothing(self, listing: dict[str, Any]) -> None:
        """A server that cannot be reached is not taken for one without tools: of nothing but such the listing fails."""
        if listing["tools"]:
            return
        gone = [name for name, deny in self._surface.runtime.withheld.items() if deny.code == "server_unavailable"]
        if gone:
            from mcp import MCPError
            from mcp_types import INTERNAL_ERROR

            raise MCPError(INTERNAL_ERROR, f"no tool can be listed: {escaped(', '.join(gone))} cannot be reached")

    def _begun(self, ctx: Any, session: "Session", params: dict[str, Any], *, modern: bool) -> Flight:
        who = ctx.session.client_params
        flight = Flight(
            session,
            self._surface.line,
            params["name"],
            params.get("arguments"),
            client="unnamed" if who is None else who.client_info.name[:64],
            elicit=None if modern else _eliciting(ctx),
        )
        self._under_way.add(flight.task)
        flight.task.add_done_callback(self._under_way.discard)
        return flight


def _listed(session: "Session", params: dict[str, Any], *, modern: bool) -> dict[str, Any]:
    if params.get("cursor") is None:
        return eras.listing(session.tools(), modern=modern)
    from mcp import MCPError
    from mcp_types import INVALID_PARAMS

    raise MCPError(INVALID_PARAMS, "this listing has one page, and gave no cursor")


def _eliciting(ctx: Any) -> Any:
    async def elicit(text: str) -> bool:
        said = await ctx.session.elicit_form(text, eras.NO_FIELDS, related_request_id=ctx.request_id)
        return bool(said.action == "accept")

    return elicit


async def _not_yet(ctx: Any, params: Any) -> Any:
    """That it is there declares the capability. Only what comes before the handshake gets as far as this."""
    from mcp import MCPError
    from mcp_types import INVALID_REQUEST

    raise MCPError(INVALID_REQUEST, "initialize first")


__all__ = ["Gateway"]
