"""When the ledger cannot be written: whoever waits is told, and from then on nothing is taken."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from chained import A_STORY, draft, requested
from licet.errors import LedgerUnavailableError
from licet.ledger import file
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection, Cursor
from licet.ledger.verify import verify_file


class Failing:
    """A connection that fails when told to: ``fail`` gets each statement and raises if it wants to."""

    def __init__(self, inner: Connection, fail: Callable[[str], None]) -> None:
        self._inner, self._fail = inner, fail

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        self._fail(sql)
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


class Fault:
    """Raises ``error`` at the next statements that begin with ``at``, ``times`` times."""

    def __init__(self) -> None:
        self.at, self.times, self.error = "", 0, BaseException()
        self.met = 0
        self.until = threading.Event()
        self.until.set()

    def arm(self, at: str, error: BaseException, times: int = 1) -> None:
        self.at, self.error, self.times = at, error, times

    def __call__(self, sql: str) -> None:
        if self.times and sql.startswith(self.at):
            assert self.until.wait(20)
            self.times -= 1
            self.met += 1
            raise self.error

    def connect(self, uri: str) -> Connection:
        return Failing(file.connect(uri), self)


def busy() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


def sound(path: Path) -> int:
    """How many entries a whole ledger holds."""
    found = verify_file(path)
    assert found.ok, found.problem
    return found.count


def refused_from_now_on(ledger: SqliteLedger, reason: str) -> None:
    for durable in (True, False):
        with pytest.raises(LedgerUnavailableError, match=reason):
            ledger.append(requested("later"), durable=durable)
    with pytest.raises(LedgerUnavailableError, match=reason):
        ledger.flush()
    with pytest.raises(LedgerUnavailableError, match=reason):
        ledger.find("later")
    with pytest.raises(LedgerUnavailableError, match=reason):
        ledger.entries()


FAULTS = {
    "read only": ("INSERT", sqlite3.OperationalError("attempt to write a readonly database")),
    "full": ("INSERT", sqlite3.OperationalError("database or disk is full")),
    "disk": ("INSERT", sqlite3.OperationalError("disk I/O error")),
    "corrupt": ("SELECT", sqlite3.DatabaseError("database disk image is malformed")),
    "no memory": ("INSERT", MemoryError("out of memory")),
    "an exit": ("INSERT", SystemExit("somebody wants to leave")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_write_is_told_and_final(tmp_path: Path, fault: str) -> None:
    path, wires = tmp_path / "ledger.db", Fault()
    ledger = SqliteLedger(path, connect=wires.connect)
    acknowledged = ledger.append(A_STORY[0], durable=True)
    assert acknowledged is not None
    acknowledged.wait()
    at, error = FAULTS[fault]
    wires.arm(at, error)
    receipt = ledger.append(A_STORY[1], durable=True)
    assert receipt is not None
    with pytest.raises(LedgerUnavailableError, match=str(error)):
        receipt.wait()
    with pytest.raises(LedgerUnavailableError, match=str(error)):
        receipt.wait()  # every wait is told
    refused_from_now_on(ledger, str(error))
    ledger.close()
    assert sound(path) == 1, "what failed is not there, what was acknowledged is"
    with closing(SqliteLedger(path)) as again:
        again.append(A_STORY[1], durable=False)
    assert sound(path) == 2


def test_the_message_names_the_file(tmp_path: Path) -> None:
    wires = Fault()
    ledger = SqliteLedger(tmp_path / "ledger.db", connect=wires.connect)
    wires.arm("INSERT", sqlite3.OperationalError("disk I/O error"))
    receipt = ledger.append(A_STORY[0], durable=True)
    assert receipt is not None
    with pytest.raises(LedgerUnavailableError, match=r"the ledger .*ledger\.db is not available: disk I/O error"):
        receipt.wait()
    ledger.close()


async def test_everybody_who_waits_on_a_loop_is_told(tmp_path: Path) -> None:
    wires = Fault()
    ledger = SqliteLedger(tmp_path / "ledger.db", connect=wires.connect)
    wires.arm("INSERT", sqlite3.OperationalError("disk I/O error"))

    async def one(number: int) -> None:
        receipt = ledger.append(requested(f"c{number}"), durable=True)
        assert receipt is not None
        await receipt

    told = await asyncio.gather(*(one(number) for number in range(20)), return_exceptions=True)
    assert [type(error) for error in told] == [LedgerUnavailableError] * 20
    assert len(set(map(id, told))) == 20, "one exception each: a shared one would collect everybody's traceback"
    ledger.close()


def test_what_nobody_waited_for_makes_the_ledger_unavailable_too(tmp_path: Path) -> None:
    wires = Fault()
    ledger = SqliteLedger(tmp_path / "ledger.db", connect=wires.connect)
    wires.arm("INSERT", sqlite3.OperationalError("database or disk is full"))
    assert ledger.append(A_STORY[0], durable=False) is None
    with pytest.raises(LedgerUnavailableError, match="full"):
        ledger.flush()
    refused_from_now_on(ledger, "full")
    ledger.close()


def test_closing_tells_what_nobody_else_could(tmp_path: Path) -> None:
    wires = Fault()
    ledger = SqliteLedger(tmp_path / "ledger.db", connect=wires.connect)
    ledger.flush()
    wires.arm("INSERT", busy(), times=2)
    wires.until.clear()  # the failure comes when it is being closed, not before
    ledger.append(A_STORY[0], durable=False)

    def fail_once_it_closes() -> None:
        with suppress(LedgerUnavailableError):
            while True:
                ledger.find("c9")
        wires.until.set()

    threading.Thread(target=fail_once_it_closes).start()
    with pytest.raises(LedgerUnavailableError, match="locked"):
        ledger.close()
    ledger.close()
    assert os.listdir(tmp_path) == ["ledger.db"]


def test_one_lock_timeout_is_tried_again(tmp_path: Path) -> None:
    wires = Fault()
    ledger = SqliteLedger(tmp_path / "ledger.db", connect=wires.connect)
    wires.arm("INSERT", busy(), times=1)
    ledger.append(A_STORY[0], durable=False)
    ledger.flush()
    ledger.close()
    assert (wires.met, sound(tmp_path / "ledger.db")) == (1, 1)


def test_a_second_lock_timeout_is_final(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger.db", busy_s=0.01)) as ledger:
        with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            receipt = ledger.append(A_STORY[0], durable=True)
            assert receipt is not None
            with pytest.raises(LedgerUnavailableError, match="locked"):
                receipt.wait()
            other.execute("ROLLBACK")
        refused_from_now_on(ledger, "locked")
    assert sound(tmp_path / "ledger.db") == 0


def test_a_full_file_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    def small(uri: str) -> Connection:
        connection = file.connect(uri)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    ledger = SqliteLedger(tmp_path / "ledger.db", connect=small)
    acknowledged = 0

    def fill() -> None:
        nonlocal acknowledged
        for number in range(100):
            receipt = ledger.append(requested(f"c{number}", padding="x" * 3000), durable=True)
            assert receipt is not None
            receipt.wait()
            acknowledged += 1

    with pytest.raises(LedgerUnavailableError, match="full"):
        fill()
    refused_from_now_on(ledger, "full")
    ledger.close()
    assert 10 < acknowledged < 100
    assert sound(tmp_path / "ledger.db") == acknowledged


FILL = """
import resource, sys
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft
ledger = SqliteLedger(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for number in range(1000):
        ledger.append(Draft("r", "a.b", "x", b'"%b"' % (b"x" * 3000), b"{}"), durable=True).wait()
        print(number + 1, flush=True)
except LedgerUnavailableError as exc:
    print(exc, file=sys.stderr)
    sys.exit(7)
"""


def test_a_disk_that_takes_no_more_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    filled = subprocess.run([sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=False)
    assert filled.returncode == 7, filled.stderr
    assert "disk" in filled.stderr
    acknowledged = int(filled.stdout.split()[-1])
    assert 10 < acknowledged < 1000
    assert sound(path) == acknowledged


# --- the file changes under the ledger ---


def test_a_file_that_was_taken_away_takes_no_more(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    ledger.append(A_STORY[0], durable=False)
    ledger.flush()
    ledger.path.unlink()
    ledger.append(A_STORY[1], durable=False)
    with pytest.raises(LedgerUnavailableError, match="No such file"):
        ledger.flush()
    refused_from_now_on(ledger, "No such file")
    ledger.close()
    assert not ledger.path.exists()


def test_a_file_that_was_replaced_takes_no_more(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "other.db").close()
    ledger = SqliteLedger(tmp_path / "ledger.db")
    ledger.append(A_STORY[0], durable=False)
    ledger.flush()
    (tmp_path / "other.db").rename(ledger.path)
    ledger.append(A_STORY[1], durable=False)
    with pytest.raises(LedgerUnavailableError, match="replaced"):
        ledger.flush()
    refused_from_now_on(ledger, "replaced")
    ledger.close()


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM entry WHERE seq > 1", "UPDATE entry SET head = zeroblob(32) WHERE seq = 2", "DELETE FROM entry"],
)
def test_entries_that_go_missing_under_an_open_ledger_stop_it(tmp_path: Path, change: str) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    ledger.append(A_STORY[0], durable=False)
    ledger.append(A_STORY[1], durable=False)
    ledger.flush()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as raw:
        for trigger in ("entry_kept", "entry_unchanged"):
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.execute(change)
    ledger.append(A_STORY[2], durable=False)
    with pytest.raises(LedgerUnavailableError, match="gone or changed"):
        ledger.flush()
    refused_from_now_on(ledger, "gone or changed")
    ledger.close()


def seems_whole(path: Path) -> bool:
    try:
        return verify_file(path).ok
    except LedgerUnavailableError:
        return False


def test_a_damaged_file_is_refused_or_found_out(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(path)
    for number in range(200):
        ledger.append(draft("a.b", None, padding="x" * 200, number=number), durable=False)
    ledger.close()
    whole = path.read_bytes()
    for page in range(1, len(whole) // 4096):
        path.write_bytes(whole[: page * 4096] + b"\xff" * 4096 + whole[(page + 1) * 4096 :])
        assert not seems_whole(path), f"page {page} was destroyed"
    path.write_bytes(whole)
    assert sound(path) == 200
