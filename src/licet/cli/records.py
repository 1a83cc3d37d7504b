"""A ledger as its readers see it: opened for reading only, and never made."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError, LedgerUnavailableError

if TYPE_CHECKING:
    from ..ledger.run import RunSummary
    from ..ledger.table import Connection
    from ..model.entry import Entry

LAST = "last"
"""The word for the run that began last."""

_COLUMNS = "seq, run_id, kind, actor, CAST(body AS BLOB), CAST(trace AS BLOB), digest, head"
_CANDIDATES = 8


class Records:
    """What stands on a ledger at one moment, whatever is appended meanwhile."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def entries(self, run_id: str | None = None) -> "Iterator[Entry]":
        """Entries in order, of one run or all, read while you go."""
        if run_id is None:
            return self._read(f"SELECT {_COLUMNS} FROM entry ORDER BY seq")
        return self._read(f"SELECT {_COLUMNS} FROM entry WHERE run_id = ? ORDER BY seq", run_id)

    def unknown(self) -> "Iterator[Entry]":
        """The beginnings of calls that have no end."""
        from ..ledger.table import ENTRY_COLUMNS, UNKNOWN

        return self._read(UNKNOWN.replace(ENTRY_COLUMNS, _COLUMNS))

    def runs(self) -> "list[RunSummary]":
        """The runs, oldest first."""
        from ..ledger.run import summarise

        return summarise(
            self._connection.execute("SELECT run_id, kind, actor, call, CAST(trace AS BLOB) FROM entry ORDER BY seq")
        )

    def _read(self, sql: str, *values: Any) -> "Iterator[Entry]":
        from ..model.entry import Entry

        return (Entry(*row) for row in self._connection.execute(sql, values))


@contextmanager
def opened(path: Path) -> Iterator[Records]:
    """The records in a file.

    Raises:
        LedgerUnavailableError: there is no file, it is no ledger, or it cannot be read.
    """
    from ..ledger import file
    from ..ledger.table import read_meta

    exists(path)
    with file.unavailable(path):
        connection = file.open_reader(path, file.connect, 5.0, mode="ro")
        try:
            read_meta(connection)
            connection.execute("BEGIN")
        except BaseException:
            connection.close()
            raise
    try:
        with _read_errors(path):
            yield Records(connection)
    finally:
        connection.close()


def exists(path: Path) -> None:
    """Raises LedgerUnavailableError: there is no such file, or it can be no ledger."""
    from ..ledger import file

    if not path.exists():
        raise LedgerUnavailableError(
            f"there is no ledger at {path}; licet call and licet explore begin one, --ledger FILE names another"
        )
    with file.unavailable(path):
        file.check(path)


def find_run(runs: "Iterable[RunSummary]", named: str) -> str | None:
    """The id that a person means by an id, the beginning of one, or ``last``; None where none is meant.

    Raises:
        ConfigurationError: several ids begin like this, or there is no run yet to be the last.
    """
    ids = [run.run_id for run in runs]
    if named == LAST:
        if not ids:
            raise ConfigurationError("there is no last run: no run is on this ledger yet")
        return ids[-1]
    if named in ids:
        return named
    like = [run_id for run_id in ids if named and run_id.startswith(named)]
    if len(like) > 1:
        more = f" and {len(like) - _CANDIDATES} more" if len(like) > _CANDIDATES else ""
        raise ConfigurationError(
            f"{named!r} is the beginning of {len(like)} runs: {', '.join(like[:_CANDIDATES])}{more}"
        )
    return like[0] if like else None


def known_run(runs: "Iterable[RunSummary]", named: str) -> str:
    """The same for a run that has to exist. Raises ConfigurationError: there is none, or several."""
    found = find_run(runs, named)
    if found is None:
        raise ConfigurationError(f"no run on this ledger is or begins with {named!r}; licet runs lists them")
    return found


@contextmanager
def _read_errors(path: Path) -> Iterator[None]:
    """What SQLite finds wrong while rows are read; everything else passes as it is."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as exc:  # a damaged page, or text that is not UTF-8
        raise LedgerUnavailableError(
            f"the ledger {path} cannot be read: {exc}; licet ledger verify finds the place"
        ) from exc


__all__ = ["LAST", "Records", "exists", "find_run", "known_run", "opened"]
