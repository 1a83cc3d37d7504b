"""The triggers stop accidents: nothing but an append at the end goes through an ordinary connection."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from chained import A_STORY, linked
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file

LAST = len(A_STORY)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        for draft in A_STORY:
            ledger.append(draft, durable=False)
    return path


@pytest.fixture
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def row(seq: object) -> str:
    return f"VALUES ({seq}, 'r', 'a.b', 'x', '{{}}', '{{}}', zeroblob(32), zeroblob(32), NULL)"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET body = '{}' WHERE seq = 2",
        "UPDATE entry SET call = 'c9'",
        "UPDATE entry SET seq = 100 WHERE seq = 1",
        "UPDATE OR REPLACE entry SET seq = 1 WHERE seq = 2",
        "UPDATE OR IGNORE entry SET actor = 'nobody'",
        "DELETE FROM entry WHERE seq = 1",
        f"DELETE FROM entry WHERE seq = {LAST}",
        "DELETE FROM entry",
        f"INSERT INTO entry {row(1)}",
        f"INSERT INTO entry {row(0)}",
        f"INSERT INTO entry {row(-1)}",
        f"INSERT INTO entry {row(LAST)}",
        f"INSERT INTO entry {row(LAST + 2)}",
        f"INSERT INTO entry {row('NULL')}",
        f"INSERT OR REPLACE INTO entry {row(LAST)}",
        f"INSERT OR REPLACE INTO entry {row(1)}",
        f"INSERT OR IGNORE INTO entry {row(1)}",
        f"REPLACE INTO entry {row(2)}",
        f"INSERT INTO entry {row(3)} ON CONFLICT (seq) DO UPDATE SET body = '{{}}'",
        f"INSERT INTO entry {row(3)} ON CONFLICT DO NOTHING",
        "UPDATE meta SET ledger_id = randomblob(16)",
        "DELETE FROM meta",
        "INSERT INTO meta SELECT * FROM meta",
        "REPLACE INTO meta SELECT * FROM meta",
    ],
)
def test_an_accident_is_stopped(path: Path, raw: sqlite3.Connection, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="ledger"):
        raw.execute(statement)
    found = verify_file(path)
    assert (found.ok, found.count, found.head) == (True, LAST, linked(*A_STORY)[-1].head)


@pytest.mark.parametrize(
    "values",
    [
        f"{LAST + 1}, 'r', 'a.b', 'x', X'7b7d', '{{}}', zeroblob(32), zeroblob(32), NULL",
        f"{LAST + 1}, NULL, 'a.b', 'x', '{{}}', '{{}}', zeroblob(32), zeroblob(32), NULL",
        f"{LAST + 1}, 'r', 'a.b', 'x', '{{}}', '{{}}', 'text', zeroblob(32), NULL",
    ],
)
def test_a_column_of_another_type_is_stopped(path: Path, raw: sqlite3.Connection, values: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(f"INSERT INTO entry VALUES ({values})")
    assert verify_file(path).ok


def test_an_append_that_is_no_link_goes_through_and_is_found(path: Path, raw: sqlite3.Connection) -> None:
    raw.execute(f"INSERT INTO entry {row(LAST + 1)}")
    found = verify_file(path)
    assert (found.ok, found.count, found.seq) == (False, LAST, LAST + 1)
