"""A dataset's file, read into or seen from the locked database: what it holds, or why it cannot be used."""

import csv
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..expression import names
from .catalog import NUMBER, kind_of
from .dataset import Dataset
from .locked import literal
from .sqlite import load
from .statement import quoted
from .unreadable import Unreadable

if TYPE_CHECKING:
    import duckdb

MAX_LINE = 1_000_000
"""Bytes of one line of CSV."""


class Ready(NamedTuple):
    """``kinds`` of the columns by name, in the order of the file."""

    dataset: Dataset
    kinds: Mapping[str, str]


class Unusable(NamedTuple):
    """``problem`` is the owner's to read; a caller is told ``code`` only."""

    dataset: Dataset
    code: str
    problem: str


def connect(dataset: Dataset, database: "duckdb.DuckDBPyConnection") -> Ready | Unusable:
    """Make the dataset a table or a view of its own name; never raises for what a file holds."""
    import duckdb

    try:
        _refuse_odd_file(dataset.path)
        if dataset.kind == "parquet":
            _parquet(dataset, database)
        elif dataset.kind == "csv":
            _csv(dataset, database)
        else:
            load(dataset, database)
        return Ready(dataset, _kinds(dataset, database))
    except Unreadable as wrong:
        if dataset.kind != "parquet":
            database.execute(f"DROP TABLE IF EXISTS {quoted(dataset.name)}")
        return Unusable(dataset, wrong.code, str(wrong))
    except duckdb.OutOfMemoryException:
        return Unusable(dataset, "too_large", "it does not fit into the engine's memory; use a smaller file or Parquet")
    except duckdb.Error as wrong:
        first = str(wrong).strip().splitlines()[0][:200]
        return Unusable(dataset, f"not_{dataset.kind}", f"DuckDB cannot read it as {dataset.kind}: {first}")


def _refuse_odd_file(path: Path) -> None:
    if any(one in str(path) for one in "*?["):
        raise Unreadable("no_file", "its path has one of * ? [, which DuckDB takes for a pattern; rename it")
    try:
        mode = path.stat().st_mode
    except OSError as wrong:
        raise Unreadable("no_file", f"it cannot be opened ({wrong.strerror}); name a file that is there") from None
    if not stat.S_ISREG(mode):
        raise Unreadable("no_file", "it is no regular file; name one")


def _parquet(dataset: Dataset, database: "duckdb.DuckDBPyConnection") -> None:
    file = literal(str(dataset.path))
    found = database.execute(f"SELECT num_rows FROM parquet_file_metadata({file})").fetchone()
    _refuse_many(found[0] if found else 0, dataset)
    database.execute(f"CREATE VIEW {quoted(dataset.name)} AS SELECT * FROM read_parquet({file})")


def _csv(dataset: Dataset, database: "duckdb.DuckDBPyConnection") -> None:
    """Commas, quotes as RFC 4180 has them, and a first line of names; types are found from every line."""
    _refuse_odd_header(dataset.path)
    table = quoted(dataset.name)
    database.execute(
        f"CREATE TABLE {table} AS SELECT * FROM read_csv({literal(str(dataset.path))}, header = true, delim = ',', "
        "quote = '\"', escape = '\"', skip = 0, comment = '', strict_mode = true, null_padding = false, "
        f"ignore_errors = false, sample_size = -1, max_line_size = {MAX_LINE}) LIMIT {dataset.row_limit + 1}"
    )
    found = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    _refuse_many(found[0] if found else 0, dataset)


def _refuse_odd_header(path: Path) -> None:
    with path.open("rb") as file:
        line = file.readline(MAX_LINE)
    try:
        header = next(csv.reader([line.decode("utf-8-sig")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        raise Unreadable("not_csv", "its first line is no UTF-8 line of names with commas between them") from None
    if not all(name.strip() and name.isprintable() for name in header) or not header:
        raise Unreadable("not_csv", "its first line has a column without a printable name; name every column")
    if len({name.casefold() for name in header}) < len(header):
        raise Unreadable("not_csv", "its first line names a column twice; use each name once")


def _refuse_many(rows: int, dataset: Dataset) -> None:
    if rows > dataset.row_limit:
        raise Unreadable("too_many_rows", f"it has more than {dataset.row_limit} rows; raise row_limit or use fewer")


def _kinds(dataset: Dataset, database: "duckdb.DuckDBPyConnection") -> dict[str, str]:
    described = database.execute(f"DESCRIBE {quoted(dataset.name)}").fetchall()
    held = {str(row[0]): kind_of(str(row[1])) for row in described}
    if dataset.columns is not None:
        missing = [name for name in dataset.columns if held.get(name) is None]
        if missing:
            raise Unreadable("no_column", f"it has no column {missing[0]} of a plain kind; drop it from columns")
        held = {name: held[name] for name in dataset.columns}
    kinds = {name: kind for name, kind in held.items() if kind is not None and name.isprintable()}
    for name, metric in dataset.metrics.items():
        for used in sorted(names(metric.expression)):
            if kinds.get(used) != NUMBER:
                raise Unreadable("no_column", f"the metric {name} uses {used}, which is no column of numbers")
    return kinds
