"""What a disk that failed, a process that was killed or a folder that takes nothing leaves of a ledger."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from chained import A_STORY, requested
from licet.errors import LedgerUnavailableError
from licet.ledger import file
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection, Cursor
from licet.ledger.verify import verify_file


class Answering:
    """A connection that answers one statement in its own way: with a row, or by raising."""

    def __init__(self, inner: Connection, sql: str, answer: str | Exception) -> None:
        self._inner, self._sql, self._answer = inner, sql, answer

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql == self._sql:
            if isinstance(self._answer, Exception):
                raise self._answer
            sql = self._answer
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


@pytest.mark.parametrize(
    ("sql", "answer", "reason"),
    [
        ("PRAGMA wal_checkpoint(TRUNCATE)", sqlite3.OperationalError("disk I/O error"), "disk I/O error"),
        ("PRAGMA wal_checkpoint(TRUNCATE)", "SELECT 1, 0, 0", "could not be written in full"),
        ("PRAGMA wal_checkpoint(TRUNCATE)", "SELECT 0, -1, -1", "could not be written in full"),
        ("PRAGMA journal_mode = WAL", "SELECT 'delete'", "journal is 'delete'"),
        ("PRAGMA synchronous", "SELECT 1", "synchronous=1"),
    ],
)
def test_a_ledger_that_could_not_be_laid_out_safely_gets_no_name(
    tmp_path: Path, sql: str, answer: str | Exception, reason: str
) -> None:
    """SQLite folds the log into the file when it closes it, and keeps to itself that this failed."""
    with pytest.raises(LedgerUnavailableError, match=reason):
        SqliteLedger(tmp_path / "ledger.db", connect=lambda uri: Answering(file.connect(uri), sql, answer))
    assert os.listdir(tmp_path) == []


KILLED = """
import os, signal, sys
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft
ledger = SqliteLedger(sys.argv[1])
ledger.append(Draft("run", "tool.requested", "x", b'{"call":"c1"}', b"{}"), durable=True).wait()
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(path: Path) -> Path:
    """A ledger whose one entry stands in the log that a killed process left; gives the log."""
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    log = path.with_name(f"{path.name}-wal")
    assert log.stat().st_size > 0
    return log


def test_what_a_killed_process_left_in_the_log_is_folded_in_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    log = killed(path)
    with closing(SqliteLedger(path)) as ledger:
        assert log.stat().st_size == 0, "what the disk had failed to sync would take later entries with it"
        assert [entry.seq for entry in ledger.entries()] == [1]
        ledger.append(A_STORY[0], durable=False)
    assert verify_file(path).count == 2


def test_an_error_while_it_is_folded_in_makes_the_ledger_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    killed(path)
    error = sqlite3.OperationalError("disk I/O error")
    with pytest.raises(LedgerUnavailableError, match="disk I/O error"):
        SqliteLedger(path, connect=lambda uri: Answering(file.connect(uri), "PRAGMA wal_checkpoint(TRUNCATE)", error))
    assert verify_file(path).count == 1


def test_who_reads_for_long_does_not_keep_a_writer_out(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(SqliteLedger(path)) as first:
        for draft in A_STORY:
            first.append(draft, durable=False)
        reading = first.entries()
        next(reading)
        began = monotonic()
        with closing(SqliteLedger(path, busy_s=20.0)) as second:
            assert monotonic() - began < 10, "it waited for the reader as for a writer"
            second.append(requested("c9"), durable=False)
        assert len(list(reading)) == len(A_STORY) - 1
    assert verify_file(path).count == len(A_STORY) + 1


@pytest.mark.parametrize("exists", [False, True])
def test_the_name_of_the_folder_is_on_stable_storage_before_there_is_a_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    """Who made the folder may have been killed before that, and the ledger would be gone with it after a power cut."""
    synced: list[tuple[str, bool]] = []
    path, fsync = tmp_path / "state" / "ledger.db", os.fsync

    def watched(handle: int) -> None:
        synced.append((os.readlink(f"/proc/self/fd/{handle}"), path.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    if exists:
        path.parent.mkdir()
    SqliteLedger(path).close()
    assert synced == [(str(tmp_path), False), (str(path.parent), True)]


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


def test_a_closed_ledger_in_a_folder_that_takes_nothing_is_verified(reachable: Path) -> None:
    path = reachable / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        for draft in A_STORY:
            ledger.append(draft, durable=False)
    path.chmod(0o444)
    reachable.chmod(0o555)
    with without_privileges():
        found = verify_file(path)
    assert (found.ok, found.count) == (True, len(A_STORY))
    assert os.listdir(reachable) == ["ledger.db"]


def test_a_log_in_a_folder_that_takes_nothing_is_never_passed_over(reachable: Path) -> None:
    path = reachable / "ledger.db"
    log = killed(path)
    path.with_name("ledger.db-shm").unlink()
    for part in (path, log):
        part.chmod(0o444)
    reachable.chmod(0o555)
    with without_privileges(), suppress(LedgerUnavailableError):  # which of the two, SQLite's version decides
        assert verify_file(path).count == 1


def test_a_folder_that_takes_files_is_read_with_every_lock(tmp_path: Path) -> None:
    """A ledger that somebody may be writing is no immutable file."""
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    opened: list[str] = []

    def watched(uri: str) -> Connection:
        opened.append(uri)
        return file.connect(uri)

    verify_file(path, connect=watched)
    assert [uri for uri in opened if "immutable" in uri] == []


def test_a_folder_below_one_that_may_not_be_listed_gets_a_ledger(reachable: Path) -> None:
    mine = reachable / "mine"
    mine.mkdir()
    mine.chmod(0o777)
    reachable.chmod(0o711)
    with without_privileges():
        SqliteLedger(mine / "ledger.db").close()
    assert verify_file(mine / "ledger.db").ok
