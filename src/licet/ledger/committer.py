"""Group commit: many callers stand in line, one thread writes whatever is in line as one transaction."""

import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING, Generic, TypeVar

from ..errors import LedgerUnavailableError
from .batch import Batch

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

Item = TypeVar("Item")

LIMIT_ITEMS = 8192
LIMIT_BYTES = 64 * 1024 * 1024


class Committer(Generic[Item]):
    """Hands batches to ``write``, one after the other, from a thread of its own.

    The first failure is final: whatever waits is refused, and so is everything that comes later. There is no polling: a
    batch is announced once and takes in what comes until the thread fetches it. On an event loop it is announced when
    the callbacks that are due have had their turn, so that everybody woken by one commit is part of the next.
    """

    def __init__(self, write: Callable[[list[Item]], None], name: str) -> None:
        self._write = write
        self._lock = Lock()
        self._queue: SimpleQueue[Batch[Item] | None] = SimpleQueue()
        self._line = self._next_line()
        self._writing: Batch[Item] | None = None
        self._refusal: str | None = None
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, item: Item, size_bytes: int, *, wait: bool) -> Batch[Item] | None:
        """Stand in line. Gives what to wait for if asked to, or if the line is too long.

        Raises LedgerUnavailableError: an earlier batch failed, or the committer was closed.
        """
        with self._lock:
            if self._refusal is not None:
                raise LedgerUnavailableError(self._refusal)
            line = self._line
            line.items.append(item)
            line.size_bytes += size_bytes
            if not line.announced:
                self._announce_soon(line)
        if wait or len(line.items) > LIMIT_ITEMS or line.size_bytes > LIMIT_BYTES:
            return line
        return None

    def in_line(self) -> list[Item]:
        """What is not yet acknowledged, oldest first. Raises LedgerUnavailableError, as ``put`` does."""
        with self._lock:
            if self._refusal is not None:
                raise LedgerUnavailableError(self._refusal)
            writing = self._writing.items if self._writing is not None else []
            return [*writing, *self._line.items]

    def flush(self) -> None:
        """Wait until what is in line now is acknowledged. Raises LedgerUnavailableError, as ``put`` does."""
        with self._lock:
            if self._refusal is not None:
                raise LedgerUnavailableError(self._refusal)
            last = self._line if self._line.items else self._writing
        if last is not None:
            last.wait()

    def _announce_soon(self, line: Batch[Item]) -> None:
        loop = _running_loop()
        if loop is None or line.loop not in (None, loop):
            line.announce()
        elif line.loop is None:
            line.loop = loop
            loop.call_soon(line.announce)

    def close(self, refusal: str) -> None:
        """Write what is in line, then end the thread; later callers get ``refusal``.

        Raises LedgerUnavailableError: what was in line was not acknowledged, and this is the first to say so.
        """
        with self._lock:
            first = self._refusal is None
            if first:
                self._refusal = refusal
        self._line.announce()
        self._queue.put(None)
        if self._thread is not current_thread():
            self._thread.join()
        if first and self._refusal != refusal:
            raise LedgerUnavailableError(self._refusal or refusal)

    def refuse_after_fork(self, refusal: str) -> None:
        """Give up in the child of a fork: the thread was left behind there, and maybe the lock held by it."""
        self._lock = Lock()
        self._refusal = refusal
        for batch in (self._line, self._writing):
            if batch is not None:
                batch.lock = self._lock
                batch.settle_quietly(refusal)

    def _next_line(self) -> Batch[Item]:
        return Batch(self._lock, self._queue.put)

    def _run(self) -> None:
        while (batch := self._queue.get()) is not None:
            with self._lock:
                if batch is not self._line:  # announced twice
                    continue
                self._line = self._next_line()
                self._writing = batch
            try:
                if batch.items:
                    self._write(batch.items)
            except BaseException as exc:
                self._fail(batch, str(exc))
                return
            with self._lock:
                self._writing = None
            batch.settle()

    def _fail(self, batch: Batch[Item], refusal: str) -> None:
        with self._lock:
            self._refusal = refusal
            self._writing = None
            stranded = self._line
        batch.settle(refusal)
        stranded.settle(refusal)


def _running_loop() -> "AbstractEventLoop | None":
    """The loop of this thread, without loading asyncio where nobody did."""
    events = sys.modules.get("asyncio.events")
    return events._get_running_loop() if events is not None else None


__all__ = ["Committer"]
