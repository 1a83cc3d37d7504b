"""Waiting for an entry: on a loop, in a thread, cancelled, abandoned, and in line behind many others."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from chained import A_STORY, completed, linked, requested
from licet.errors import LedgerUnavailableError
from licet.ledger import committer, file
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection, Cursor
from licet.ledger.verify import verify_file


class Gate:
    """A connection whose commits wait until the test lets them go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self.open.set()
        self.commits = 0

    def connect(self, uri: str) -> Connection:
        return Gated(file.connect(uri), self)

    def shut(self) -> None:
        self.reached.clear()
        self.open.clear()


class Gated:
    def __init__(self, inner: Connection, gate: Gate) -> None:
        self._inner, self._gate = inner, gate

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql.startswith("INSERT INTO entry"):
            self._gate.reached.set()
            assert self._gate.open.wait(20)
            self._gate.commits += 1
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def ledger(tmp_path: Path, gate: Gate) -> Iterator[SqliteLedger]:
    made = SqliteLedger(tmp_path / "ledger.db", connect=gate.connect)
    gate.commits = 0
    yield made
    gate.open.set()
    made.close()


def committed(ledger: SqliteLedger) -> int:
    """How many entries another connection sees."""
    raw = sqlite3.connect(ledger.path)
    try:
        count: int = raw.execute("SELECT count(*) FROM entry").fetchone()[0]
        return count
    finally:
        raw.close()


async def reached(gate: Gate) -> None:
    await asyncio.get_running_loop().run_in_executor(None, gate.reached.wait, 20)


async def test_nothing_is_acknowledged_before_its_commit(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    receipt = ledger.append(requested("c1"), durable=True)
    assert receipt is not None
    waiting = asyncio.ensure_future(receipt)
    await reached(gate)
    await asyncio.sleep(0)
    assert not waiting.done()
    assert committed(ledger) == 0
    gate.open.set()
    await waiting
    assert committed(ledger) == 1


async def test_waiting_for_what_was_acknowledged_ends_at_once(ledger: SqliteLedger) -> None:
    receipt = ledger.append(requested("c1"), durable=True)
    assert receipt is not None
    await receipt
    await receipt
    receipt.wait()


async def test_entries_that_come_during_a_commit_share_the_next(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    first = ledger.append(requested("c0"), durable=True)
    assert first is not None
    await reached(gate)
    others = [ledger.append(requested(f"c{number}"), durable=True) for number in range(1, 40)]
    gate.open.set()
    for receipt in (first, *others):
        assert receipt is not None
        await receipt
    assert gate.commits == 2
    assert committed(ledger) == 40


async def test_a_cancelled_wait_takes_nothing_back(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    receipt = ledger.append(requested("c1"), durable=True)
    other = ledger.append(completed("c1"), durable=True)
    assert receipt is not None
    assert other is not None
    cancelled, kept = asyncio.ensure_future(receipt), asyncio.ensure_future(other)
    await reached(gate)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    gate.open.set()
    await kept
    assert committed(ledger) == 2
    await receipt  # who asks again is told


def test_a_loop_that_closes_takes_nothing_back(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    loop = asyncio.new_event_loop()

    async def wait_for_ever() -> None:
        receipt = ledger.append(requested("c1"), durable=True)
        assert receipt is not None
        await receipt

    task = loop.create_task(wait_for_ever())
    loop.call_later(0, loop.stop)
    loop.run_forever()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()
    gate.open.set()
    ledger.flush()
    assert committed(ledger) == 1
    ledger.append(completed("c1"), durable=False)
    ledger.flush()
    assert committed(ledger) == 2


def test_two_loops_wait_for_one_commit(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    first = ledger.append(requested("c0"), durable=False)
    assert first is None
    assert gate.reached.wait(20)
    started = threading.Barrier(3)
    failures: list[BaseException] = []

    async def one(call: str) -> None:
        receipt = ledger.append(requested(call), durable=True)
        assert receipt is not None
        waiting = asyncio.ensure_future(receipt)
        await asyncio.sleep(0)
        started.wait()
        await waiting

    def run(call: str) -> None:
        try:
            asyncio.run(one(call))
        except BaseException as exc:
            failures.append(exc)

    threads = [threading.Thread(target=run, args=(f"c{number}",)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    started.wait()
    gate.open.set()
    for thread in threads:
        thread.join(20)
    assert failures == []
    assert gate.commits == 2
    assert committed(ledger) == 3


def test_a_thread_waits_only_as_long_as_it_wants(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    receipt = ledger.append(requested("c1"), durable=True)
    assert receipt is not None
    with pytest.raises(LedgerUnavailableError, match="within 0 s"):
        receipt.wait(0)
    gate.open.set()
    receipt.wait(20)
    assert committed(ledger) == 1


def test_a_read_is_not_waited_for_until_the_line_is_long(
    ledger: SqliteLedger, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "LIMIT_ITEMS", 3)
    gate.shut()
    assert ledger.append(requested("c0"), durable=False) is None
    assert gate.reached.wait(20)  # it is being written: the next ones are the line
    assert [ledger.append(requested(f"c{number}"), durable=False) for number in (1, 2, 3)] == [None, None, None]
    over = ledger.append(requested("c4"), durable=False)
    assert over is not None
    gate.open.set()
    over.wait(20)
    assert committed(ledger) == 5


def test_a_line_of_many_bytes_is_long(ledger: SqliteLedger, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "LIMIT_BYTES", 4000)
    gate.shut()
    assert ledger.append(requested("c0"), durable=False) is None
    assert gate.reached.wait(20)
    assert ledger.append(requested("c1"), durable=False) is None
    over = ledger.append(requested("c2", padding="x" * 4000), durable=False)
    assert over is not None
    gate.open.set()
    over.wait(20)


def test_flush_and_head_wait_for_what_is_being_written(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    ledger.append(A_STORY[0], durable=False)
    assert gate.reached.wait(20)
    threading.Timer(0, gate.open.set).start()
    ledger.flush()
    assert committed(ledger) == 1
    assert ledger.head == linked(A_STORY[0])[0].head


def test_close_writes_what_is_in_line(ledger: SqliteLedger, gate: Gate) -> None:
    gate.shut()
    for draft in A_STORY:
        ledger.append(draft, durable=False)
    threading.Timer(0, gate.open.set).start()
    ledger.close()
    assert os.listdir(ledger.path.parent) == ["ledger.db"]
    found = verify_file(ledger.path)
    assert (found.ok, found.count) == (True, len(A_STORY))


def test_a_receipt_outlives_its_ledger(ledger: SqliteLedger) -> None:
    receipt = ledger.append(requested("c1"), durable=True)
    assert receipt is not None
    ledger.close()
    receipt.wait(0)
    asyncio.run(_awaited(receipt))


async def _awaited(receipt: Any) -> None:
    await receipt


@pytest.mark.parametrize("use", ["entries", "head", "find", "flush", "runs", "unknown"])
def test_a_closed_ledger_answers_nothing(ledger: SqliteLedger, use: str) -> None:
    ledger.append(requested("c1"), durable=False)
    ledger.close()
    with pytest.raises(LedgerUnavailableError, match="closed"):
        ask(ledger, use)


def ask(ledger: SqliteLedger, use: str) -> Any:
    if use == "head":
        return ledger.head
    return getattr(ledger, use)(*(["c1"] if use == "find" else []))


def test_entries_are_streamed_and_an_abandoned_reader_holds_nothing_up(ledger: SqliteLedger) -> None:
    for number in range(300):
        ledger.append(requested(f"c{number}"), durable=False)
    reader = iter(ledger.entries())
    assert next(reader).seq == 1
    ledger.append(requested("late"), durable=False)
    ledger.flush()
    assert [entry.seq for entry in reader] == list(range(2, 301)), "a reader sees what was there when it began"
    abandoned = iter(ledger.entries())
    next(abandoned)
    del abandoned
    ledger.close()
    assert os.listdir(ledger.path.parent) == ["ledger.db"]
