"""A ledger that lets somebody look on while it is written."""

from collections.abc import Callable, Iterable
from typing import Any

from ..model.entry import CallRecord, Draft, Entry
from ..ports import Ledger, Receipt


class SeenLedger:
    """Everything goes to ``ledger``; ``seen`` gets each entry once it is in line. What it raises is the writer's."""

    def __init__(self, ledger: Ledger, seen: Callable[[Draft], None]) -> None:
        self._ledger = ledger
        self._seen = seen

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        receipt = self._ledger.append(draft, durable=durable)
        self._seen(draft)
        return receipt

    def find(self, call_id: str, /) -> CallRecord:
        return self._ledger.find(call_id)

    def entries(self, run_id: str | None = None, /) -> Iterable[Entry]:
        return self._ledger.entries(run_id)

    @property
    def head(self) -> bytes:
        return self._ledger.head

    def flush(self) -> None:
        self._ledger.flush()

    def close(self) -> None:
        self._ledger.close()

    def __getattr__(self, name: str) -> Any:
        """What a ledger has beyond the port: ``path``, for instance."""
        return getattr(self._ledger, name)


__all__ = ["SeenLedger"]
