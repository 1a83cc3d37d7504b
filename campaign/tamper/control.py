"""Verifiers that leave something out: what the campaign must notice, or its silence means nothing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from campaign.tamper.mutation import ENTRY_COLUMNS
from campaign.tamper.victim import Victim
from licet.ledger import file, verify
from licet.ledger.call import call_of
from licet.ledger.table import Connection, Cursor


@contextmanager
def that_skips(column: str, victim: Victim) -> Iterator[None]:
    """A verifier that does not look at one column: it sees in it what stood there before."""
    place = ENTRY_COLUMNS.index(column)
    honest = [(*entry, call_of(entry.kind, entry.body.decode()))[place] for entry in victim.entries]
    walk: Callable[..., Any] = verify._walk

    def skipping(rows: Iterable[Sequence[Any]], *rest: Any) -> Any:
        return walk((_with(row, place, honest[n]) if n < len(honest) else row for n, row in enumerate(rows)), *rest)

    with patch.object(verify, "_walk", skipping):
        yield


def _with(row: Sequence[Any], place: int, value: Any) -> Sequence[Any]:
    return (*row[:place], value, *row[place + 1 :])


class Trusting:
    """A connection that says of every index that it is whole."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        return self._inner.execute("SELECT 'ok'" if sql.startswith("PRAGMA integrity_check") else sql, values)

    def close(self) -> None:
        self._inner.close()


def trusting(uri: str) -> Connection:
    return Trusting(file.connect(uri))


__all__ = ["that_skips", "trusting"]
