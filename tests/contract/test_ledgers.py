"""One suite over every ledger: what the port promises, whoever implements it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chained import A_STORY, completed, draft, linked, requested
from licet.errors import LedgerUnavailableError
from licet.ledger.memory import MemoryLedger
from licet.ledger.run import RunSummary
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify
from licet.model.entry import GENESIS, CallRecord, Draft
from licet.ports import Ledger

AnyLedger = MemoryLedger | SqliteLedger

KINDS: dict[str, Callable[[Path], AnyLedger]] = {
    "memory": lambda folder: MemoryLedger(),
    "sqlite": lambda folder: SqliteLedger(folder / "ledger.db"),
}


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyLedger]:
    made = KINDS[request.param](tmp_path)
    yield made
    made.close()


def put(ledger: Ledger, *drafts: Draft) -> None:
    for each in drafts:
        receipt = ledger.append(each, durable=True)
        if receipt is not None:
            receipt.wait()


def test_an_empty_ledger_stands_at_the_beginning(ledger: AnyLedger) -> None:
    assert ledger.head == GENESIS
    assert list(ledger.entries()) == []
    assert ledger.runs() == []
    assert ledger.unknown() == ()


def test_entries_come_back_in_order_and_byte_for_byte(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    assert list(ledger.entries()) == linked(*A_STORY)


def test_every_implementation_gives_the_same_head(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    assert ledger.head == linked(*A_STORY)[-1].head


def test_what_was_appended_verifies(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    found = verify(ledger.entries())
    assert (found.ok, found.count, found.head) == (True, len(A_STORY), ledger.head)
    assert found.unknown == ("c4",)


def test_entries_of_one_run_leave_out_the_others(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    assert [entry.seq for entry in ledger.entries("run-2")] == [5, 6, 7, 8]
    assert list(ledger.entries("run-3")) == []


def test_what_nobody_waited_for_is_read_too(ledger: AnyLedger) -> None:
    for each in A_STORY:
        ledger.append(each, durable=False)
    assert list(ledger.entries()) == linked(*A_STORY)


def test_head_counts_what_is_in_line(ledger: AnyLedger) -> None:
    ledger.append(A_STORY[0], durable=False)
    assert ledger.head == linked(A_STORY[0])[0].head


def test_flush_of_an_empty_ledger_ends(ledger: AnyLedger) -> None:
    ledger.flush()
    assert ledger.head == GENESIS


async def test_an_entry_can_be_awaited(ledger: AnyLedger) -> None:
    receipt = ledger.append(A_STORY[1], durable=True)
    if receipt is not None:
        await receipt
    assert [entry.kind for entry in ledger.entries()] == ["tool.requested"]


# --- find ---


def test_a_call_that_nobody_wrote_is_not_known(ledger: AnyLedger) -> None:
    put(ledger, requested("c1"))
    assert ledger.find("c") == CallRecord(None, None)
    assert ledger.find("") == CallRecord(None, None)
    assert ledger.find("local/oracle") == CallRecord(None, None)


def test_find_gives_beginning_and_end(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    entries = linked(*A_STORY)
    assert ledger.find("c1") == CallRecord(entries[1], entries[2])
    assert ledger.find("c3") == CallRecord(entries[4], entries[5])


def test_a_call_without_an_end_has_none(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    assert ledger.find("c4") == CallRecord(linked(*A_STORY)[6], None)


def test_a_refusal_alone_is_beginning_and_end(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY, draft("tool.denied", "c5", code="approval_denied"))
    refused, denied = ledger.find("c2"), ledger.find("c5")
    assert refused.opened == refused.closed == linked(*A_STORY)[3]
    assert denied.opened == denied.closed
    assert denied.closed is not None
    assert denied.closed.kind == "tool.denied"


@pytest.mark.parametrize(
    "kind", ["tool.completed", "tool.failed", "tool.abandoned", "tool.refused", "tool.denied", "tool.settled"]
)
def test_every_end_closes_a_call(ledger: AnyLedger, kind: str) -> None:
    put(ledger, requested("c1"), draft(kind, "c1"))
    opened, closed = ledger.find("c1")
    assert opened is not None
    assert closed is not None
    assert (opened.kind, closed.kind) == ("tool.requested", kind)
    assert ledger.unknown() == ()


@pytest.mark.parametrize("kind", ["tool.approved", "tool.checkpointed", "tool.replayed", "oracle.spoke"])
def test_other_entries_about_a_call_neither_open_nor_close_it(ledger: AnyLedger, kind: str) -> None:
    put(ledger, draft(kind, "c1"))
    assert ledger.find("c1") == CallRecord(None, None)
    put(ledger, requested("c1"), draft(kind, "c1"))
    opened, closed = ledger.find("c1")
    assert opened is not None
    assert closed is None


def test_a_late_second_end_does_not_replace_the_first(ledger: AnyLedger) -> None:
    put(ledger, requested("c1"), draft("tool.settled", "c1", outcome="failed"), completed("c1"))
    closed = ledger.find("c1").closed
    assert closed is not None
    assert closed.kind == "tool.settled"


def test_a_call_that_begins_again_after_its_end_is_open(ledger: AnyLedger) -> None:
    put(ledger, requested("c1"), completed("c1"), requested("c1"))
    assert ledger.find("c1") == CallRecord(list(ledger.entries())[-1], None)
    assert [entry.seq for entry in ledger.unknown()] == [3]
    assert verify(ledger.entries()).unknown == ("c1",)


def test_find_sees_what_is_still_in_line(ledger: AnyLedger) -> None:
    for number in range(50):
        ledger.append(requested(f"c{number}"), durable=False)
        opened, closed = ledger.find(f"c{number}")
        assert opened is not None
        assert (opened.seq, closed) == (number + 1, None)


@pytest.mark.parametrize(
    "call", ['say "hi"', "back\\slash", "é🦉", "new\nline", "a" * 5000, "c1'; DROP TABLE entry; --"]
)
def test_any_text_can_be_a_call_id(ledger: AnyLedger, call: str) -> None:
    ledger.append(requested(call), durable=False)
    assert ledger.find(call).opened is not None
    put(ledger, completed(call))
    assert ledger.find(call).closed is not None
    assert [entry.body for entry in ledger.unknown()] == []


def test_half_a_surrogate_pair_is_no_call_id_on_any_ledger(ledger: AnyLedger) -> None:
    assert ledger.find("\ud800") == CallRecord(None, None)


def test_an_id_in_the_arguments_is_not_the_id_of_the_call(ledger: AnyLedger) -> None:
    put(ledger, draft("tool.requested", "outer", arguments={"call": "inner", "text": '"call":"inner"'}))
    assert ledger.find("inner") == CallRecord(None, None)
    assert ledger.find("outer").opened is not None


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"call"', b"no JSON", b'{"call":7}', b'{"call":"', b"", b'{"call":null}']
)
def test_a_body_that_names_no_call_is_kept_and_found_under_none(ledger: AnyLedger, body: bytes) -> None:
    put(ledger, Draft("run-1", "tool.requested", "somebody", body, b"{}"), requested("c1"))
    assert next(iter(ledger.entries())).body == body
    assert ledger.find("c1").opened is not None
    assert ledger.find("") == CallRecord(None, None)
    assert verify(ledger.entries()).ok


# --- runs and unknown ---


def test_runs_are_summed_up(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY)
    assert ledger.runs() == [
        RunSummary("run-1", "fortune-teller", 20, 40, calls=2, refused=1, failed=0, unknown=0),
        RunSummary("run-2", "fortune-teller", 50, 80, calls=2, refused=0, failed=1, unknown=1),
    ]


def test_unknown_calls_are_the_ones_without_an_end(ledger: AnyLedger) -> None:
    put(ledger, *A_STORY, requested("c9"))
    assert [entry.seq for entry in ledger.unknown()] == [7, 9]
    assert [entry.seq for entry in ledger.unknown("run-2")] == [7]
    assert ledger.unknown("run-3") == ()


# --- refusing ---

HALF = "\ud800"

NOT_UTF8 = {
    "run_id": Draft(HALF, "a.b", "x", b"{}", b"{}"),
    "kind": Draft("r", f"a.{HALF}", "x", b"{}", b"{}"),
    "actor": Draft("r", "a.b", HALF, b"{}", b"{}"),
    "body": Draft("r", "a.b", "x", b'{"a":"\xff"}', b"{}"),
    "trace": Draft("r", "a.b", "x", b"{}", b'{"a":"\xed\xa0\x80"}'),
}


@pytest.mark.parametrize("part", NOT_UTF8)
def test_text_that_is_not_utf8_never_gets_a_place(ledger: AnyLedger, part: str) -> None:
    """At the latest when it would get one; a ledger that had taken it by then takes no more."""
    put(ledger, A_STORY[0])
    head = ledger.head

    def offer() -> None:
        ledger.append(NOT_UTF8[part], durable=False)
        ledger.flush()

    with pytest.raises(LedgerUnavailableError, match="UTF-8"):
        offer()
    assert ledger.head == head
    assert list(ledger.entries()) == linked(A_STORY[0])


@pytest.mark.parametrize("part", ["actor", "body", "trace"])
def test_text_that_is_refused_at_once_spoils_nothing(ledger: AnyLedger, part: str) -> None:
    put(ledger, A_STORY[0])
    with pytest.raises(LedgerUnavailableError, match="UTF-8"):
        ledger.append(NOT_UTF8[part], durable=False)
    put(ledger, A_STORY[1])
    assert list(ledger.entries()) == linked(*A_STORY[:2])


def test_a_closed_ledger_refuses_entries(ledger: AnyLedger) -> None:
    put(ledger, A_STORY[0])
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerUnavailableError, match="closed"):
        ledger.append(A_STORY[1], durable=False)


def test_names_with_control_characters_come_back_as_they_were(ledger: AnyLedger) -> None:
    odd = Draft("r\x00\x1b[2J", "a.b\n", "=cmd|' /C calc'!A0,\r\n", b'{"a":"\\u0000"}', b"{}")
    put(ledger, odd)
    assert list(ledger.entries()) == linked(odd)
    assert [entry.seq for entry in ledger.entries(odd.run_id)] == [1]
    assert verify(ledger.entries()).ok


# --- threads ---


def test_threads_share_one_ledger_without_gaps_or_losses(ledger: AnyLedger) -> None:
    start = threading.Barrier(8)

    def write(who: int) -> None:
        start.wait()
        for number in range(100):
            receipt = ledger.append(requested(f"t{who}.{number}"), durable=number % 10 == 0)
            if receipt is not None:
                receipt.wait()

    threads = [threading.Thread(target=write, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = verify(ledger.entries())
    assert (found.ok, found.count) == (True, 800)
    assert sorted(found.unknown) == sorted(f"t{who}.{number}" for who in range(8) for number in range(100))
    for who in range(8):  # what one thread wrote stays in its order
        mine = [call for call in found.unknown if call.startswith(f"t{who}.")]
        assert mine == [f"t{who}.{number}" for number in range(100)]
