"""Evidence: an append-only chain of what was asked, refused and done, and the means to check it.

In here: how entries hang together (``chain``), the ledgers (``memory``, ``sqlite``), what of a value may be stored
(``redact``), and what is read from a chain afterwards (``verify``, ``run``, ``settle``). Not in here: what is worth an
entry, and when a call waits for one; that is room 2, ``runtime/record.py``. Nothing in here knows a tool or a policy.
"""

from os import PathLike

from ..ports import Ledger


def open_ledger(path: str | PathLike[str] | None = None) -> Ledger:
    """The ledger in this file, begun if there is none; without a path one that lives as long as the process.

    Raises LedgerUnavailableError: the file cannot be used as a ledger.
    """
    if path is None:
        from .memory import MemoryLedger

        return MemoryLedger()
    from .sqlite import SqliteLedger

    return SqliteLedger(path)


__all__ = ["open_ledger"]
