"""Group commit: many callers stand in line, one thread writes whatever is in line, batch by batch."""

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread, current_thread
from typing import Generic, TypeVar

from ..errors import LedgerUnavailableError
from .batch import Batch

Item = TypeVar("Item")
Ready = TypeVar("Ready")

BATCH_ITEMS = 256
"""How many items one transaction takes. With more in line, one batch is written while those who waited for the one
before go on and fill the next."""

LIMIT_ITEMS = 8192
LIMIT_BYTES = 64 * 1024 * 1024

GATHER_S = 0.02
"""How long items gather that nobody waits for, so that many share one transaction."""


class Committer(Generic[Item, Ready]):
    """Hands batches to ``prepare`` and what that gives to ``write``, one after the other, from a thread of its own.

    ``write`` leaves the interpreter's lock to others while it waits. Therefore, where another batch is in line already,
    whoever waited for the last one is told when that other one is prepared, and goes on while it is written. Told
    before, they would take the lock first, and nothing would be written meanwhile.

    The first failure is final: whatever waits is refused, and so is everything that comes later. There is no polling:
    a batch is announced once, by its first item, and takes in what comes until it is full or the thread fetches it,
    which is at once if somebody waits.
    """

    def __init__(self, prepare: Callable[[list[Item]], Ready], write: Callable[[Ready], None], name: str) -> None:
        self._prepare = prepare
        self._write = write
        self._lock = Lock()
        self._announced: SimpleQueue[bool] = SimpleQueue()  # True for a batch, False for the end
        self._line: deque[Batch[Item]] = deque()  # all but the last are full
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
            if not line or len(line[-1].items) >= BATCH_ITEMS:
                line.append(Batch(self._lock))
            batch = line[-1]
            if not batch.items:  # announced before it is filled: an interrupt in between strands nobody
                self._announced.put(True)
            batch.items.append(item)
            batch.size_bytes += size_bytes
            if (wait or len(batch.items) >= BATCH_ITEMS) and not self._hurry.is_set():
                self._hurry.set()
            return batch if wait or self._is_long() else None

    def in_line(self) -> list[Item]:
        """What is not yet acknowledged, oldest first. Raises LedgerUnavailableError, as ``put`` does."""
        with self._lock:
            if self._refusal is not None:
                raise LedgerUnavailableError(self._refusal)
            return [item for batch in self._unwritten() for item in batch.items]

    def flush(self) -> None:
        """Wait until what is in line now is acknowledged. Raises LedgerUnavailableError, as ``put`` does."""
        with self._lock:
            if self._refusal is not None:
                raise LedgerUnavailableError(self._refusal)
            last = next((batch for batch in reversed(self._unwritten()) if batch.items), None)
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
        self._announced.put(False)
        if self._thread is not current_thread():
            self._thread.join()
        if first and self._refusal != refusal:
            raise LedgerUnavailableError(self._refusal or refusal)

    def refuse_after_fork(self, refusal: str) -> None:
        """Give up in the child of a fork: the thread was left behind there, and maybe the lock held by it."""
        self._lock = Lock()
        self._hurry = Event()
        self._refusal = refusal
        for batch in self._unwritten():
            batch.lock = self._lock
            batch.settle_quietly(refusal)

    def _is_long(self) -> bool:
        items = (len(self._line) - 1) * BATCH_ITEMS + len(self._line[-1].items)
        return items > LIMIT_ITEMS or sum(batch.size_bytes for batch in self._line) > LIMIT_BYTES

    def _unwritten(self) -> list[Batch[Item]]:
        """Oldest first."""
        writing = [self._writing] if self._writing is not None else []
        return [*writing, *self._line]

    def _run(self) -> None:
        written: Batch[Item] = Batch(self._lock)  # those who wait for it may not know yet
        while self._announced.get():
            self._hurry.wait(GATHER_S)
            batch = self._take()
            if batch is None:  # announced twice, or not filled yet
                continue
            try:
                ready = self._prepare(batch.items)
                written.settle()
                self._write(ready)
            except BaseException as exc:
                written.settle()
                self._fail(str(exc))
                return
            written = batch
            if not self._others_wait_behind():
                written.settle()

    def _take(self) -> Batch[Item] | None:
        with self._lock:
            if not self._line or not self._line[0].items:
                return None
            if len(self._line) == 1:
                self._hurry.clear()
            self._writing = self._line.popleft()
            return self._writing

    def _others_wait_behind(self) -> bool:
        """The batch in hand is written: is there another one to be written at once?"""
        with self._lock:
            self._writing = None
            return bool(self._line) and self._hurry.is_set()

    def _fail(self, refusal: str) -> None:
        with self._lock:
            self._refusal = refusal
            stranded = self._unwritten()
            self._writing = None
        for batch in stranded:
            batch.settle(refusal)


__all__ = ["BATCH_ITEMS", "Committer"]
