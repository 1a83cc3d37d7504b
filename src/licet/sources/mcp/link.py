"""One life of a connection, from the start of its process to its end: all of it in one task."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ...model.server import ServerSpec
from .child import Child
from .errand import CURRENT, Errand, Fault, Listener
from .faults import Faults
from .frames import Frames
from .home import is_cancelled
from .limits import McpLimits
from .sdk import Sdk, load
from .stdio import stdio
from .tap import Tap

_MESSAGE = 500
"""Characters of a word on a call's progress."""


class Link:
    """Connects when it is made and ``turn`` is over. ``opened`` tells how that went: None, or what went wrong.

    ``ended`` is set as soon as it is of no more use; its task then takes a while to clean up.
    """

    def __init__(
        self,
        number: int,
        server: ServerSpec,
        limits: McpLimits,
        faults: Faults,
        *,
        mode: str,
        turn: Coroutine[Any, Any, None],
        changed: Callable[[], None],
    ) -> None:
        self.number = number
        self._server = server
        self._limits = limits
        self._faults = faults
        self._mode = mode
        self._changed = changed
        self._errand = Errand("connect")
        self._child: Child | None = None
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[Fault | None] = loop.create_future()
        self.ended = asyncio.Event()
        self.sdk: Sdk
        self.client: Any = None
        self._is_let_go = False
        self._scope: Any = None
        self.has_answered = False
        """It was of use: a listing or a call came back on it."""
        self.task = loop.create_task(self._live(turn), name=f"licet-mcp-{server.name}")

    @property
    def is_ready(self) -> bool:
        """It takes requests."""
        return self.client is not None and not self.ended.is_set()

    @property
    def ended_early(self) -> bool:
        """It ended by itself: nobody asked for it."""
        return not self._is_let_go

    def greeting(self) -> tuple[str, dict[str, str], str]:
        """The version that was agreed on, the server's name and version, and how to connect next time."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        version: str = self.client.protocol_version
        given = self.client.server_info
        info = (
            {}
            if given is None
            else {"name": self._faults.shown(given.name), "version": self._faults.shown(given.version)}
        )
        return version, info, "auto" if version in MODERN_PROTOCOL_VERSIONS else "legacy"

    async def request_page(self, cursor: str | None, within_s: float) -> None:
        """One page of the listing, into the current errand. Raises whatever the SDK raises."""
        types = self.sdk.types
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        await self.client.session.send_request(
            types.ListToolsRequest(params=params), self.sdk.raw, request_read_timeout_seconds=within_s
        )

    async def request_call(self, name: str, on_progress: Listener | None) -> None:
        """One call with the arguments of the current errand, which takes the result. Raises whatever the SDK raises."""
        types = self.sdk.types
        await self.client.session.send_request(
            types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments={})),
            self.sdk.raw,
            request_read_timeout_seconds=self._limits.call_s,
            progress_callback=_awaitable(on_progress),
        )

    def end(self) -> None:
        """It takes no more requests; what is under way fails. Its task cleans up."""
        self._is_let_go = True
        self.ended.set()
        if self.client is None and self._scope is not None:
            self._scope.cancel()

    def learn(self, errand: Errand) -> None:
        """Give up a connection that the server no longer knows."""
        if errand.fault is not None and errand.fault.session_lost:
            self.end()

    def abandon(self) -> None:
        """Kill what its task can no longer clean up: the loop of it has ended."""
        if self._child is not None:
            self._child.kill()

    async def _live(self, turn: Coroutine[Any, Any, None]) -> None:
        fault: Fault | None = None
        timer: asyncio.TimerHandle | None = None
        CURRENT.set(self._errand)
        try:
            await turn
            self.sdk = await load()
            if self._is_let_go:
                return
            timer = asyncio.get_running_loop().call_later(self._limits.connect_s, self._give_up)
            fault = await self._connected()
        except asyncio.CancelledError as exc:
            fault = self._broken(exc)
            if is_cancelled():
                raise
        except (Exception, BaseExceptionGroup) as exc:
            fault = self._broken(exc)
        finally:
            self.ended.set()
            if timer is not None:
                timer.cancel()
            if not self.opened.done():
                self.opened.set_result(fault or Fault("closed", "the connection was closed"))

    async def _connected(self) -> Fault | None:
        """Connect and stay, until there is no more use in it. What prevented it, if nothing was raised for it."""
        anyio = self.sdk.anyio
        tap = Tap(self._limits, self.ended.set)
        client = self.sdk.mcp.Client(
            tap.on(self._transport()), mode=self._mode, cache=None, message_handler=self._heard
        )
        # One scope around the whole block, for scopes have to end in the order in which they began.
        with anyio.CancelScope(deadline=anyio.current_time() + self._limits.connect_s) as self._scope:
            async with client:
                self._scope.deadline = float("inf")
                self.client = client
                if not self.opened.done():
                    self.opened.set_result(None)
                    await self._stay(anyio)
        return self._silence() if self._scope.cancelled_caught and not self._is_let_go else None

    async def _stay(self, anyio: Any) -> None:
        from .listen import listen, offers_changes

        if not offers_changes(self.client):
            await self.ended.wait()
            return
        async with anyio.create_task_group() as group:
            group.start_soon(listen, self.client, self._limits, self._changed)
            await self.ended.wait()
            group.cancel_scope.cancel()

    def _transport(self) -> Any:
        if self._server.kind == "stdio":
            return stdio(self._server, self._limits, Frames(self._limits), self._born)
        from .http import http

        return http(self._server, self._limits)

    def _born(self, child: Child) -> None:
        self._child = child

    def _give_up(self) -> None:
        """The time to connect is over. Whoever waits does not wait for the cleaning up."""
        if not self.opened.done():
            self.ended.set()
            self.opened.set_result(self._silence())

    def _silence(self) -> Fault:
        return Fault("no_answer", f"it did not finish the handshake in {self._limits.connect_s:g} seconds")

    def _broken(self, exc: BaseException) -> Fault:
        if isinstance(exc, ImportError):
            return Fault("mcp_missing", f"it needs the package {exc.name or 'mcp'!r}, which is not installed")
        fault = self._faults.of_connecting(exc, self._errand)
        if self._child is None or fault.reason not in ("exited", "closed"):
            return fault
        status = f" with status {self._child.status}" if self._child.status is not None else ""
        words = self._faults.last(self._child.words)
        last = f"; it said: {words}" if words else ""
        return Fault(fault.reason, f"its process ended{status} before it answered{last}")

    async def _heard(self, message: Any) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            with contextlib.suppress(Exception):
                self._changed()


def _awaitable(listener: Listener | None) -> Callable[[float, float | None, str | None], Awaitable[None]] | None:
    if listener is None:
        return None

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        listener(progress, total, None if message is None else message[:_MESSAGE])

    return hear
