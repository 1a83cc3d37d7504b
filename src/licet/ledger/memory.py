"""A ledger that lasts as long as the process: for tests, and for runs that nobody has to answer for."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from threading import Lock

from ..errors import ConfigurationError, LedgerUnavailableError
from ..model.entry import CallRecord, Draft, Entry
from ..ports import Receipt
from .call import NOTHING, REQUESTED, call_of, extend
from .chain import START, Fields, Place, linked
from .run import RunSummary, summarise

_LINKED_AT_ONCE = 256
_AN_END, _A_CALL, _A_TOOL = b'{"call":"', b',"call":"', b'","tool":"'
_new = tuple.__new__


class MemoryLedger:
    """Keeps the last ``limit_entries`` entries; what is older is dropped and its head stays as the ``anchor``.

    Safe to share between threads. There is no storage to wait for, so ``append`` gives None whether or not ``durable``.
    Drafts are linked a few at a time, and before anybody looks: hashing in a row costs two thirds of one by one.
    """

    def __init__(self, limit_entries: int = 10_000) -> None:
        """Raises ConfigurationError: the limit is not positive."""
        if limit_entries < 1:
            raise ConfigurationError(f"limit_entries must be at least 1, not {limit_entries}")
        self._lock = Lock()
        self._limit = limit_entries
        self._line: deque[Draft] = deque()
        # Plain tuples in the fields of an Entry: the garbage collector looks at those once and never again. One more
        # than the limit: once the deque drops entries, the oldest that it still holds is only the anchor.
        self._kept: deque[Fields] = deque(maxlen=limit_entries + 1)
        self._closed = False
        self._index: dict[str, CallRecord] = {}
        self._indexed_seq = 0
        # Ids of calls that the index does not hold yet, and how far the line was read for them: most ids that are asked
        # for are new, and then nothing has to be linked.
        self._unindexed: set[bytes] = set()
        self._noted_seq = 0

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        """Take the entry. Raises LedgerUnavailableError: the ledger was closed, or some text is not UTF-8."""
        if self._closed:
            raise LedgerUnavailableError("this ledger in memory was closed: open another one")
        # Bytes are hashed as they are, so nothing later would notice; names are encoded then, and ``_link`` would.
        _, _, actor, body, trace = draft
        if not (actor.isascii() and body.isascii() and trace.isascii()):
            _must_be_utf8(draft)
        line = self._line
        line.append(draft)
        if len(line) >= _LINKED_AT_ONCE:
            self.flush()
        return None

    def flush(self) -> None:
        """Link what is in line."""
        with self._lock:
            self._link()

    def find(self, call_id: str, /) -> CallRecord:
        """What the kept entries tell of a call id."""
        with self._lock:
            self._note_new_ids()
            if call_id.encode("utf-8", "replace") not in self._unindexed and call_id not in self._index:
                return NOTHING
            self._link()
            self._bring_index_up_to_date()
            record = self._index.get(call_id, NOTHING)
            oldest = self._anchor().seq + 1
        opened, closed = (entry if entry and entry.seq >= oldest else None for entry in record)
        return CallRecord(opened, closed)

    def entries(self, run_id: str | None = None, /) -> Iterator[Entry]:
        """The kept entries in order, of one run or all, as they stand now."""
        with self._lock:
            self._link()
            kept = list(islice(self._kept, len(self._kept) > self._limit, None))
        return (_new(Entry, fields) for fields in kept if run_id is None or fields[1] == run_id)

    def runs(self) -> list[RunSummary]:
        """The runs of the kept entries, oldest first."""
        return summarise((e.run_id, e.kind, e.actor, call_of(e.kind, e.body.decode()), e.trace) for e in self.entries())

    def unknown(self, run_id: str | None = None, /) -> tuple[Entry, ...]:
        """The beginnings of calls that have no end: under way, or of an effect that nobody knows."""
        with self._lock:
            self._link()
            self._bring_index_up_to_date()
            oldest = self._anchor().seq + 1
            begun = [record.opened for record in self._index.values() if record.closed is None]
        return tuple(e for e in begun if e and e.seq >= oldest and run_id in (None, e.run_id))

    @property
    def head(self) -> bytes:
        with self._lock:
            self._link()
            return self._last().head

    @property
    def anchor(self) -> Place:
        """Where the chain stood before the oldest kept entry: ``verify(ledger.entries(), start=ledger.anchor)``."""
        with self._lock:
            self._link()
            return self._anchor()

    def close(self) -> None:
        """Refuse further entries. What was kept stays readable."""
        with self._lock:
            self._closed = True
            self._link()

    def _anchor(self) -> Place:
        if len(self._kept) <= self._limit:
            return START
        return Place(self._kept[0][0], self._kept[0][-1])

    def _link(self) -> None:
        """Give each draft in line its place. Popping is atomic, so none is lost to a thread that appends meanwhile."""
        taken = [self._line.popleft() for _ in range(len(self._line))]
        before = self._last().seq
        try:
            self._kept.extend(linked(self._last(), taken))
        except UnicodeError as exc:
            self._closed = True  # it cannot be hashed, so nothing may come after it; what stood beside it stays
            self._line.extendleft(reversed(taken[self._last().seq - before + 1 :]))
            raise LedgerUnavailableError(f"an entry needs text in UTF-8: {exc}") from exc

    def _last(self) -> Place:
        return Place(self._kept[-1][0], self._kept[-1][-1]) if self._kept else START

    def _note_new_ids(self) -> None:
        """Read the ids of what came since the last question, where it stands. Others append to the line meanwhile."""
        kept, line, noted = self._kept, self._line, self._unindexed
        linked_seq, count = kept[-1][0] if kept else 0, len(line)
        first = self._noted_seq - linked_seq
        if first < 0:
            for fields in islice(reversed(kept), min(-first, len(kept))):
                noted.add(_id_of(fields[2], fields[4]))
            first = 0
        for place in range(first, count):
            _, kind, _, body, _ = line[place]
            noted.add(_id_of(kind, body))
        self._noted_seq = linked_seq + count
        if len(noted) > 2 * self._limit + _LINKED_AT_ONCE:  # most are of entries that are not kept any more
            self._link()
            self._unindexed = {_id_of(fields[2], fields[4]) for fields in kept}

    def _bring_index_up_to_date(self) -> None:
        """Index what came since the last question: writers never pay for readers."""
        index = self._index
        last_seq = self._last().seq
        missing = min(last_seq - self._indexed_seq, len(self._kept))
        for fields in reversed(list(islice(reversed(self._kept), missing))):
            entry = _new(Entry, fields)
            if (call_id := call_of(entry.kind, entry.body.decode())) is not None:
                index[call_id] = extend(index.get(call_id, NOTHING), entry)
        self._indexed_seq = self._noted_seq = last_seq
        self._unindexed.clear()
        oldest = self._anchor().seq + 1
        while index:
            call_id, record = next(iter(index.items()))
            last = record.closed or record.opened
            if last is not None and last.seq >= oldest:
                break
            del index[call_id]


def _id_of(kind: str, body: bytes) -> bytes:
    """The call id that an entry belongs to, or nothing: as ``call_of`` says it, and mostly without a pattern."""
    found = b"\\"
    if kind == REQUESTED and (begin := body.rfind(_A_CALL)) >= 0:
        told, _, tool = body[begin + len(_A_CALL) :].partition(_A_TOOL)
        if tool.find(b'"}') == len(tool) - 2 >= 0:  # nothing comes behind the tool
            found = told
    elif kind != REQUESTED and body.startswith(_AN_END):
        found = body[len(_AN_END) : body.find(b'"', len(_AN_END))]
    return found if b"\\" not in found else (call_of(kind, body.decode()) or "").encode()


def _must_be_utf8(draft: Draft) -> None:
    try:
        for text in (draft.run_id, draft.kind, draft.actor):
            text.encode()
        draft.body.decode()
        draft.trace.decode()
    except UnicodeError as exc:
        raise LedgerUnavailableError(f"an entry needs text in UTF-8: {exc} (kind {draft.kind!r})") from exc


__all__ = ["MemoryLedger"]
