"""One thread with an event loop, for callers that have none to spare."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..errors import ConfigurationError

T = TypeVar("T")

PATIENCE_S = 5.0
"""How long ``close`` waits for handlers that do not end when they are cancelled; the thread holds no exit."""


class Portal:
    """Runs coroutines for blocked threads, also for a thread whose own loop is running and has to wait."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="licet-portal", daemon=True)
        self._thread.start()

    def run(self, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The coroutine's value, or what it raised: also an interrupt, which ends nobody else's call.

        Raises:
            ConfigurationError: the portal cannot wait for itself, or it was closed before or meanwhile.
        """
        if threading.get_ident() == self._thread.ident:
            raise ConfigurationError(
                "the blocking door was called from the runtime's own thread; await the call instead"
            )
        ended = threading.Lock()
        ended.acquire()
        tasks: list[asyncio.Task[None]] = []
        values: list[T] = []
        errors: list[BaseException] = []

        async def carried() -> None:
            try:
                values.append(await start())
            except BaseException as exc:
                errors.append(exc)

        def begin() -> None:
            task = self._loop.create_task(carried())
            task.add_done_callback(lambda _: ended.release())  # also of one that was cancelled before its first step
            tasks.append(task)

        with self._lock:
            if self._closed:
                raise ConfigurationError("this runtime is closed; make another one")
            self._loop.call_soon_threadsafe(begin)
        try:
            ended.acquire()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(lambda: tasks and tasks[0].cancel())
            raise
        if values:
            return values.pop()  # the task's own frames, which a loop may keep for a while, hold the list
        if errors and not isinstance(errors[0], asyncio.CancelledError):
            raise errors[0]
        raise ConfigurationError("the runtime was closed while a call was under way")

    def close(self) -> None:
        """Cancel what is under way, stop the loop and wait for its thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.get_ident() != self._thread.ident:
            self._thread.join(PATIENCE_S)

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
