"""A ledger that lets somebody look on is the ledger itself in everything else."""

from pathlib import Path

import pytest

from chained import A_STORY
from licet.errors import LedgerUnavailableError
from licet.ledger.memory import MemoryLedger
from licet.ledger.seen import SeenLedger
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft


def test_who_looks_on_sees_every_entry_once_it_is_in_line() -> None:
    inner = MemoryLedger()
    seen: list[tuple[Draft, int]] = []
    ledger = SeenLedger(inner, lambda draft: seen.append((draft, len(list(inner.entries())))))
    for draft in A_STORY:
        assert ledger.append(draft, durable=True) is None
    assert seen == [(draft, number) for number, draft in enumerate(A_STORY, 1)]
    assert list(ledger.entries("run-2")) == list(inner.entries("run-2"))
    assert (ledger.head, ledger.find("c1")) == (inner.head, inner.find("c1"))


def test_a_receipt_and_what_a_ledger_has_beyond_the_port_are_its_own(tmp_path: Path) -> None:
    ledger = SeenLedger(SqliteLedger(tmp_path / "ledger.db"), lambda draft: None)
    receipt = ledger.append(A_STORY[0], durable=True)
    assert receipt is not None
    ledger.flush()
    assert ledger.path == tmp_path / "ledger.db"
    assert [summary.run_id for summary in ledger.runs()] == []
    with pytest.raises(AttributeError):
        _ = ledger.nothing_of_this_name
    ledger.close()
    with pytest.raises(LedgerUnavailableError, match="closed"):
        ledger.append(A_STORY[1], durable=False)


def test_what_was_not_taken_is_not_seen() -> None:
    inner = MemoryLedger()
    seen: list[Draft] = []
    ledger = SeenLedger(inner, seen.append)
    ledger.close()
    with pytest.raises(LedgerUnavailableError):
        ledger.append(A_STORY[0], durable=False)
    assert seen == []
