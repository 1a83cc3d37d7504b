"""Which session a request belongs to: one a connection of the handshake era, one for all stateless requests."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from .asking import ClientApprover

if TYPE_CHECKING:
    from ..model.tool import ToolSpec
    from ..ports import Approver
    from .surface import Session, Surface

MOST_SESSIONS = 256
"""Kept at once. The one that was silent longest is let go of, and begins anew if it comes back."""

PIPE, STATELESS = "pipe", "stateless"
"""The connection of whoever started this, and the one that all stateless requests share."""


class Clients:
    """Sessions by connection. ``peers`` are the connections that a change is told to."""

    def __init__(self, surface: "Surface", most: int = MOST_SESSIONS) -> None:
        self._surface = surface
        self._most = most
        self._sessions: OrderedDict[tuple[str, bool], Session] = OrderedDict()
        self._peers: dict[tuple[str, bool], Any] = {}

    def session(self, ctx: Any, *, modern: bool) -> "Session":
        """The session of a request. Raises LedgerUnavailableError: a new one cannot be recorded."""
        connection, asks = _connection(ctx, modern), can_ask(ctx.session.client_capabilities)
        session = self.opened(connection, asks=asks, modern=modern)
        if not modern:
            self._peers[connection, asks] = ctx.session
        return session

    def opened(self, connection: str, *, asks: bool, modern: bool) -> "Session":
        """The session of a connection, before anybody can be told of a change. Raises as ``session`` does."""
        key = connection, asks
        session = self._sessions.get(key)
        if session is None:
            session = self._surface.session(cast("Approver", ClientApprover()) if key[1] else None, modern=modern)
            self._sessions[key] = session
            if len(self._sessions) > self._most:
                oldest, gone = self._sessions.popitem(last=False)
                self._peers.pop(oldest, None)
                gone.close()
        self._sessions.move_to_end(key)
        return session

    def all(self) -> "Iterable[tuple[Session, Any]]":
        """Every session, with the connection that a change of its listing is told to, None in the stateless era."""
        return [(session, self._peers.get(key)) for key, session in self._sessions.items()]

    def registered(self) -> "list[ToolSpec]":
        """Every tool that there is, whoever may see it."""
        return self._surface.runtime.specs()

    def forget(self, session: "Session") -> None:
        """Its connection is gone."""
        for key in [key for key, known in self._sessions.items() if known is session]:
            del self._sessions[key]
            self._peers.pop(key, None)
            session.close()

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self._peers.clear()


def can_ask(capabilities: Any) -> bool:
    """Whether a client declared that it shows its user a question: an empty declaration means forms."""
    asking = None if capabilities is None else capabilities.elicitation
    return asking is not None and (asking.form is not None or asking.url is None)


def _connection(ctx: Any, modern: bool) -> str:
    if modern:
        return STATELESS
    return PIPE if ctx.request is None else f"http {ctx.request.headers.get('mcp-session-id', '')}"


__all__ = ["PIPE", "STATELESS", "Clients", "can_ask"]
