"""One server: connected to when it is first used, again when it is used after its end, and never more than once."""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ...errors import ServerUnavailableError
from ...model.server import ServerSpec
from .backoff import Backoff
from .errand import CURRENT, Errand, Fault, Listener
from .faults import Faults
from .home import Home, HomeEnded, is_from_outside
from .limits import McpLimits
from .link import Link
from .listing import list_all

T = TypeVar("T")

HOME_ENDED = Fault("home_ended", "the event loop of its connection ended")

Note = Callable[[str, dict[str, Any]], None]


class Connection:
    """Calls may come from any thread and any event loop. The server is reached on the loop that used it first.

    ``on_changed`` is called on that loop when the server says that its tools changed, or may have said so unheard.
    ``note`` takes what the ledger may want to know, with a kind that begins with ``mcp.``.
    """

    def __init__(
        self,
        server: ServerSpec,
        limits: McpLimits = McpLimits(),  # noqa: B008 - immutable
        *,
        on_changed: Callable[[], None] = lambda: None,
        note: Note = lambda kind, body: None,
    ) -> None:
        self._server = server
        self._limits = limits
        self._changed = on_changed
        self._note = note
        self._faults = Faults(server, limits)
        self._home = Home()
        self._links: list[Link] = []
        self._mode = "auto"
        self._backoff = Backoff(limits)
        self._last: Fault | None = None
        self._is_closed = False
        self._begun = 0
        self._none = itertools.count(-1, -1)
        self.info: dict[str, str] = {}
        """Name and version, as the server says them."""
        self.protocol_version = ""

    @property
    def generation(self) -> int:
        """The number of the connection that there is. Without one, a number that no connection had or will have."""
        link = self._link
        return link.number if link is not None and link.is_ready else next(self._none)

    @property
    def state(self) -> str:
        """``idle``, ``connecting``, ``ready``, ``unavailable`` or ``closed``."""
        if self._is_closed:
            return "closed"
        link = self._link
        if link is None or (link.ended.is_set() and self._last is None):
            return "idle"
        if link.ended.is_set():
            return "unavailable"
        return "ready" if link.is_ready else "connecting"

    async def list_tools(self) -> list[Any]:
        """The tools of all pages, in order and as they came: whatever a server may put there.

        Raises:
            ServerUnavailableError: it cannot be reached, refuses, or goes on for ever.
        """
        return (await self.listed())[1]

    async def listed(self) -> tuple[int, list[Any]]:
        """The same, with the number of the connection that it came from, which may have ended by now.

        Raises:
            ServerUnavailableError: it cannot be reached, refuses, or goes on for ever.
        """
        try:
            return await self._at_home(self._list)
        except HomeEnded:
            raise self._unavailable(HOME_ENDED) from None

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_progress: Listener | None = None,
        generation: int | None = None,
    ) -> dict[str, Any]:
        """The result of one call as it came. It is sent once, or not at all.

        ``on_progress`` is called on the caller's loop. The arguments are not copied. With ``generation`` it is sent on
        the very connection of that number.

        Raises:
            ServerUnavailableError: nothing was sent.
            TransportError: it may have run.
            ToolFailedError: the server answered with an error of the protocol; reason ``rpc_error``.
        """
        if self._home.is_here():  # the usual case, without a frame more than it takes
            return await self._call(name, arguments, on_progress, generation)
        listener = self._home.carried(on_progress)
        try:
            return await self._at_home(lambda: self._call(name, arguments, listener, generation))
        except HomeEnded as exc:
            errand = Errand("call")
            errand.sent, errand.fault = True, HOME_ENDED
            raise self._faults.of_call(exc, errand, name) from None

    async def close(self) -> None:
        """End the server. Takes ``limits.close_s`` and little more; safe to call twice."""
        self._is_closed = True
        if self._links:
            with contextlib.suppress(HomeEnded):
                await self._at_home(self._close)

    # --- on the home loop ---

    @property
    def _link(self) -> Link | None:
        return self._links[-1] if self._links else None

    async def _list(self) -> tuple[int, list[Any]]:
        link = await self._linked()
        tools = await list_all(link, self._faults, self._limits)
        self._was_of_use(link)
        return link.number, tools

    async def _call(
        self, name: str, arguments: dict[str, Any], on_progress: Listener | None, generation: int | None
    ) -> dict[str, Any]:
        link = self._link
        if link is None or not link.is_ready or generation not in (None, link.number):
            if generation is not None:
                raise self._unavailable(Fault("closed", "its connection is another since its tools were listed"))
            link = await self._linked()
        errand = Errand("call", arguments)
        token = CURRENT.set(errand)
        try:
            await link.request_call(name, on_progress)
        except BaseException as exc:
            link.learn(errand)
            if is_from_outside(exc):
                raise
            raise self._faults.of_call(exc, errand, name) from exc
        finally:
            CURRENT.reset(token)
        if not link.has_answered:
            self._was_of_use(link)
        assert errand.answer is not None
        return errand.answer

    async def _linked(self) -> Link:
        """The connection, made if there is none; whoever asks meanwhile waits for the same."""
        link = self._link
        if link is None or link.ended.is_set():
            link = self._begin()
        if not link.opened.done():
            await asyncio.wait([link.opened])
        fault = link.opened.result()
        if fault is None and link.ended.is_set():
            fault = Fault("closed", "its connection ended")
        if fault is not None:
            raise self._unavailable(fault)
        return link

    def _begin(self) -> Link:
        if self._is_closed:
            raise self._unavailable(Fault("closed", "the connection to it was closed for good"))
        pause_s = self._backoff.left_s
        if pause_s > self._limits.patience_s:
            last = self._last or Fault("closed", "its connection ended")
            raise self._unavailable(last._replace(told=f"{last.told} (tried again in {pause_s:.1f} s at the earliest)"))
        self._begun += 1
        self._links = [old for old in self._links if not old.task.done()]
        turn = self._turn([old.task for old in self._links])
        link = Link(
            self._begun, self._server, self._limits, self._faults, mode=self._mode, turn=turn, changed=self._changed
        )
        self._links.append(link)
        link.opened.add_done_callback(lambda opened: self._opened(link, opened))
        link.task.add_done_callback(lambda task: self._ended(link, task))
        return link

    async def _turn(self, before: list["asyncio.Task[None]"]) -> None:
        """Until the process before is gone, so that there are never two, and the pause after it is over."""
        if before:
            await asyncio.wait(before)
        await asyncio.sleep(self._backoff.left_s)

    def _opened(self, link: Link, opened: "asyncio.Future[Fault | None]") -> None:
        fault = opened.result()
        if fault is not None:
            self._last = fault
            self._mode = "auto"
            self._note("mcp.unavailable", {"server": self._server.name, "reason": fault.reason})
            return
        self._last = None
        self.protocol_version, self.info, self._mode = link.greeting()
        told = {"server": self._server.name, "generation": link.number, "protocol": self.protocol_version}
        self._note("mcp.connected", {**told, **self.info})

    def _ended(self, link: Link, task: "asyncio.Task[None]") -> None:
        if not task.cancelled():
            task.exception()  # it was told to whoever waited
        if link.ended_early:
            if link.client is not None:
                self._note("mcp.lost", {"server": self._server.name})
            self._backoff.ended()

    def _was_of_use(self, link: Link) -> None:
        link.has_answered = True
        self._backoff.was_of_use()

    async def _close(self) -> None:
        for link in self._links:
            link.end()
        if not self._links:  # its loop had ended before
            return
        _, late = await asyncio.wait([link.task for link in self._links], timeout=self._limits.close_s + 1)
        for task in late:
            task.cancel()

    async def _at_home(self, start: Callable[[], Awaitable[T]]) -> T:
        return await self._home.run(start, self._abandon)

    def _abandon(self) -> None:
        """The loop that all of it lived on has ended."""
        for link in self._links:
            link.abandon()
        self._links = []
        self._backoff.moved()

    def _unavailable(self, fault: Fault) -> ServerUnavailableError:
        return self._faults.unavailable(fault)
