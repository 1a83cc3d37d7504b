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

ROOM_BYTES = 4_096_000
"""How long a write-ahead log becomes before it is folded into the file and begins again: SQLite's thousand pages."""

FOLDING_MS = 200
"""How long a writer that comes waits for readers to leave the write-ahead log."""


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
    _make_folder(path.parent)
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(connect(uri_of(new, mode="rw"))) as connection:
            _write_ahead(connection)
            lay_out(connection, Meta(FORMAT, secrets.token_bytes(16), time.time_ns() // 1000))
            if not _fold(connection):  # closing does it too, but keeps to itself that the disk failed
                raise LedgerUnavailableError("it could not be written in full: try again")
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
    """A connection whose commits are on stable storage. Raises whatever SQLite raises, and LedgerUnavailableError.

    What stands in the write-ahead log is folded into the file first. A process that was killed may have left there what
    the disk had failed to sync: it would be read from memory, and at the next power cut take with it all that was
    written behind it. Where other processes hold the log none of them was alone with it, and so it is theirs.
    """
    connection = connect(uri_of(path, mode="rw"))
    try:
        connection.execute(f"PRAGMA busy_timeout = {round(busy_s * 1000)}")
        connection.execute("PRAGMA trusted_schema = OFF")
        meta = read_meta(connection)  # before anything is set that stays: it may be somebody else's database
        _write_ahead(connection)
        if os.path.exists(_log_of(path)) and os.path.getsize(_log_of(path)):
            connection.execute(f"PRAGMA busy_timeout = {FOLDING_MS}")
            _fold(connection)
            connection.execute(f"PRAGMA busy_timeout = {round(busy_s * 1000)}")
    except BaseException:
        connection.close()
        raise
    return connection, meta


def make_room(connection: Connection) -> None:
    """Let the write-ahead log have its full length at once, in some 10 ms. Raises whatever SQLite raises.

    Where a sync has to make a file longer it takes nearly twice as long as where the file is written over. After its
    first 4 MB a log is written over anyway; this spares a busy process the time before. A transaction that is too large
    for SQLite's cache is spilled to the log, and rolled back.
    """
    cached = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute("PRAGMA cache_size = 8")
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("CREATE TABLE room(filled BLOB)")
            connection.execute(f"INSERT INTO room VALUES (zeroblob({ROOM_BYTES}))")
        finally:
            connection.execute("ROLLBACK")
    finally:
        connection.execute(f"PRAGMA cache_size = {cached}")


def open_reader(path: Path, connect: Connect, busy_s: float, *, mode: str = "rw") -> Connection:
    """A connection that cannot write. With ``mode="ro"`` not even the file is opened for it."""
    uri = uri_of(path, mode=mode)
    if mode == "ro" and not os.path.lexists(_log_of(path)) and not _may_write(path.parent):
        uri += "&immutable=1"  # SQLite cannot put its shared memory there, and needs none: nothing is in the log
    connection = connect(uri)
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


def _log_of(path: Path) -> str:
    return f"{path}-wal"


def _write_ahead(connection: Connection) -> None:
    """Have commits synced. Raises LedgerUnavailableError: some file systems have no shared memory, some disks fail."""
    connection.execute("PRAGMA synchronous = FULL")
    journal = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
    if (journal, synchronous) != ("wal", 2):
        raise LedgerUnavailableError(
            f"its journal is {journal!r} with synchronous={synchronous}; a ledger needs write-ahead logging"
            " and FULL: put it on a local file system"
        )


def _fold(connection: Connection) -> bool:
    """Bring the write-ahead log into the file and empty it. False: somebody was in the way, or there is no such log."""
    busy, pages, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return (busy, pages) == (0, 0)


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _make_folder(folder: Path) -> None:
    """Make it unless it is there, and have its name on stable storage: who made it may have been killed before that."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        with suppress(PermissionError):  # somebody's folder in one that may not even be listed was not made just now
            _sync_folder(folder.parent)
        return
    _sync_folder(folder.parent)


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


__all__ = ["check", "connect", "create", "make_room", "open_reader", "open_writer", "unavailable", "uri_of"]
