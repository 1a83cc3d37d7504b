"""The ledger's file: what is made, what is opened, and what is not."""

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from chained import A_STORY, linked, requested
from licet.errors import LedgerUnavailableError
from licet.ledger import open_ledger
from licet.ledger.memory import MemoryLedger
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file


def begun(path: Path) -> Path:
    """A ledger with a story in it, closed."""
    ledger = SqliteLedger(path)
    for draft in A_STORY:
        ledger.append(draft, durable=False)
    ledger.close()
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def without_privileges() -> Iterator[None]:
    """File modes mean nothing to root."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that a user without privileges can reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


# --- making ---


def test_a_new_ledger_and_its_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ledger = SqliteLedger(tmp_path / "state" / "ledger.db")
        ledger.append(A_STORY[0], durable=False)
        ledger.flush()
        assert mode(tmp_path / "state") == 0o700
        assert {file.name: mode(file) for file in (tmp_path / "state").iterdir()} == {
            "ledger.db": 0o600,
            "ledger.db-wal": 0o600,
            "ledger.db-shm": 0o600,
        }
        ledger.close()
    finally:
        os.umask(before)


def test_a_folder_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    SqliteLedger(tmp_path / "ledger.db").close()
    assert mode(tmp_path) == 0o755


def test_a_closed_ledger_is_one_file(tmp_path: Path) -> None:
    begun(tmp_path / "ledger.db")
    assert os.listdir(tmp_path) == ["ledger.db"]


def test_entries_outlive_the_ledger_that_wrote_them(tmp_path: Path) -> None:
    path = begun(tmp_path / "ledger.db")
    with closing(SqliteLedger(path)) as ledger:
        assert list(ledger.entries()) == linked(*A_STORY)
        ledger.append(requested("c9"), durable=False)
        assert [entry.seq for entry in ledger.entries()] == list(range(1, len(A_STORY) + 2))


def test_a_ledger_keeps_its_id(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "a.db")) as first, closing(SqliteLedger(tmp_path / "b.db")) as other:
        assert len(first.id) == 16
        assert first.id != other.id
    with closing(SqliteLedger(tmp_path / "a.db")) as again:
        assert again.id == first.id


def test_a_path_with_every_kind_of_character_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a %41?mode=memory#x&y é.db"
    begun(path)
    assert os.listdir(tmp_path) == [path.name]
    assert verify_file(path).count == len(A_STORY)


def test_a_relative_path_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = SqliteLedger("ledger.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.append(A_STORY[0], durable=False)
    assert len(list(ledger.entries())) == 1
    ledger.close()
    assert os.listdir(tmp_path / "elsewhere") == []


def test_many_that_begin_one_ledger_at_once_get_the_same(tmp_path: Path) -> None:
    start = threading.Barrier(6)
    ids: list[bytes] = []

    def begin() -> None:
        start.wait()
        with closing(SqliteLedger(tmp_path / "ledger.db")) as ledger:
            ids.append(ledger.id)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 6
    assert len(set(ids)) == 1
    assert [name for name in os.listdir(tmp_path) if not name.startswith("ledger.db")] == [], "drafts of the losers"


def test_open_ledger_takes_a_path_or_keeps_everything_in_memory(tmp_path: Path) -> None:
    assert isinstance(open_ledger(), MemoryLedger)
    ledger = open_ledger(str(tmp_path / "ledger.db"))
    assert isinstance(ledger, SqliteLedger)
    ledger.close()


# --- refusing ---


def refuse(path: Path, reason: str) -> None:
    with pytest.raises(LedgerUnavailableError, match=reason) as told:
        SqliteLedger(path)
    assert str(path) in str(told.value)


def test_a_missing_folder_is_not_made_up(tmp_path: Path) -> None:
    refuse(tmp_path / "no" / "such" / "ledger.db", "No such file or directory")
    assert os.listdir(tmp_path) == []


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    refuse(tmp_path / "ledger.db", "not a regular file")
    assert os.listdir(tmp_path / "ledger.db") == []


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("mine")
    refuse(tmp_path / "state" / "ledger.db", "Not a directory")
    assert (tmp_path / "state").read_text() == "mine"


def test_a_dangling_link_is_not_filled(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").symlink_to(tmp_path / "elsewhere.db")
    refuse(tmp_path / "ledger.db", "no such file")
    assert os.listdir(tmp_path) == ["ledger.db"]


def test_an_empty_file_is_not_taken_for_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").touch()
    refuse(tmp_path / "ledger.db", "empty")
    assert (tmp_path / "ledger.db").read_bytes() == b""


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0", b"\0" * 8192, b"x" * 8192])
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(content)
    refuse(tmp_path / "ledger.db", "not a database|schema")
    assert (tmp_path / "ledger.db").read_bytes() == content
    assert os.listdir(tmp_path) == ["ledger.db"]


def test_another_database_is_left_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as other, other:
        other.execute("CREATE TABLE entry(seq INTEGER PRIMARY KEY)")
    refuse(tmp_path / "ledger.db", "schema")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as other:
        assert other.execute("SELECT count(*) FROM entry").fetchone() == (0,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER entry_kept",
        "DROP TRIGGER entry_unchanged",
        "DROP TRIGGER entry_in_order",
        "DROP TRIGGER meta_unchanged",
        "DROP INDEX entry_by_call",
        "DROP INDEX entry_by_run",
        "CREATE TABLE more(x)",
        "CREATE VIEW more AS SELECT 1",
        "CREATE INDEX more ON entry(kind)",
        "CREATE TRIGGER more AFTER INSERT ON entry BEGIN SELECT 1; END",
        "ALTER TABLE entry ADD COLUMN more TEXT",
        "ALTER TABLE meta RENAME TO meta2",
    ],
)
def test_any_other_schema_is_refused(tmp_path: Path, change: str) -> None:
    path = begun(tmp_path / "ledger.db")
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(change)
    refuse(path, "schema")
    with pytest.raises(LedgerUnavailableError, match="schema"):
        verify_file(path)


def raw_meta(path: Path, statement: str) -> None:
    """Change the meta behind the triggers' back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE name LIKE 'meta_%'").fetchall()
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute(statement)
        for _, sql in triggers:
            raw.execute(sql)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE meta SET format = 2", "meta was changed"),
        ("UPDATE meta SET ledger_id = zeroblob(16)", "meta was changed"),
        ("UPDATE meta SET ledger_id = zeroblob(15)", "meta was changed"),
        ("UPDATE meta SET created_us = created_us + 1", "meta was changed"),
        ("UPDATE meta SET digest = zeroblob(32)", "meta was changed"),
        ("DELETE FROM meta", "0 lines of meta"),
        ("INSERT INTO meta SELECT * FROM meta", "2 lines of meta"),
    ],
)
def test_a_changed_meta_is_refused(tmp_path: Path, change: str, reason: str) -> None:
    path = begun(tmp_path / "ledger.db")
    raw_meta(path, change)
    refuse(path, reason)
    with pytest.raises(LedgerUnavailableError, match=reason):
        verify_file(path)


def test_a_file_that_may_not_be_written_is_refused(reachable: Path) -> None:
    path = begun(reachable / "ledger.db")
    path.chmod(0o444)
    reachable.chmod(0o555)
    with without_privileges():
        refuse(path, "readonly|unable to open|Permission")


def test_a_folder_that_may_not_be_written_gets_no_ledger(reachable: Path) -> None:
    reachable.chmod(0o555)
    with without_privileges():
        refuse(reachable / "ledger.db", "Permission denied")
    assert os.listdir(reachable) == []


def test_a_file_system_without_links_gets_no_half_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    refuse(tmp_path / "ledger.db", "local file system")
    assert os.listdir(tmp_path) == []


def test_sqlite_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    refuse(tmp_path / "ledger.db", "3.37")
    assert os.listdir(tmp_path) == []


def test_a_process_that_can_start_no_thread_gets_no_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    SqliteLedger(tmp_path / "ledger.db").close()
    monkeypatch.setattr(threading.Thread, "start", start)
    refuse(tmp_path / "ledger.db", "can't start new thread")
    assert os.listdir(tmp_path) == ["ledger.db"], "what was opened was closed again"


def test_importing_the_ledgers_opens_no_database_library() -> None:
    code = "import licet.ledger.memory, licet.ledger.sqlite, sys; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
