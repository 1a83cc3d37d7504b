"""Group commit: many callers stand in line, one thread writes whatever is in line as one transaction."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread, current_thread
from typing import Generic, TypeVar

from ..errors import LedgerUnavailableError
from .batch import Batch

Item = TypeVar("Item")

LIMIT_ITEMS = 8192
LIMIT_BYTES = 64 * 1024 * 1024

GATHER_S = 0.02
"""How long items gather that nobody waits for, so that many share one transaction."""
GATHER_ITEMS = 512


class Committer(Generic[Item]):
    """Hands batches to ``write``, one after the other, from a thread of its own.

    The first failure is final: whatever waits is refused, and so is everything that comes later. There is no polling:
    a batch is announced once, by its first item, and takes in what comes until the thread fetches it, which is at once
    if somebody waits.
    """

    def __init__(self, write: Callable[[list[Item]], None], name: str) -> None:
        self._write = write
        self._lock = Lock()
        self._queue: SimpleQueue[Batch[Item] | None] = SimpleQueue()
        self._line: Batch[Item] = Batch(self._lock)
        self._writing: Batch[Item] | None = None
        self._hurry = Event()
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
            if not line.items:  # announced before it is filled: an interrupt in between strands nobody
                self._queue.put(line)
            line.items.append(item)
            line.size_bytes += size_bytes
            if (wait or len(line.items) >= GATHER_ITEMS) and not self._hurry.is_set():
                self._hurry.set()
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
            self._hurry.set()
        if last is not None:
            last.wait()

    def close(self, refusal: str) -> None:
        """Write what is in line, then end the thread; later callers get ``refusal``.

        Raises LedgerUnavailableError: what was in line was not acknowledged, and this is the first to say so.
        """
        with self._lock:
            first = self._refusal is None
            if first:
                self._refusal = refusal
            self._hurry.set()
        self._queue.put(None)
        if self._thread is not current_thread():
            self._thread.join()
        if first and self._refusal != refusal:
            raise LedgerUnavailableError(self._refusal or refusal)

    def refuse_after_fork(self, refusal: str) -> None:
        """Give up in the child of a fork: the thread was left behind there, and maybe the lock held by it."""
        self._lock = Lock()
        self._hurry = Event()
        self._refusal = refusal
        for batch in (self._line, self._writing):
            if batch is not None:
                batch.lock = self._lock
                batch.settle_quietly(refusal)

    def _run(self) -> None:
        while (batch := self._queue.get()) is not None:
            self._hurry.wait(GATHER_S)
            with self._lock:
                if batch is not self._line:  # announced twice
                    continue
                self._hurry.clear()
                self._line = Batch(self._lock)
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


__all__ = ["Committer"]
