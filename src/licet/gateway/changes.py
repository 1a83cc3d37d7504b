"""Tells clients that their listing changed. Nothing is accepted by it: what is listed is what is pinned."""

import asyncio
from contextlib import suppress
from operator import is_
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clients import Clients
    from .surface import Session

APART_S = 0.5
"""Two notices are at least so far apart, whatever an upstream shouts."""

PATIENCE_S = 1.0
"""For a client that does not read. It is told of the next change again."""


class Changes:
    """``said`` may be called from any thread, as often as an upstream likes. ``bus`` is for stateless clients."""

    def __init__(self, clients: "Clients") -> None:
        from mcp.server.subscriptions import InMemorySubscriptionBus

        self.bus = InMemorySubscriptionBus()
        self._clients = clients
        self._registered = clients.registered()
        self._loop = asyncio.get_running_loop()
        self._due: dict[Session, Any] = {}
        self._is_due = False
        self._telling: asyncio.Task[None] | None = None

    def said(self) -> None:
        """An upstream says that it lists something else now. Turns end, and every client is told to look again."""
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._told_all)

    def look(self) -> None:
        """After a refusal: tell those clients that would be shown something else than they were."""
        before, self._registered = self._registered, self._clients.registered()
        if len(before) == len(self._registered) and all(map(is_, before, self._registered)):
            return  # a client that knocks and knocks makes nobody look at every session each time
        changed = [(session, peer) for session, peer in self._clients.all() if session.has_changed()]
        if changed:
            self._soon(changed)

    def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()

    def _told_all(self) -> None:
        sessions = list(self._clients.all())
        for session, _ in sessions:
            session.has_changed()  # one notice for it is enough
        self._soon(sessions)

    def _soon(self, sessions: "list[tuple[Session, Any]]") -> None:
        for session, _ in sessions:
            session.turns.end()
        self._due.update(sessions)
        self._is_due = True  # also for a stateless client that listens and never asked for anything
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        from mcp.server.subscriptions import ToolsListChanged

        while self._is_due:
            due, self._due, self._is_due = self._due, {}, False
            await self.bus.publish(ToolsListChanged())
            await asyncio.gather(*(self._tell_one(session, peer) for session, peer in due.items() if peer is not None))
            await asyncio.sleep(APART_S)

    async def _tell_one(self, session: "Session", peer: Any) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await peer.send_tool_list_changed()
        except TimeoutError:
            return
        except Exception:  # its connection is gone; each transport says so in its own way
            self._clients.forget(session)


__all__ = ["Changes"]
