"""The entries of a workflow are on the ledger when it goes on, or it does not go on."""

import json

import pytest

from licet.agents.workflow import notes
from licet.errors import LedgerUnavailableError
from licet.model.entry import Draft
from licet.testing import FixedClock, RecordingLedger
from workflows import ASKED, Desk


class Slow(RecordingLedger):
    """Remembers what was to be durable."""

    def __init__(self) -> None:
        super().__init__()
        self.durable: dict[str, bool] = {}

    def append(self, draft: Draft, /, *, durable: bool) -> None:
        self.durable[draft.kind] = durable
        super().append(draft, durable=durable)


async def test_what_calls_do_not_say_themselves_is_durable_before_it_counts() -> None:
    ledger = Slow()
    desk = Desk(ledger).begin()
    await desk.turn(("ask_participant", ASKED), ("ask_participant", ASKED))
    desk.driver.reply(desk.driver.state.questions[0].nonce, "bob", "this")
    desk.driver.end("task-1", "done")
    assert {kind: durable for kind, durable in ledger.durable.items() if kind.startswith("workflow.")} == {
        "workflow.begun": True,
        "workflow.advanced": False,
        "workflow.replied": True,
        "workflow.ended": True,
    }


def test_an_entry_names_who_did_it(ledger: RecordingLedger) -> None:
    note = notes(ledger, "run-1", "agent", FixedClock())
    note("workflow.replied", {"nonce": "0", "participant": "bob", "text": "this"})
    note("workflow.ended", {"task": "task-1", "standing": "done", "result": None})
    first, second = ledger.entries()
    assert (first.actor, second.actor, second.run_id) == ("bob", "agent", "run-1")
    assert json.loads(first.body)["text"] == "this"
    assert b"at_us" in first.trace


async def test_without_a_ledger_nothing_counts(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    await desk.turn(("ask_participant", ASKED))
    stood = desk.driver.state
    ledger.broken = True
    for doing in (
        lambda: desk.driver.reply(stood.questions[0].nonce, "bob", "this"),
        lambda: desk.driver.end("task-1", "done"),
    ):
        with pytest.raises(LedgerUnavailableError):
            doing()
    assert desk.driver.state == stood
