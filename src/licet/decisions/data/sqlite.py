"""A table of SQLite, read once and read-only into the locked database."""

import sqlite3
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .dataset import Dataset
from .statement import quoted
from .unreadable import Unreadable

if TYPE_CHECKING:
    import duckdb

PATIENCE_S = 60.0
"""That reading one table may take."""

_BLOCK = 20_000
_STEPS = 10_000


def load(dataset: Dataset, database: "duckdb.DuckDBPyConnection", *, now: Callable[[], float] = time.monotonic) -> None:
    """Copy the table. A column of integers is BIGINT, of numbers DOUBLE, of text VARCHAR; one with blobs is left out.

    SQLite has no type of a column, only of each value: where they are mixed, all become text. Text in a column that is
    declared as DATE, DATETIME or TIMESTAMP becomes that, if every value is one.

    Raises:
        Unreadable: the file is no database, has no such table (a view and a virtual table are none), too many rows, or
            takes too long.
    """
    begun = now()
    try:
        source = sqlite3.connect(f"file:{quote(str(dataset.path))}?mode=ro", uri=True)
    except sqlite3.Error:
        raise Unreadable("not_sqlite", "SQLite cannot open it") from None
    try:
        source.execute("PRAGMA query_only = ON")
        source.execute("PRAGMA trusted_schema = OFF")
        source.set_progress_handler(lambda: now() - begun > PATIENCE_S, _STEPS)
        _copy(dataset, source, database)
    except sqlite3.OperationalError as wrong:
        if "interrupted" in str(wrong):
            raise Unreadable("too_large", f"reading it takes more than {PATIENCE_S:g} s; use a smaller table") from None
        raise Unreadable("not_sqlite", f"SQLite cannot read it: {wrong}") from None
    except (sqlite3.Error, UnicodeError, OverflowError):
        raise Unreadable("not_sqlite", "it is no database of SQLite, or a damaged one") from None
    finally:
        source.close()


def _copy(dataset: Dataset, source: sqlite3.Connection, database: "duckdb.DuckDBPyConnection") -> None:
    named = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
    if not source.execute(named, (dataset.table,)).fetchone()[0]:
        raise Unreadable("no_table", "it has no such table; name one that is there")
    table = quoted(str(dataset.table))
    if source.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > dataset.row_limit:
        raise Unreadable("too_many_rows", f"it has more than {dataset.row_limit} rows; raise row_limit or use fewer")
    declared = {row[1]: str(row[2]).upper() for row in source.execute(f"PRAGMA table_info({table})")}
    types = {name: type_name for name in declared if (type_name := _type(source, table, name)) is not None}
    if not types:
        raise Unreadable("no_column", "it has no column of numbers or text")
    made = quoted(dataset.name)
    database.execute(f"CREATE TABLE {made} ({', '.join(f'{quoted(name)} {one}' for name, one in types.items())})")
    fields = ", ".join(
        f"CAST({quoted(name)} AS TEXT)" if one == "VARCHAR" else quoted(name) for name, one in types.items()
    )
    rows = source.execute(f"SELECT {fields} FROM {table} LIMIT {dataset.row_limit}")
    unnested = ", ".join(f"unnest(CAST($c{number} AS {one}[]))" for number, one in enumerate(types.values()))
    while block := rows.fetchmany(_BLOCK):
        columns = {f"c{number}": list(values) for number, values in enumerate(zip(*block, strict=True))}
        database.execute(f"INSERT INTO {made} SELECT {unnested}", columns)
    for name, one in types.items():
        if one == "VARCHAR" and declared[name] in ("DATE", "DATETIME", "TIMESTAMP"):
            _date(database, made, quoted(name), "DATE" if declared[name] == "DATE" else "TIMESTAMP")


def _type(source: sqlite3.Connection, table: str, name: str) -> str | None:
    found: set[Any] = {row[0] for row in source.execute(f"SELECT DISTINCT typeof({quoted(name)}) FROM {table}")}
    found.discard("null")
    if "blob" in found:
        return None
    if found == {"integer"}:
        return "BIGINT"
    return "DOUBLE" if found and found <= {"integer", "real"} else "VARCHAR"


def _date(database: "duckdb.DuckDBPyConnection", table: str, column: str, wanted: str) -> None:
    odd = f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL AND try_cast({column} AS {wanted}) IS NULL"
    found = database.execute(odd).fetchone()
    if found and not found[0]:
        database.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {wanted}")
