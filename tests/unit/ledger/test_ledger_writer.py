"""Groups at the end of the chain: whole, in order, behind whoever was first, and with room in the log."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chained import requested
from licet.errors import LedgerUnavailableError
from licet.ledger import file, writer
from licet.ledger.chain import digest_of
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection, Cursor
from licet.ledger.verify import verify_file
from licet.ledger.writer import Line, Writer


class Said:
    """A connection that keeps the beginnings of the statements that were asked of it, and fails at one if told to."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner
        self.statements: list[str] = []
        self.fails_at = ""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        self.statements.append(sql.split()[0])
        if sql == self.fails_at:
            raise sqlite3.OperationalError("disk I/O error")
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    return path


@pytest.fixture
def said(path: Path) -> Iterator[Said]:
    connection, _ = file.open_writer(path, file.connect, 1.0)
    with closing(Said(connection)) as said:
        yield said


def lines(first: int, many: int) -> list[Line]:
    drafts = [requested(f"c{number}") for number in range(first, first + many)]
    return [
        (d.run_id, d.kind, d.actor, d.body.decode(), d.trace.decode(), digest_of(d.kind, d.actor, d.body), d.trace)
        for d in drafts
    ]


def calls(path: Path) -> list[str]:
    """The calls on a whole ledger, in order."""
    found = verify_file(path)
    assert found.ok, found.problem
    with closing(sqlite3.connect(path)) as raw:
        return [call for (call,) in raw.execute("SELECT call FROM entry ORDER BY seq")]


@pytest.mark.parametrize("many", [1, 2, 63, 64, 256])
def test_a_group_is_one_statement_that_commits_itself(path: Path, said: Said, many: int) -> None:
    made = Writer(path, said)
    linked = made.link(lines(0, many))
    said.statements.clear()
    made.write(linked)
    assert said.statements == ["INSERT"]
    assert calls(path) == [f"c{number}" for number in range(many)]


@pytest.mark.parametrize("many", [65, 100, 128, 255])
def test_a_group_of_another_size_is_one_transaction(path: Path, said: Said, many: int) -> None:
    made = Writer(path, said)
    linked = made.link(lines(0, many))
    said.statements.clear()
    made.write(linked)
    inserts = ["INSERT"] * -(-many // 64)
    assert said.statements == ["BEGIN", "SELECT", *inserts, "COMMIT"]
    assert calls(path) == [f"c{number}" for number in range(many)]


@pytest.mark.parametrize("many", [1, 64, 100, 256])
def test_a_group_whose_places_were_taken_meanwhile_gets_the_next_ones(path: Path, said: Said, many: int) -> None:
    made = Writer(path, said)
    made.write(made.link(lines(1000, 1)))
    linked = made.link(lines(0, many))
    with closing(SqliteLedger(path)) as other:
        other.append(requested("other"), durable=False)
    made.write(linked)
    made.write(made.link(lines(2000, 1)))
    assert calls(path) == ["c1000", "other", *(f"c{number}" for number in range(many)), "c2000"]


@pytest.mark.parametrize("many", [1, 256])
def test_a_group_is_not_put_behind_a_gap(path: Path, said: Said, many: int) -> None:
    made = Writer(path, said)
    made.write(made.link(lines(1000, 2)))
    linked = made.link(lines(0, many))
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("DROP TRIGGER entry_kept")
        raw.execute("DELETE FROM entry WHERE seq = 2")
    with pytest.raises(LedgerUnavailableError, match="gone or changed"):
        made.write(linked)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT count(*) FROM entry").fetchone() == (1,)


def test_a_group_that_fails_under_its_lock_leaves_nothing_and_lets_go_of_it(path: Path, said: Said) -> None:
    made = Writer(path, said)
    said.fails_at = "COMMIT"
    with pytest.raises(LedgerUnavailableError, match="disk I/O error"):
        made.write(made.link(lines(0, 100)))
    with closing(SqliteLedger(path, busy_s=0.01)) as other:
        other.append(requested("other"), durable=False)
    assert calls(path) == ["other"]


def log_bytes(path: Path) -> int:
    return Path(f"{path}-wal").stat().st_size


def test_the_log_of_a_busy_writer_gets_room_once_and_nothing_else_comes_of_it(
    path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROOM_AFTER", 3)
    made, cached = Writer(path, said), said.execute("PRAGMA cache_size").fetchone()
    for number in range(3):
        made.write(made.link(lines(number, 1)))
    assert log_bytes(path) < 100_000
    made.write(made.link(lines(3, 1)))
    room = log_bytes(path)
    assert room > file.ROOM_BYTES
    for number in range(4, 10):
        made.write(made.link(lines(number, 1)))
    assert log_bytes(path) == room
    assert said.statements.count("ROLLBACK") == 1
    assert said.execute("PRAGMA cache_size").fetchone() == cached
    assert calls(path) == [f"c{number}" for number in range(10)]


def test_a_log_that_gets_no_room_keeps_nobody_from_writing(
    path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROOM_AFTER", 1)
    pages = said.execute("PRAGMA page_count").fetchone()[0]
    said.execute(f"PRAGMA max_page_count = {pages + 20}")
    made = Writer(path, said)
    for number in range(3):
        made.write(made.link(lines(number, 1)))
    assert log_bytes(path) < file.ROOM_BYTES
    assert said.statements.count("ROLLBACK") == 1
    assert calls(path) == ["c0", "c1", "c2"]
