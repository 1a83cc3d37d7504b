"""Settling: a person's word closes a call that has no end, and no other."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chained import A_STORY, completed, requested
from licet.errors import ConfigurationError, LedgerError
from licet.ledger.memory import MemoryLedger
from licet.ledger.settle import Outcome, settle
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify, verify_file

AnyLedger = MemoryLedger | SqliteLedger


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyLedger]:
    made = MemoryLedger() if request.param == "memory" else SqliteLedger(tmp_path / "ledger.db")
    for each in A_STORY:
        made.append(each, durable=False)
    yield made
    made.close()


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_a_call_without_an_end_is_closed_by_a_persons_entry(ledger: AnyLedger, outcome: Outcome) -> None:
    entry = settle(ledger, "c4", outcome, "I looked at the bank", "ada", at_us=99)
    assert (entry.kind, entry.actor, entry.run_id) == ("tool.settled", "ada", "run-2")
    assert json.loads(entry.body) == {
        "call": "c4", "note": "I looked at the bank", "outcome": outcome, "tool": "local/oracle",
    }  # fmt: skip
    assert json.loads(entry.trace) == {"at_us": 99}
    assert ledger.find("c4").closed == entry
    assert ledger.unknown() == ()
    found = verify(ledger.entries())
    assert (found.ok, found.unknown) == (True, ())


def test_a_settled_call_is_on_stable_storage(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    ledger.append(requested("c1"), durable=False)
    settle(ledger, "c1", "done", "seen", "ada")
    assert verify_file(ledger.path).count == 2
    ledger.close()


def refuse(ledger: AnyLedger, kind: type[Exception], reason: str, *what: str, **how: object) -> None:
    before = ledger.head
    with pytest.raises(kind, match=reason):
        settle(ledger, *what, **how)  # type: ignore[arg-type]
    assert ledger.head == before, "a refusal writes nothing"


@pytest.mark.parametrize("call", ["c1", "c2", "c3"])
def test_a_call_that_has_an_end_is_not_settled(ledger: AnyLedger, call: str) -> None:
    refuse(ledger, LedgerError, "has an end already", call, "done", "note", "ada")


def test_a_call_is_settled_once(ledger: AnyLedger) -> None:
    settle(ledger, "c4", "done", "note", "ada")
    refuse(ledger, LedgerError, "has an end already: entry 9, tool.settled", "c4", "failed", "no", "bob")


def test_a_call_that_nobody_made_is_not_settled(ledger: AnyLedger) -> None:
    refuse(ledger, LedgerError, "no call 'c99'", "c99", "done", "note", "ada")


def test_a_call_under_way_in_this_process_is_not_settled(ledger: AnyLedger) -> None:
    refuse(ledger, LedgerError, "under way", "c4", "done", "note", "ada", in_flight={"c4"})
    settle(ledger, "c4", "done", "note", "ada", in_flight={"c5"})


@pytest.mark.parametrize(
    ("outcome", "note", "actor"),
    [("maybe", "note", "ada"), ("", "note", "ada"), ("done", "", "ada"), ("done", " \n", "ada"), ("done", "note", " ")],
)
def test_who_settles_says_what_why_and_who(ledger: AnyLedger, outcome: str, note: str, actor: str) -> None:
    refuse(ledger, ConfigurationError, "settle", "c4", outcome, note, actor)


def test_a_note_that_is_no_text_is_refused(ledger: AnyLedger) -> None:
    refuse(ledger, ConfigurationError, "UTF-8", "c4", "done", "\ud800", "ada")


def test_an_end_that_comes_meanwhile_wins(ledger: AnyLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    known = ledger.find("c4")
    ledger.append(completed("c4"), durable=False)
    answers = iter([known])
    real = ledger.find
    monkeypatch.setattr(ledger, "find", lambda call: next(answers, None) or real(call))
    with pytest.raises(LedgerError, match="another end meanwhile"):
        settle(ledger, "c4", "failed", "note", "ada")
    closed = real("c4").closed
    assert closed is not None
    assert closed.kind == "tool.completed"
