"""What a fork leaves behind: a child inherits open SQLite files that it may neither use nor close.

SQLite's locks belong to the process, so a child that touches an inherited connection can corrupt the file under its
parent. The child's copies are therefore refused and kept from ever being closed.
"""

import os
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakSet

from ..errors import LedgerUnavailableError


class Open(Protocol):
    """Something with SQLite connections."""

    path: Path

    def refuse_after_fork(self, refusal: str) -> list[Any]:
        """Refuse everything from now on; gives the connections that must stay open."""
        ...


_open: WeakSet[Open] = WeakSet()
_open_at_fork: set[tuple[int, int]] = set()


def watch(ledger: Open) -> None:
    """Refuse the ledger in every later child of a fork."""
    _open.add(ledger)


def unwatch(ledger: Open) -> None:
    """The ledger was closed: nothing of it can be inherited any more."""
    _open.discard(ledger)


def check(found: os.stat_result) -> None:
    """Raises LedgerUnavailableError: a parent of this process had the file open when it forked."""
    if (found.st_dev, found.st_ino) in _open_at_fork:
        raise LedgerUnavailableError(
            "it was open when this process was forked: start processes by spawn, or fork before it is opened"
        )


def _in_child() -> None:
    for ledger in list(_open):
        refusal = f"the ledger {ledger.path} was opened before this process was forked: open it after the fork"
        connections = ledger.refuse_after_fork(refusal)
        _never_close(connections)
        try:
            found = os.stat(ledger.path)
        except OSError:
            continue
        _open_at_fork.add((found.st_dev, found.st_ino))


def _never_close(connections: list[Any]) -> None:
    """One reference too many: not even the end of the interpreter closes these."""
    from ctypes import py_object, pythonapi

    for connection in connections:
        pythonapi.Py_IncRef(py_object(connection))


os.register_at_fork(after_in_child=_in_child)


__all__ = ["check", "unwatch", "watch"]
