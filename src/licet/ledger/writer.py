"""Puts drafts at the end of the chain: one transaction, one place after the other."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import ChainBrokenError
from ..model.entry import Draft
from .call import call_of
from .chain import Place, head_of
from .file import unavailable
from .table import ENTRY_COLUMNS, Connection, last_place

Line = tuple[Draft, str, str, bytes]
"""A draft with the text of its body and of its trace, and its digest: everything but the place."""

_ROWS_AT_ONCE = 64
_SQLITE_BUSY = 5


class Writer:
    """The only one in this process that writes to the file; other processes may have one of their own.

    Raises, from ``write``, LedgerUnavailableError: nothing was written, or the commit failed and nobody knows.
    """

    def __init__(self, path: Path, connection: Connection) -> None:
        self._path = path
        self._connection = connection
        self._file = _identity(path)
        self._last = last_place(connection)

    def write(self, lines: Sequence[Line]) -> None:
        """Commit the lines in order. When this returns they are on stable storage."""
        with unavailable(self._path):
            self._begin()
            try:
                place = self._append(lines)
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(Exception):  # the first error is the one to tell
                    self._connection.execute("ROLLBACK")
                raise
            self._last = place

    def close(self) -> None:
        self._connection.close()

    def _begin(self) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except Exception as exc:
            if not _is_busy(exc):
                raise
            self._connection.execute("BEGIN IMMEDIATE")  # somebody held the file for a whole timeout: once more

    def _append(self, lines: Sequence[Line]) -> Place:
        seq, head = self._place_now()
        values: list[Any] = []
        rows = 0
        for (run_id, kind, actor, _, packed_trace), body, trace, digest in lines:
            seq += 1
            head = head_of(head, seq, run_id, digest, packed_trace)
            values += (seq, run_id, kind, actor, body, trace, digest, head, call_of(kind, body))
            rows += 1
            if rows == _ROWS_AT_ONCE:
                self._connection.execute(_insert(rows), values)
                values, rows = [], 0
        if rows:
            self._connection.execute(_insert(rows), values)
        return Place(seq, head)

    def _place_now(self) -> Place:
        """The end of the chain, after a look whether what was acknowledged is still there."""
        if _identity(self._path) != self._file:
            raise ChainBrokenError("the file was replaced while it was in use: find out by whom, then open it again")
        place = last_place(self._connection)
        if place != self._last and self._last.seq:
            row = self._connection.execute("SELECT head FROM entry WHERE seq = ?", (self._last.seq,)).fetchone()
            if row is None or row[0] != self._last.head:
                raise ChainBrokenError("entries that were acknowledged are gone or changed: verify it")
        return place


@cache
def _insert(rows: int) -> str:
    """Many rows in one statement.

    SQLite gives the interpreter's lock back for each statement and waits for it afterwards, up to 5 ms in a busy
    process: with one statement a row, 32 rows took 230 ms beside a busy thread, with this 27 ms.
    """
    return f"INSERT INTO entry({ENTRY_COLUMNS}, call) VALUES " + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?)"] * rows)


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _is_busy(exc: Exception) -> bool:
    """Whether another connection held the file, in the words of either library: ``sqlite3`` or ``apsw``."""
    code = getattr(exc, "sqlite_errorcode", None) or getattr(exc, "result", 0)
    return isinstance(code, int) and code & 0xFF == _SQLITE_BUSY


__all__ = ["Line", "Writer"]
