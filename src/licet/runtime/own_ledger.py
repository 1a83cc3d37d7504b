"""The ledger of a runtime that was given none: which call ids are new is known without a look."""

from threading import Lock

from ..errors import LedgerUnavailableError
from ..ledger.call import CALL_KINDS
from ..ledger.memory import MemoryLedger
from ..model.entry import Draft
from ..ports import Receipt

_LIMIT_ENTRIES = 10_000
_LINKED_AT_ONCE = 256
_IN_LINE = 1_024
"""More entries than ever wait to be linked."""


class OwnLedger(MemoryLedger):
    """In memory, and written by one recorder, which says under which ids: most that a caller chooses are new.

    The recorder that took it writes through ``record``. Whoever else does comes through ``append``, another recorder
    included, and once an entry of a call came there, every id is looked for, as on any other ledger.
    """

    def __init__(self) -> None:
        super().__init__(_LIMIT_ENTRIES)
        self._ids: set[str] = set()
        self._ids_before: set[str] = set()
        self._most_ids = _LIMIT_ENTRIES + _IN_LINE
        self._has_others = False
        self._is_taken = False
        self._guard = Lock()

    def take(self) -> bool:
        """Whether whoever asks is the first to do so, and writes through ``record`` from now on."""
        with self._guard:
            was_taken, self._is_taken = self._is_taken, True
        return not was_taken

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        """As a MemoryLedger does."""
        if draft.kind in CALL_KINDS:
            self._has_others = True
        return super().append(draft, durable=durable)

    def record(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        """As ``append`` of a MemoryLedger, for the recorder that took it: what that writes is text in UTF-8 already.

        Raises LedgerUnavailableError: the ledger was closed.
        """
        if self._closed:
            raise LedgerUnavailableError("this ledger in memory was closed: open another one")
        line = self._line
        line.append(draft)
        if len(line) >= _LINKED_AT_ONCE:
            self.flush()
        return None

    def is_new(self, call_id: str) -> bool:
        """Whether no kept entry tells of a call of this id, which must not be under way. False says nothing.

        An id without a colon may be one that a run minted, and nobody tells of those.
        """
        ids = self._ids
        return not (call_id in ids or call_id in self._ids_before or self._has_others or ":" not in call_id)

    def ended(self, call_id: str) -> None:
        """Whoever wrote of this call, whose id its caller chose, has just written its last entry."""
        ids = self._ids
        ids.add(call_id)
        if ids is not self._ids:  # another thread turned them meanwhile
            self._ids.add(call_id)
        if len(ids) > self._most_ids:
            self._turn()

    def _turn(self) -> None:
        """Forget the ids of entries that are not kept any more: each id that was told since has one that came after."""
        with self._guard:
            if len(self._ids) > self._most_ids:
                self._ids_before = self._ids  # first: whoever looks meanwhile finds them in one of the two
                self._ids = set()


__all__ = ["OwnLedger"]
