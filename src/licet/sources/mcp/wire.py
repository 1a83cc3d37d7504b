"""One connection over plain HTTP/1.1: a request in one write, and its answer as it comes."""

import asyncio
import select
from collections.abc import Callable
from typing import Any

from .reply import Head, Reply, Unreadable

HELD_BYTES = 256 * 1024
"""Of a body that nobody has taken: more of it is not read."""


class Wire(asyncio.Protocol):
    """Takes one request at a time. It is closed by whatever comes unasked, and when whoever asked no longer waits.

    ``gone`` is called with it when it has ended, by whichever side; ``ended`` is done then.
    """

    def __init__(self, gone: "Callable[[Wire], None]") -> None:
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._watched = select.poll()
        self._waiter: asyncio.Future[None] | None = None
        self._reply: Reply | None = None
        self._is_full = False
        """The kernel has not taken all of the request."""
        self._is_paused = False
        self._fault: Exception | None = None
        self.ended: asyncio.Future[None] = self._loop.create_future()

    # --- for whoever asks ---

    @property
    def is_free(self) -> bool:
        """It takes a request now. Its end may be in the kernel already, of which the loop has not told yet."""
        return not (self._reply is not None or self._transport.is_closing() or self._watched.poll(0))

    async def ask(self, request: bytes, *, bodiless: bool, write_s: float | None, read_s: float | None) -> Head:
        """The head of the answer.

        Raises:
            httpx2.TransportError: none came in time, or none that is HTTP. The request may have arrived.
        """
        import httpx2

        reply = self._reply = Reply(bodiless=bodiless)
        self._transport.write(request)
        while self._is_full and reply.head is None:
            await self._wait(write_s, httpx2.WriteTimeout)
        while reply.head is None:
            await self._wait(read_s, httpx2.ReadTimeout)
        return reply.head

    async def read(self, read_s: float | None) -> bytes:
        """What has come of the body, at least a byte. Empty: it has ended.

        Raises:
            httpx2.TransportError: it broke off, or nothing came in time.
        """
        reply = self._asked()
        while not (reply.size or reply.is_whole):
            import httpx2

            await self._wait(read_s, httpx2.ReadTimeout)
        body = reply.take()
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        return body

    def release(self) -> bool:
        """Whoever asked is done. False: it was not read to its end or takes no other request, and is closed."""
        reply = self._asked()
        self._reply = None
        if reply.is_whole and not (reply.is_last or reply.size or self._is_full or self._transport.is_closing()):
            return True
        self.close()
        return False

    def close(self) -> None:
        """At once."""
        self._transport.abort()

    def _asked(self) -> Reply:
        if self._reply is None:
            raise RuntimeError("nothing was asked on this connection")
        return self._reply

    async def _wait(self, within_s: float | None, late: Callable[[str], Exception]) -> None:
        """Until something happens. Who is cancelled in it has given up the answer."""
        if self._fault is not None:
            raise self._fault
        self._waiter = self._loop.create_future()
        timer = None if within_s is None else self._loop.call_later(within_s, self._break, late("no answer in time"))
        try:
            await self._waiter
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _break(self, fault: Exception) -> None:
        if self._fault is None:
            self._fault = fault
        self.close()
        self._wake()

    # --- what the loop tells ---

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(high=0)
        self._watched.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._wake()

    def data_received(self, data: bytes) -> None:
        reply = self._reply
        if reply is None:
            self.close()
            return
        try:
            reply.feed(data)
        except Unreadable as exc:
            self._break(_not_http(exc))
            return
        if reply.size > HELD_BYTES and not reply.is_whole:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        if self._reply is not None:
            self._reply.end()
        self._break(_not_http("it ended before its answer did"))

    def connection_lost(self, exc: Exception | None) -> None:
        import httpx2

        self._break(httpx2.ReadError(str(exc or "the connection was closed")))
        self.ended.set_result(None)
        self._gone(self)


def _not_http(told: object) -> Exception:
    import httpx2

    return httpx2.RemoteProtocolError(str(told))
