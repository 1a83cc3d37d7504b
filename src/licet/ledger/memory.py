"""A ledger that lasts as long as the process: for tests, and for runs that nobody has to answer for."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from threading import Lock

from ..errors import ConfigurationError, LedgerUnavailableError
from ..model.entry import CallRecord, Draft, Entry
from .call import NOTHING, call_of, extend
from .chain import START, Place, link
from .run import RunSummary, summarise


class MemoryLedger:
    """Keeps the last ``limit_entries`` entries; what is older is dropped and its head stays as the ``anchor``.

    Safe to share between threads. There is no storage to wait for, so ``append`` gives None whether or not ``durable``.
    """

    def __init__(self, limit_entries: int = 100_000) -> None:
        """Raises ConfigurationError: the limit is not positive."""
        if limit_entries < 1:
            raise ConfigurationError(f"limit_entries must be at least 1, not {limit_entries}")
        self._lock = Lock()
        self._limit = limit_entries
        # One more than the limit: once the deque drops entries, the oldest that it still holds is only the anchor.
        self._kept: deque[Entry] = deque(maxlen=limit_entries + 1)
        self._last: Place | Entry = START
        self._closed = False
        self._index: dict[str, CallRecord] = {}
        self._indexed_seq = 0

    def append(self, draft: Draft, /, *, durable: bool) -> None:
        """Link the entry. Raises LedgerUnavailableError: the ledger was closed, or some text is not UTF-8."""
        with self._lock:
            if self._closed:
                raise LedgerUnavailableError("this ledger in memory was closed: open another one")
            last = self._last
            try:
                entry = link(last[-1], last[0] + 1, draft)
            except UnicodeError as exc:
                raise LedgerUnavailableError(f"an entry needs text in UTF-8: {exc} (kind {draft.kind!r})") from exc
            self._kept.append(entry)
            self._last = entry

    def find(self, call_id: str, /) -> CallRecord:
        """What the kept entries tell of a call id."""
        with self._lock:
            self._bring_index_up_to_date()
            record = self._index.get(call_id, NOTHING)
            oldest = self._anchor().seq + 1
        opened, closed = (entry if entry and entry.seq >= oldest else None for entry in record)
        return CallRecord(opened, closed)

    def entries(self, run_id: str | None = None, /) -> Iterator[Entry]:
        """The kept entries in order, of one run or all, as they stand now."""
        with self._lock:
            kept = list(islice(self._kept, len(self._kept) > self._limit, None))
        return iter(kept if run_id is None else [entry for entry in kept if entry.run_id == run_id])

    def runs(self) -> list[RunSummary]:
        """The runs of the kept entries, oldest first."""
        return summarise((e.run_id, e.kind, e.actor, call_of(e.kind, e.body), e.trace) for e in self.entries())

    def unknown(self, run_id: str | None = None, /) -> tuple[Entry, ...]:
        """The beginnings of calls that have no end: under way, or of an effect that nobody knows."""
        with self._lock:
            self._bring_index_up_to_date()
            oldest = self._anchor().seq + 1
            begun = [record.opened for record in self._index.values() if record.closed is None]
        return tuple(e for e in begun if e and e.seq >= oldest and run_id in (None, e.run_id))

    @property
    def head(self) -> bytes:
        return self._last.head

    @property
    def anchor(self) -> Place:
        """Where the chain stood before the oldest kept entry: ``verify(ledger.entries(), start=ledger.anchor)``."""
        with self._lock:
            return self._anchor()

    def flush(self) -> None:
        """Nothing is ever in line."""

    def close(self) -> None:
        """Refuse further entries. What was kept stays readable."""
        with self._lock:
            self._closed = True

    def _anchor(self) -> Place:
        if len(self._kept) <= self._limit:
            return START
        return Place(self._kept[0].seq, self._kept[0].head)

    def _bring_index_up_to_date(self) -> None:
        """Index what came since the last question: writers never pay for readers."""
        index = self._index
        missing = min(self._last.seq - self._indexed_seq, len(self._kept))
        for entry in reversed(list(islice(reversed(self._kept), missing))):
            if (call_id := call_of(entry.kind, entry.body)) is not None:
                index[call_id] = extend(index.get(call_id, NOTHING), entry)
        self._indexed_seq = self._last.seq
        oldest = self._anchor().seq + 1
        while index:
            call_id, record = next(iter(index.items()))
            last = record.closed or record.opened
            if last is not None and last.seq >= oldest:
                break
            del index[call_id]


__all__ = ["MemoryLedger"]
