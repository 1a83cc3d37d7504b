"""What a client says before the SDK is there: it is kept, in order, with what it was answered."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .pipes import Pipes, lines, write
from .strictly import MAX_MESSAGE

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from .early import Early

QUIET_S = 0.02
"""A client that says nothing for so long has asked what it had to ask: an import would have kept it waiting."""

_END: Final = object()


class Heard(NamedTuple):
    """A line, None in place of one that is too long, and the answer that its client has; None: the SDK answers it."""

    line: bytes | None
    answer: bytes | None


class Opening:
    """The lines of one client, from its first."""

    def __init__(self, pipes: Pipes) -> None:
        self.heard: deque[Heard] = deque()
        self._pipes = pipes
        self._incoming = lines(pipes.into, MAX_MESSAGE)
        self._reading: asyncio.Task[Any] | None = None

    async def loaded(self, early: "Early", load: "Callable[[], Awaitable[Server[Any]]]") -> "Server[Any] | None":
        """The server, once something needs it or nobody asks anything; answers what it can until then.

        None: the client is gone, and nothing is owed to it.
        """
        loading: asyncio.Future[Server[Any]] | None = None
        is_over = False
        try:
            while True:
                if self._reading is None and not is_over:
                    self._reading = asyncio.create_task(self._line())
                waited = [task for task in (self._reading, loading) if task is not None]
                patience = QUIET_S if loading is None else None
                done, _ = await asyncio.wait(waited, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if loading is not None and loading in done:
                    return loading.result()
                if self._reading in done:
                    line, self._reading = self._reading.result(), None
                    if line is _END:
                        return None
                    is_over = not await self._answered(early, line)
                if loading is None and (is_over or not done):
                    loading = asyncio.ensure_future(load())
        except (asyncio.CancelledError, OSError) as exc:  # it has to stop, or nobody reads the answers
            if self._reading is not None:
                self._reading.cancel()
            if isinstance(exc, OSError):
                return None
            raise
        finally:
            if loading is not None:
                loading.cancel()

    async def rest(self) -> AsyncIterator[bytes | None]:
        """The lines after those that were heard."""
        if self._reading is not None:
            line = await self._reading
            if line is _END:
                return
            yield line
        async for line in self._incoming:
            yield line

    async def _answered(self, early: "Early", line: bytes | None) -> bool:
        answer = early.answer(line)
        self.heard.append(Heard(line, answer))
        if answer:
            await write(self._pipes.out, answer + b"\n")
        return answer is not None

    async def _line(self) -> Any:
        return await anext(self._incoming, _END)


__all__ = ["Heard", "Opening"]
