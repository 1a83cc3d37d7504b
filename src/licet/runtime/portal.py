"""One thread with an event loop, for callers that have none to spare."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..errors import ConfigurationError

T = TypeVar("T")


class Portal:
    """Runs coroutines for blocked threads, also for a thread whose own loop is running and has to wait."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="licet-portal", daemon=True)
        self._thread.start()

    def run(self, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The coroutine's value. Raises ConfigurationError: the portal cannot wait for itself."""
        if threading.get_ident() == self._thread.ident:
            raise ConfigurationError(
                "the blocking door was called from the runtime's own thread; await the call instead"
            )
        ended = threading.Lock()
        ended.acquire()
        tasks: list[asyncio.Task[T]] = []

        def begin() -> None:
            task = self._loop.create_task(start())
            tasks.append(task)
            task.add_done_callback(lambda _: ended.release())

        self._loop.call_soon_threadsafe(begin)
        try:
            ended.acquire()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(lambda: tasks and tasks[0].cancel())
            raise
        return tasks[0].result()

    def close(self) -> None:
        """Stop the loop and wait for its thread."""
        if self._thread.is_alive() and threading.get_ident() != self._thread.ident:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            pending = asyncio.all_tasks(self._loop)
            for task in pending:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
            self._loop.close()
