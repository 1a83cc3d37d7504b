"""The file of a ledger: how it comes to be, and how it is opened.

A new ledger is made under a temporary name and then linked to its own, so that a file under that name is always a whole
ledger, whoever is killed and however many processes begin at once.
"""

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from ..errors import LedgerError, LedgerUnavailableError
from .table import FORMAT, Connect, Connection, Meta, lay_out, read_meta


def connect(uri: str) -> Connection:
    """A connection of the standard library, in autocommit mode, for any one thread at a time."""
    import sqlite3

    if sqlite3.sqlite_version_info < (3, 37):
        raise LedgerUnavailableError(
            f"SQLite {sqlite3.sqlite_version} has no strict tables: use a Python with SQLite 3.37 or newer"
        )
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


@contextmanager
def unavailable(path: Path) -> Iterator[None]:
    """Whatever goes wrong inside is a LedgerUnavailableError that names the file."""
    try:
        yield
    except LedgerError as exc:
        raise LedgerUnavailableError(f"the ledger {path} is not available: {exc}") from exc
    except Exception as exc:
        raise LedgerUnavailableError(f"the ledger {path} is not available: {exc} ({type(exc).__name__})") from exc


def create(path: Path, connect: Connect) -> None:
    """Make an empty ledger, unless there is something under this name. Its folder is made too, but nothing above.

    Modes: 0600 for the file, 0700 for a folder that is made.
    """
    if os.path.lexists(path):
        return
    with suppress(FileExistsError):
        path.parent.mkdir(mode=0o700)
        _sync_folder(path.parent.parent)
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(connect(uri_of(new, mode="rw"))) as connection:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = FULL")
            lay_out(connection, Meta(FORMAT, secrets.token_bytes(16), time.time_ns() // 1000))
        _link(new, path)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            Path(f"{new}{suffix}").unlink(missing_ok=True)
    _sync_folder(path.parent)


def check(path: Path) -> os.stat_result:
    """What the file system says of the file. Raises LedgerUnavailableError: it can be no ledger."""
    try:
        found = path.stat()
    except FileNotFoundError as exc:
        raise LedgerUnavailableError("there is no such file") from exc
    if not stat.S_ISREG(found.st_mode):
        raise LedgerUnavailableError("it is not a regular file: name a file")
    if found.st_size == 0:
        raise LedgerUnavailableError("it is empty, which no ledger ever is: move it away to begin a new one")
    return found


def open_writer(path: Path, connect: Connect, busy_s: float) -> tuple[Connection, Meta]:
    """A connection whose commits are on stable storage. Raises whatever SQLite raises, and LedgerUnavailableError."""
    connection = connect(uri_of(path, mode="rw"))
    try:
        connection.execute(f"PRAGMA busy_timeout = {round(busy_s * 1000)}")
        connection.execute("PRAGMA trusted_schema = OFF")
        meta = read_meta(connection)  # before anything is set that stays: it may be somebody else's database
        connection.execute("PRAGMA synchronous = FULL")
        journal = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
        if (journal, synchronous) != ("wal", 2):  # asked for is not given: some file systems have no shared memory
            raise LedgerUnavailableError(
                f"its journal is {journal!r} with synchronous={synchronous}; a ledger needs write-ahead logging"
                " and FULL: put it on a local file system"
            )
    except BaseException:
        connection.close()
        raise
    return connection, meta


def open_reader(path: Path, connect: Connect, busy_s: float, *, mode: str = "rw") -> Connection:
    """A connection that cannot write. With ``mode="ro"`` not even the file is opened for it."""
    connection = connect(uri_of(path, mode=mode))
    try:
        connection.execute(f"PRAGMA busy_timeout = {round(busy_s * 1000)}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def uri_of(path: Path, *, mode: str) -> str:
    return f"file:{quote(os.path.abspath(path))}?mode={mode}"


def _link(new: Path, path: Path) -> None:
    """Give the finished file its name; another process may have been first, and then its ledger is the ledger."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError as exc:
        raise LedgerUnavailableError(
            f"its file system cannot link files ({exc.strerror}): put it on a local file system"
        ) from exc


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


__all__ = ["check", "connect", "create", "open_reader", "open_writer", "unavailable", "uri_of"]
