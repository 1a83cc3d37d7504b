"""Threads for synchronous handlers: bounded, and daemons, so that a hung handler never holds the interpreter's exit."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from ..errors import CallAbortedError
from .lane import Ended, Flight


class _Job:
    __slots__ = ("answer", "context", "flight", "loop", "work")

    def __init__(self, work: Callable[[], Any], loop: asyncio.AbstractEventLoop, flight: Flight | None) -> None:
        self.work = work
        self.loop = loop
        self.flight = flight
        self.answer: asyncio.Future[Any] = loop.create_future()
        self.context = contextvars.copy_context()

    def run(self) -> None:
        if self.flight is not None and not self.flight.begin():
            return  # ended while it waited for a thread
        try:
            value, raised = self.context.run(self.work), None
        except BaseException as exc:  # a handler's SystemExit ends the call, not the thread
            value, raised = None, exc
        try:
            self.loop.call_soon_threadsafe(self._settle, self.answer, value, raised)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more
        finally:
            del value, raised, self.answer  # what is raised holds this frame, and all of it would wait for a collector

    @staticmethod
    def _settle(answer: "asyncio.Future[Any]", value: Any, raised: BaseException | None) -> None:
        if answer.done():
            return  # late: the call ended without it
        if raised is None:
            answer.set_result(value)
        elif isinstance(raised, StopIteration | GeneratorExit):  # a coroutine takes these for its own
            answer.set_exception(RuntimeError(f"the handler raised {type(raised).__name__}"))
        else:
            answer.set_exception(raised)


class Workers:
    """Starts a thread only when none is idle, up to ``limit``; more work waits in line under its own deadline."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._threads = 0
        self._closed = False

    def run(self, work: Callable[[], Any], flight: Flight | None = None) -> "asyncio.Future[Any]":
        """The answer of ``work``, on a thread, in the caller's context variables."""
        if flight is not None:
            flight.line = [None]
        job = _Job(work, asyncio.get_running_loop(), flight)
        with self._lock:
            if self._closed:
                raise Ended(CallAbortedError("the runtime is closed", reason="not_started"), nothing_started=True)
            if self._idle:
                self._idle -= 1
            elif self._threads < self._limit:
                self._threads += 1
                threading.Thread(target=self._serve, name=f"licet-worker-{self._threads}", daemon=True).start()
        answer = job.answer
        self._queue.put(job)
        return answer

    def close(self) -> None:
        """Let idle threads go; one that hangs in a handler ends with its handler."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in range(self._threads):
                    self._queue.put(None)

    def _serve(self) -> None:
        while (job := self._queue.get()) is not None:
            job.run()
            del job  # an idle thread keeps nothing of the last call alive
            with self._lock:
                self._idle += 1
