"""Connections that break a promise on purpose: what a campaign must find out, or it finds nothing."""

from collections.abc import Callable, Sequence
from typing import Any

from licet.ledger.table import Connect, Connection, Cursor

NOTHING_DONE = "SELECT 1"
APPENDS = "INSERT INTO entry"
"""How a statement of the ledger begins that is a transaction by itself, unless one was begun."""


class Careless:
    """Commits every seventh group only; the others look as if they had been."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner
        self._open = False
        self._appended = 0

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql in ("BEGIN IMMEDIATE", "COMMIT"):
            return self._inner.execute(NOTHING_DONE)
        if not sql.startswith(APPENDS):
            return self._inner.execute(sql, values)
        if not self._open:
            self._inner.execute("BEGIN IMMEDIATE")
        cursor = self._inner.execute(sql, values)
        self._appended += 1
        self._open = self._appended % 7 != 0
        if not self._open:
            self._inner.execute("COMMIT")
        return cursor

    def close(self) -> None:
        self._inner.close()


class Unsynced:
    """``synchronous=NORMAL``: commits are in the file, and on stable storage some other day."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql == "PRAGMA synchronous":
            sql = "SELECT 2"
        return self._inner.execute(sql.replace("synchronous = FULL", "synchronous = NORMAL"), values)

    def close(self) -> None:
        self._inner.close()


class Rollback:
    """Keeps a rollback journal and says that it has a write-ahead log."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql == "PRAGMA journal_mode = WAL":
            self._inner.execute("PRAGMA journal_mode = DELETE").fetchone()
            sql = "SELECT 'wal'"
        elif sql == "PRAGMA wal_checkpoint(TRUNCATE)":
            sql = "SELECT 0, 0, 0"
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


class Deaf:
    """Takes a commit that failed for one that did not."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        try:
            return self._inner.execute(sql, values)
        except Exception:
            if sql != "COMMIT" and not sql.startswith(APPENDS):
                raise
            return self._inner.execute(NOTHING_DONE)

    def close(self) -> None:
        self._inner.close()


def lying(how: Callable[[Connection], Connection], connect: Connect) -> Connect:
    """The same connections, each with that lie."""
    return lambda uri: how(connect(uri))


__all__ = ["APPENDS", "Careless", "Deaf", "Rollback", "Unsynced", "lying"]
