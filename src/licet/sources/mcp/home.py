"""The event loop that a connection lives on, and the way there from others."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from .errand import Listener

T = TypeVar("T")


class HomeEnded(Exception):  # noqa: N818 - what happened
    """Something was under way on a loop that ended."""


class Home:
    """It is settled by the first use. When that loop has ended, by the next."""

    __slots__ = ("_lock", "_loop")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def is_here(self) -> bool:
        """Whether it is the loop that runs now."""
        return self._loop is not None and self._loop is asyncio._get_running_loop()

    async def run(self, start: Callable[[], Awaitable[T]], moved: Callable[[], None]) -> T:
        """What the coroutine gives at home. A cancellation reaches it there.

        ``moved`` is called before it, on the new loop, when the old one has ended.

        Raises:
            HomeEnded: the loop ended meanwhile.
        """
        while True:
            home = self._settled(moved)
            if self.is_here():
                return await start()
            away = _started(start)
            try:
                future = asyncio.run_coroutine_threadsafe(away, home)
            except RuntimeError:  # it was closed in this very moment
                away.close()
                continue
            try:
                return await asyncio.wrap_future(future)
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                raise HomeEnded from None

    def _settled(self, moved: Callable[[], None]) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed() or not self._loop.is_running():
                was, self._loop = self._loop, asyncio.get_running_loop()
                if was is not None:
                    moved()
            return self._loop

    def carried(self, listener: Listener | None) -> Listener | None:
        """The same listener, called on the loop that runs now from wherever it is told something."""
        if listener is None:
            return None
        here = asyncio.get_running_loop()
        if self._loop is here:
            return listener

        def tell(progress: float, total: float | None, message: str | None) -> None:
            if not here.is_closed():
                here.call_soon_threadsafe(listener, progress, total, message)

        return tell


async def _started(start: Callable[[], Awaitable[T]]) -> T:
    return await start()


def is_cancelled() -> bool:
    """Whether somebody wants the task that runs now to end, rather than something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def is_from_outside(exc: BaseException) -> bool:
    """Whether it ends the task that runs now, and is no word on what that task waited for."""
    if isinstance(exc, asyncio.CancelledError):
        return is_cancelled()
    return not isinstance(exc, Exception | BaseExceptionGroup)
