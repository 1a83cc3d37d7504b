"""What a ledger's SQLite file holds, to the letter: a file with any other schema is not opened.

``call`` repeats the call id that stands in ``body``, for the index. It is not computed by SQLite, because its JSON
functions may not stand in a schema while ``trusted_schema`` is off (before 3.41), and parse the whole body of every
entry; ``verify`` compares it with the body. The triggers stop accidents; the chain is the evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from ..errors import LedgerUnavailableError
from .call import CLOSES, REQUESTED
from .chain import START, Place

FORMAT = 1
"""The version of this layout."""

_SCHEMA = {
    "meta": (
        "CREATE TABLE meta(format INTEGER NOT NULL, ledger_id BLOB NOT NULL, created_us INTEGER NOT NULL,"
        " digest BLOB NOT NULL) STRICT"
    ),
    "entry": (
        "CREATE TABLE entry(seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, kind TEXT NOT NULL, actor TEXT NOT NULL,"
        " body TEXT NOT NULL, trace TEXT NOT NULL, digest BLOB NOT NULL, head BLOB NOT NULL, call TEXT) STRICT"
    ),
    "entry_by_call": "CREATE INDEX entry_by_call ON entry(call, kind) WHERE call IS NOT NULL",
    "entry_by_run": "CREATE INDEX entry_by_run ON entry(run_id)",
    "entry_in_order": (
        "CREATE TRIGGER entry_in_order BEFORE INSERT ON entry"
        " WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)"
        " BEGIN SELECT RAISE(ABORT, 'a ledger only grows, by one number at a time'); END"
    ),
    "entry_kept": (
        "CREATE TRIGGER entry_kept BEFORE DELETE ON entry"
        " BEGIN SELECT RAISE(ABORT, 'no entry of a ledger is ever deleted'); END"
    ),
    "entry_unchanged": (
        "CREATE TRIGGER entry_unchanged BEFORE UPDATE ON entry"
        " BEGIN SELECT RAISE(ABORT, 'no entry of a ledger is ever changed'); END"
    ),
    "meta_alone": (
        "CREATE TRIGGER meta_alone BEFORE INSERT ON meta WHEN EXISTS (SELECT 1 FROM meta)"
        " BEGIN SELECT RAISE(ABORT, 'a ledger has one line of meta'); END"
    ),
    "meta_kept": (
        "CREATE TRIGGER meta_kept BEFORE DELETE ON meta"
        " BEGIN SELECT RAISE(ABORT, 'the meta of a ledger is never deleted'); END"
    ),
    "meta_unchanged": (
        "CREATE TRIGGER meta_unchanged BEFORE UPDATE ON meta"
        " BEGIN SELECT RAISE(ABORT, 'the meta of a ledger is never changed'); END"
    ),
}

_EXACTLY = {name: (sql.split()[1].lower(), name.partition("_")[0], sql) for name, sql in _SCHEMA.items()}
"""The same with the type of each, and the table that it belongs to: all that SQLite keeps of a schema."""

ENTRY_COLUMNS = "seq, run_id, kind, actor, body, trace, digest, head"

COLUMNS = 9
"""How many there are with the one that repeats the call id."""

LAST_PLACE = "SELECT seq, head FROM entry ORDER BY seq DESC LIMIT 1"

_ENDS = ", ".join(f"'{kind}'" for kind in sorted(CLOSES))

FIND = f"""
WITH opened(seq) AS (SELECT max(seq) FROM entry WHERE call = ? AND kind = '{REQUESTED}'),
     closed(seq) AS (SELECT min(seq) FROM entry WHERE call = ? AND kind IN ({_ENDS})
                     AND seq > coalesce((SELECT seq FROM opened), 0))
SELECT {ENTRY_COLUMNS} FROM entry
WHERE seq IN (SELECT seq FROM opened UNION ALL SELECT seq FROM closed) ORDER BY seq
"""
"""The beginning and the end of a call, by index. Takes its id twice."""

UNKNOWN = f"""
WITH call_end(opened, closed) AS (
    SELECT max(CASE WHEN kind = '{REQUESTED}' THEN seq END), max(CASE WHEN kind IN ({_ENDS}) THEN seq END)
    FROM entry WHERE call IS NOT NULL GROUP BY call)
SELECT {ENTRY_COLUMNS} FROM entry
WHERE seq IN (SELECT opened FROM call_end WHERE opened > coalesce(closed, 0)) ORDER BY seq
"""
"""Beginnings without an end; the inner part reads nothing but the index."""


class Cursor(Protocol):
    """The rows of one statement."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """What ``sqlite3`` and ``apsw`` connections have in common, and all that a ledger asks for.

    It must be in autocommit mode (``BEGIN`` and ``COMMIT`` are written out) and usable from any thread.
    """

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor: ...

    def close(self) -> None: ...


Connect = Callable[[str], Connection]
"""Opens an SQLite URI, ``file:...?mode=rw``."""


class Meta(NamedTuple):
    """The one line that names a ledger: 16 random bytes, and microseconds since 1970."""

    format: int
    ledger_id: bytes
    created_us: int

    @property
    def id(self) -> bytes:
        """16 bytes that name the ledger. They stand for the whole line: a checkpoint that signs them covers it all."""
        return self.digest()[:16]

    def digest(self) -> bytes:
        """Shows a change by accident. Who changes both is shown by a checkpoint, which signs the id."""
        return sha256(b"licet.meta.v1\0%d:%d:%b" % (self.format, self.created_us, self.ledger_id)).digest()


def lay_out(connection: Connection, meta: Meta) -> None:
    """Make the tables of an empty file and write its one line of meta."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA.values():
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?)", (*meta, meta.digest()))
    connection.execute("COMMIT")


def read_meta(connection: Connection) -> Meta:
    """The meta of a file whose schema is exactly a ledger's. Raises LedgerUnavailableError: it is not."""
    rows = connection.execute("SELECT name, type, tbl_name, sql FROM sqlite_schema").fetchall()
    found = {name: tuple(said) for name, *said in rows}
    if found != _EXACTLY:
        unlike = sorted(str(name) for name in found.keys() | _EXACTLY.keys() if found.get(name) != _EXACTLY.get(name))
        raise LedgerUnavailableError(
            f"its schema is not a ledger's of format {FORMAT} (it differs in {', '.join(map(repr, unlike[:5]))})"
        )
    rows = connection.execute("SELECT format, ledger_id, created_us, digest FROM meta").fetchall()
    if len(rows) != 1:
        raise LedgerUnavailableError(f"it has {len(rows)} lines of meta, where a ledger has one")
    meta, digest = Meta(*rows[0][:3]), rows[0][3]
    typed = tuple(map(type, meta)) == (int, bytes, int)
    if not typed or len(meta.ledger_id) != 16 or digest != meta.digest():
        raise LedgerUnavailableError("its line of meta was changed")
    if meta.format != FORMAT:
        raise LedgerUnavailableError(f"its format is {meta.format}; this licet reads format {FORMAT}")
    return meta


@cache
def append(rows: int) -> str:
    """Appends so many rows, of nine values each. Where the chain does not end right before the first, none is.

    Many rows in one statement: SQLite gives the interpreter's lock back for each and waits for it afterwards, up to
    5 ms in a busy process. With one statement a row, 32 rows took 230 ms beside a busy thread, with this 27 ms.
    """
    row = f"({', '.join('?' * COLUMNS)})"
    return f"INSERT INTO entry({ENTRY_COLUMNS}, call) VALUES {', '.join([row] * rows)}"


def last_place(connection: Connection) -> Place:
    """Where the chain stands now."""
    row = connection.execute(LAST_PLACE).fetchone()
    return START if row is None else Place(*row)


__all__ = [
    "COLUMNS",
    "ENTRY_COLUMNS",
    "FIND",
    "FORMAT",
    "UNKNOWN",
    "Connect",
    "Connection",
    "Cursor",
    "Meta",
    "append",
    "last_place",
    "lay_out",
    "read_meta",
]
