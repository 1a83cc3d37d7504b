"""Puts entries on a ledger for whoever stands above the corridor. Calls have a recorder of their own."""

from ..model.entry import Draft
from ..ports import Ledger
from .record import unavailable


async def append(ledger: Ledger, draft: Draft, *, durable: bool) -> None:
    """Give it its place, and await what there is to wait for. Raises LedgerUnavailableError."""
    try:
        receipt = ledger.append(draft, durable=durable)
        if receipt is not None:
            await receipt
    except Exception as exc:
        raise unavailable(exc) from exc


def append_blocking(ledger: Ledger, draft: Draft, *, durable: bool) -> None:
    """The same for a thread that waits: without ``durable`` only where so much is in line that every writer has to."""
    try:
        receipt = ledger.append(draft, durable=durable)
        if receipt is not None:
            receipt.wait()
    except Exception as exc:
        raise unavailable(exc) from exc


__all__ = ["append", "append_blocking"]
