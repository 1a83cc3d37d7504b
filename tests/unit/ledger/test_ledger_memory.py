"""The ledger in memory: a bounded tail that still verifies."""

import pytest

from chained import completed, draft, linked, requested
from licet.errors import ConfigurationError, LedgerUnavailableError
from licet.ledger.chain import START
from licet.ledger.memory import MemoryLedger
from licet.ledger.verify import verify
from licet.model.entry import CallRecord


def filled(limit: int, calls: int) -> MemoryLedger:
    ledger = MemoryLedger(limit_entries=limit)
    for number in range(calls):
        ledger.append(requested(f"c{number}"), durable=True)
        ledger.append(completed(f"c{number}"), durable=True)
    return ledger


@pytest.mark.parametrize("limit", [0, -1])
def test_a_ledger_that_keeps_nothing_is_a_mistake(limit: int) -> None:
    with pytest.raises(ConfigurationError, match="at least 1"):
        MemoryLedger(limit_entries=limit)


@pytest.mark.parametrize("limit", [1, 2, 63, 64, 65, 200])
def test_only_the_last_entries_are_kept_and_they_verify(limit: int) -> None:
    ledger = filled(limit, 100)
    kept = list(ledger.entries())
    assert [entry.seq for entry in kept] == list(range(201 - limit, 201))
    found = verify(kept, start=ledger.anchor)
    assert (found.ok, found.count, found.head) == (True, limit, ledger.head)


def test_dropping_entries_changes_no_head() -> None:
    assert filled(3, 100).head == filled(10_000, 100).head


def test_the_anchor_is_the_beginning_until_something_is_dropped() -> None:
    ledger = MemoryLedger(limit_entries=3)
    for number in range(3):
        ledger.append(draft("a.b", number=number), durable=False)
        assert ledger.anchor == START
    ledger.append(draft("a.b", number=3), durable=False)
    assert ledger.anchor.seq == 1
    assert ledger.anchor.head == linked(draft("a.b", number=0))[0].head


def test_what_was_dropped_is_not_found() -> None:
    ledger = filled(4, 10)
    assert ledger.find("c7") == CallRecord(None, None)
    opened, closed = ledger.find("c8")
    assert opened is not None
    assert closed is not None
    assert (opened.seq, closed.seq) == (17, 18)


def test_of_a_call_that_is_half_dropped_the_end_is_found() -> None:
    ledger = filled(3, 10)
    opened, closed = ledger.find("c8")
    assert opened is None
    assert closed is not None
    assert closed.seq == 18


def test_questions_in_between_change_no_answer() -> None:
    """The index is brought up to date by questions: often, seldom or once gives the same."""
    ledger = MemoryLedger(limit_entries=5)
    for number in range(50):
        ledger.append(requested(f"c{number}"), durable=False)
        if number % 7 == 0:
            assert ledger.find(f"c{number}").opened is not None
        if number % 2:
            ledger.append(completed(f"c{number}"), durable=False)
    kept = [f"c{number}" for number in range(46, 50)]
    assert [ledger.find(call).closed is not None for call in kept] == [False, True, False, True]
    assert [entry.seq for entry in ledger.unknown()] == [
        entry.seq for entry in ledger.entries() if b"c48" in entry.body
    ]
    assert ledger.find("c0") == CallRecord(None, None)


def test_a_call_that_stays_open_while_others_come_and_go_is_forgotten_with_its_entry() -> None:
    ledger = MemoryLedger(limit_entries=10)
    ledger.append(requested("open"), durable=False)
    for number in range(100):
        ledger.append(requested(f"c{number}"), durable=False)
        ledger.find("open")
    assert ledger.find("open") == CallRecord(None, None)
    assert len(ledger.unknown()) == 10


def test_a_closed_ledger_stays_readable() -> None:
    ledger = filled(100, 2)
    head = ledger.head
    ledger.close()
    with pytest.raises(LedgerUnavailableError):
        ledger.append(requested("c9"), durable=False)
    assert (len(list(ledger.entries())), ledger.head) == (4, head)
