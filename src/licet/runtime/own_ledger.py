"""The ledger of a runtime that was given none: which call ids are new is known without a look."""

from threading import Lock

from ..ledger.call import CALL_KINDS
from ..ledger.memory import MemoryLedger
from ..model.entry import Draft
from ..ports import Receipt

_LIMIT_ENTRIES = 10_000
_IN_LINE = 1_024
"""More entries than ever wait to be linked."""


class OwnLedger(MemoryLedger):
    """In memory, and written by recorders, which say under which ids: most that a caller chooses are new.

    A recorder writes through ``record``. Whoever else does comes through ``append``, and once an entry of a call came
    there, every id is looked for, as on any other ledger.
    """

    def __init__(self) -> None:
        super().__init__(_LIMIT_ENTRIES)
        self.record = super().append
        self.ids: set[str] = set()
        """Of calls whose caller chose the id: added before each entry that begins or ends one."""
        self._ids_before: set[str] = set()
        self._most_ids = _LIMIT_ENTRIES + _IN_LINE
        self._has_others = False
        self._turning = Lock()

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        """As a MemoryLedger does."""
        if draft.kind in CALL_KINDS:
            self._has_others = True
        return super().append(draft, durable=durable)

    def is_new(self, call_id: str) -> bool:
        """Whether no kept entry tells of this id. False says nothing: it has to be looked for.

        An id without a colon may be one that a run minted, and those are not in ``ids``.
        """
        ids = self.ids
        if len(ids) > self._most_ids:
            self._turn()
        return not (call_id in ids or call_id in self._ids_before or self._has_others or ":" not in call_id)

    def _turn(self) -> None:
        """Forget the ids of entries that are not kept any more: each of ``ids`` has an entry that came after them."""
        with self._turning:
            if len(self.ids) > self._most_ids:
                self._ids_before = self.ids  # first: whoever looks meanwhile finds them in one of the two
                self.ids = set()


__all__ = ["OwnLedger"]
