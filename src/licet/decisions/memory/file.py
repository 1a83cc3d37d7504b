"""The file of a memory: how it comes to be, and how it is opened."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from ..error import DecisionError
from .table import FORMAT, SCHEMA, insert

BUSY_MS = 10_000
"""How long one process waits for another that writes."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Whatever goes wrong with the file inside is a DecisionError ``memory_unavailable`` (503) that shows no path."""
    try:
        yield
    except (sqlite3.Error, OSError) as exc:
        raise DecisionError(
            "memory_unavailable",
            f"the engine's memory cannot be used now ({type(exc).__name__}); its operator finds more in the log",
            status=503,
        ) from exc


def open_memory(path: Path, created_at: str) -> sqlite3.Connection:
    """A connection in autocommit mode whose commits are on stable storage; an empty memory is laid out first.

    The file is made with the mode 0600, its folder must be there.

    Raises:
        sqlite3.Error, OSError: it cannot be opened, or is not a memory of this format.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path.name} is no regular file")
    uri = f"file:{quote(os.path.abspath(path))}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA recursive_triggers = ON")  # a line that replaces another deletes that first
        _lay_out(connection, created_at)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that no other process writes beside; all of it is on stable storage at the end, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise


def _lay_out(connection: sqlite3.Connection, created_at: str) -> None:
    with writing(connection):
        found = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
        if not found:
            for statement in SCHEMA.values():
                connection.execute(statement)
            connection.execute(insert("meta", 2), (FORMAT, created_at)).fetchall()
        elif found != SCHEMA:
            raise sqlite3.DatabaseError(f"it is no memory of format {FORMAT}")


__all__ = ["open_memory", "unavailable", "writing"]
