"""What is said to a server's process, as the write stream that the SDK's client takes."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from .child import Child
from .frames import Frames

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_UNREAD = 1024
"""Messages that wait for the server to read them."""


class Writer:
    """Writes at once what the pipe takes, and the rest as it takes it. What has to wait has not begun."""

    def __init__(self, child: Child, frames: Frames, broke: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._child = child
        self._frames = frames
        self._broke = broke
        self._left = memoryview(b"")
        self._queue: deque[bytes] = deque()
        self._room: asyncio.Future[None] | None = None
        self._is_closed = self._wrote = False

    async def send(self, item: "SessionMessage", /) -> None:
        """Raises anyio.ClosedResourceError: it was closed, and nothing was written."""
        import anyio

        is_request = getattr(item.message, "id", None) is not None and hasattr(item.message, "method")
        while self._left and is_request and not self._is_closed:  # answers and cancellations never wait
            if self._room is None:
                self._room = self._loop.create_future()
            await asyncio.shield(self._room)
        if self._is_closed:
            raise anyio.ClosedResourceError
        if len(self._queue) >= _UNREAD:  # it asks and asks, and never reads the answers
            self._break()
            raise anyio.ClosedResourceError
        self._queue.append(self._frames.write(item))
        if not self._left and not self._wrote:  # what else is sent before others have run goes out together
            self._wrote = True
            self._loop.call_soon(self._rest)
            if not self._flush():
                raise anyio.ClosedResourceError

    async def aclose(self) -> None:
        """The end of the server's input. What the pipe did not take by now is not sent."""
        self._is_closed = True
        self._queue.clear()
        self._left = memoryview(b"")
        self._free()
        if not self._child.stdin.closed:
            self._loop.remove_writer(self._child.stdin.fileno())

    async def __aenter__(self) -> "Writer":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _rest(self) -> None:
        self._wrote = False
        if self._queue and not self._left and not self._is_closed:
            self._flush()

    def _flush(self) -> bool:
        """False: the server closed its input, and not a byte of what was to be written reached it."""
        descriptor = self._child.stdin.fileno()
        wrote = 0
        try:
            while self._left or self._queue:
                if not self._left:
                    self._left = memoryview(b"".join(self._queue))
                    self._queue.clear()
                wrote = os.write(descriptor, self._left)
                self._left = self._left[wrote:]
        except BlockingIOError:
            self._loop.add_writer(descriptor, self._flush)
            return True
        except OSError:  # what it still says is of no use without
            self._break()
        self._loop.remove_writer(descriptor)
        self._free()
        return wrote > 0 or not self._is_closed

    def _break(self) -> None:
        self._is_closed = True
        self._queue.clear()
        self._left = memoryview(b"")
        self._broke()

    def _free(self) -> None:
        if self._room is not None:
            self._room.set_result(None)
            self._room = None
