"""Puts drafts at the end of the chain, a group at a time.

A group is linked to the end as a look at the file shows it, and written by one statement that is its own transaction:
there is no moment between its parts at which SQLite would have to wait for the interpreter's lock. Whether the end is
still there is left to the trigger that refuses any number but the next. If it is not, the group is linked once more,
under a lock on the file.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ChainBrokenError
from .call import call_of
from .chain import Place, head_of
from .committer import BATCH_ITEMS
from .file import make_room, unavailable
from .table import COLUMNS, Connection, append, last_place

Line = tuple[str, str, str, str, str, bytes, bytes]
"""A draft with its body and its trace as texts, its digest, and its trace as it came: everything but the place.

A plain tuple of texts and bytes: the garbage collector looks at it once and never again.
"""

_ROWS_AT_ONCE = 64
"""Up to so many rows, and a full batch, are one statement; what is in between would be too many to prepare."""

ROOM_AFTER = 64
"""How many groups are written before the log is given room: who writes a few entries needs none."""
_SQLITE_BUSY = 5
_SQLITE_CONSTRAINT = 19


class Linked(NamedTuple):
    """Lines, their rows as one value after the other, and the place after the last of them."""

    lines: Sequence[Line]
    values: list[Any]
    after: Place


class Writer:
    """The only one in this process that writes to the file; other processes may have one of their own.

    Raises, from ``link`` and ``write``, LedgerUnavailableError: nothing was written, or the commit failed and nobody
    knows.
    """

    def __init__(self, path: Path, connection: Connection) -> None:
        self._path = path
        self._connection = connection
        self._file = _identity(path)
        self._last = last_place(connection)
        self._written = 0

    def link(self, lines: Sequence[Line]) -> Linked:
        """Give at most a batch of lines the places that come next."""
        with unavailable(self._path):
            if _identity(self._path) != self._file:
                raise ChainBrokenError(
                    "the file was replaced while it was in use: find out by whom, then open it again"
                )
            return _linked(self._end(), lines)

    def write(self, linked: Linked) -> None:
        """Commit the lines in order. When this returns they are on stable storage."""
        if self._written == ROOM_AFTER:
            with suppress(Exception):  # it only makes things faster; what is wrong with the disk the commit will tell
                make_room(self._connection)
        with unavailable(self._path):
            self._last = self._write_at_once(linked) or self._write_locked(linked.lines)
        self._written += 1

    def close(self) -> None:
        self._connection.close()

    def _write_at_once(self, linked: Linked) -> Place | None:
        """None: not in one statement, or another process was first."""
        rows = len(linked.lines)
        if rows > _ROWS_AT_ONCE and rows != BATCH_ITEMS:
            return None
        try:
            self._patiently(append(rows), linked.values)
        except Exception as exc:
            if _code(exc) != _SQLITE_CONSTRAINT:
                raise
            return None
        return linked.after

    def _write_locked(self, lines: Sequence[Line]) -> Place:
        self._patiently("BEGIN IMMEDIATE")
        try:
            _, values, after = _linked(self._end(), lines)
            step = _ROWS_AT_ONCE * COLUMNS
            for first in range(0, len(values), step):
                some = values[first : first + step]
                self._connection.execute(append(len(some) // COLUMNS), some)
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(Exception):  # the first error is the one to tell
                self._connection.execute("ROLLBACK")
            raise
        return after

    def _patiently(self, sql: str, values: Sequence[Any] = ()) -> None:
        try:
            self._connection.execute(sql, values)
        except Exception as exc:
            if _code(exc) != _SQLITE_BUSY:
                raise
            self._connection.execute(sql, values)  # somebody held the file for a whole timeout: once more

    def _end(self) -> Place:
        """Where the chain ends now, after a look whether what was acknowledged is still there."""
        place = last_place(self._connection)
        if place != self._last and self._last.seq:
            row = self._connection.execute("SELECT head FROM entry WHERE seq = ?", (self._last.seq,)).fetchone()
            if row is None or row[0] != self._last.head:
                raise ChainBrokenError("entries that were acknowledged are gone or changed: verify it")
        return place


def _linked(end: Place, lines: Sequence[Line]) -> Linked:
    values: list[Any] = []
    seq, head = end
    for run_id, kind, actor, body, trace, digest, packed_trace in lines:
        seq += 1
        head = head_of(head, seq, run_id, digest, packed_trace)
        values += (seq, run_id, kind, actor, body, trace, digest, head, call_of(kind, body))
    return Linked(lines, values, Place(seq, head))


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _code(exc: Exception) -> int:
    """What SQLite says went wrong, in the words of either library: ``sqlite3`` or ``apsw``."""
    code = getattr(exc, "sqlite_errorcode", None) or getattr(exc, "result", 0)
    return code & 0xFF if isinstance(code, int) else 0


__all__ = ["Line", "Linked", "Writer"]
