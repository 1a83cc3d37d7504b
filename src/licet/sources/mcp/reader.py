"""What a server's process says, as the read stream that the SDK's client takes."""

import asyncio
import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING

from .child import Child
from .frames import Frames
from .limits import McpLimits
from .lines import Lines, TooLong

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_CHUNK = 64 * 1024
_HIGH = 1024 * 1024
"""Bytes of whole lines that wait to be taken; then the pipe waits."""
_LINE = 64
"""Bytes that a line takes beside its own."""
_IN_A_ROW = 32
"""Messages that are handed on before others may run: the SDK begins a task for each, and they have to end too."""
_LAST_WORDS_S = 0.2
"""How long a pipe is read on whose process has ended while something else still holds it."""


class Reader:
    """Messages in order. It ends with the pipe, or soon after the process."""

    def __init__(self, child: Child, frames: Frames, limits: McpLimits) -> None:
        self._loop = asyncio.get_running_loop()
        self._child = child
        self._frames = frames
        self._limits = limits
        self._lines = Lines(limits.line_bytes)
        self._waiting: deque[bytes | TooLong | SessionMessage] = deque()
        self._held = self._row = 0
        self._woken: asyncio.Future[None] | None = None
        self._reads = self._is_draining = self._is_ended = self._is_detached = False
        self._pidfd = _pidfd(child.pid)
        self._watch()
        self._loop.add_reader(child.stderr.fileno(), self._hear)
        if self._pidfd >= 0:
            self._loop.add_reader(self._pidfd, self._exited)

    async def receive(self) -> "SessionMessage | Exception":
        import anyio

        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    def __aiter__(self) -> "Reader":
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        while not self._waiting:
            if self._is_ended:
                raise StopAsyncIteration
            self._row = 0
            self._woken = self._loop.create_future()
            await self._woken
        self._row += 1
        if self._row % _IN_A_ROW == 0:
            await asyncio.sleep(0)
        line = self._waiting.popleft()
        if isinstance(line, bytes):
            self._held -= len(line) + _LINE
            if not self._reads and self._held <= _HIGH // 2 and not self._is_ended:
                self._watch()
            return self._frames.read(line)
        return self._frames.too_long(line) if isinstance(line, TooLong) else line

    def say(self, message: "SessionMessage") -> None:
        """A message as if it had come."""
        self._waiting.append(message)
        self._wake()

    async def aclose(self) -> None:
        """Nobody listens any more. The pipe is still emptied: a server that cannot write does not end either."""
        self._is_draining = self._is_ended = True
        self._waiting.clear()
        self._held = 0
        self._wake()
        self._watch()

    async def __aenter__(self) -> "Reader":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def end(self) -> None:
        """The stream ends after what was read, whatever else comes."""
        self._is_ended = True
        self._unwatch()
        self._wake()

    def detach(self) -> None:
        """Let go of the event loop, before the pipes are closed."""
        self.end()
        self._is_detached = True
        self._loop.remove_reader(self._child.stderr.fileno())
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    def _watch(self) -> None:
        if not self._reads and not self._child.stdout.closed:
            self._reads = True
            self._loop.add_reader(self._child.stdout.fileno(), self._readable)

    def _unwatch(self) -> None:
        if self._reads:
            self._reads = False
            self._loop.remove_reader(self._child.stdout.fileno())

    def _readable(self) -> None:
        try:
            chunk = os.read(self._child.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.end()
            return
        if self._is_draining:
            return
        for line in self._lines.feed(chunk):
            self._waiting.append(line)
            self._held += len(line) + _LINE if isinstance(line, bytes) else 0
        if self._held > _HIGH:
            self._unwatch()
        if self._waiting:
            self._wake()

    def _hear(self) -> None:
        heard = self._child.hear()
        if heard == 0:
            return
        stderr = self._child.stderr.fileno()
        self._loop.remove_reader(stderr)
        if heard > 0:  # a pipe of it at a time, and then others: who floods it waits
            self._loop.call_later(heard / (10 * self._limits.junk_bytes), self._hear_again)

    def _hear_again(self) -> None:
        if not self._is_detached:
            self._loop.add_reader(self._child.stderr.fileno(), self._hear)

    def _exited(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._loop.call_later(_LAST_WORDS_S, self.end)

    def _wake(self) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)


def _pidfd(pid: int) -> int:
    """A descriptor that is readable once the process ended, or -1 where there are none."""
    with contextlib.suppress(AttributeError, OSError):
        return os.pidfd_open(pid)
    return -1
