"""A replay comes to the same state from the ledger alone, and stops at the first entry that differs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from licet.agents.workflow import ReplayError, replay
from licet.model.entry import Entry
from licet.testing import RecordingLedger, fake_tool
from workflows import ASKED, PART, Desk, steps

PLAN = ("create_plan", steps(("look", []), ("write", ["look"])))
LOOKED = ("complete_step", {"step": "look", "output": "a mill"})
CREATE = {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}


async def worked(ledger: RecordingLedger) -> Desk:
    """A run in which everything happened."""
    reading, _ = fake_tool("look", {"mill": 1}, read_only=True)
    desk = Desk(ledger, "run-1", reading).begin()
    await desk.turn(PLAN, ("look", {}))
    await desk.turn(LOOKED, ("complete_step", {"step": "look", "output": "a river"}))
    await desk.turn(("spawn_subtask", PART), ("create_task_for_participant", {**PART, "participant_id": "bob"}))
    desk.driver.end(desk.driver.state.tasks[1].id, "done", "found it")
    await desk.turn(("emit_ui", {"messages": [CREATE]}), ("list_skills", {}), ("ask_participant", ASKED))
    desk.driver.reply(desk.driver.state.questions[0].nonce, "bob", "this")
    await desk.turn(("complete_step", {"step": "write", "output": "notes"}))
    desk.driver.end("task-1", "done", "notes")
    return desk


@pytest.mark.requirement("own.replay-dispatches-nothing")
async def test_a_replay_comes_to_the_same_state_and_reaches_no_tool(ledger: RecordingLedger) -> None:
    desk = await worked(ledger)
    before = list(ledger.kinds)
    found = replay(list(ledger.entries()))
    assert found is not None
    assert found.state == desk.driver.state
    assert found.state.digest() == desk.driver.state.digest()
    assert (found.actor, found.compared, found.missed) == ("agent", 5, ())
    assert found.commands == 8
    assert ledger.kinds == before


async def test_a_run_without_a_workflow_replays_to_none(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("look", read_only=True)
    desk = Desk(ledger, "run-1", tool)
    await desk.run.call("look", {})
    await desk.run.call("create_plan", PLAN[1])
    assert replay(ledger.entries()) is None


def changed(entry: Entry, change: Callable[[dict[str, Any]], object]) -> Entry:
    body = json.loads(entry.body)
    change(body)
    return entry._replace(body=json.dumps(body).encode())


def of(kind: str, at: int = 0) -> Callable[[list[Entry]], int]:
    return lambda entries: [n for n, entry in enumerate(entries) if entry.kind == kind][at]


def first_plan(entries: list[Entry]) -> int:
    return next(n for n, entry in enumerate(entries) if entry.kind == "tool.completed" and b"attach_plan" in entry.body)


DIFFERENT: list[tuple[str, Callable[[list[Entry]], int], Callable[[dict[str, Any]], object], str]] = [
    ("a digest", of("workflow.advanced"), lambda body: body.update(state="sha256:" + "0" * 64), "workflow.advanced"),
    ("a count", of("workflow.advanced", 2), lambda body: body.update(applied=9), "workflow.advanced"),
    ("a plan", first_plan, lambda b: b["output"]["steps"][0].update(description="x"), "workflow.advanced"),
    ("another kind", first_plan, lambda b: b["output"].update(command="set_role"), "workflow.advanced"),
    ("a part only", first_plan, lambda b: b.update(output={"truncated": {}}), "workflow.advanced"),
    ("an answer", of("workflow.replied"), lambda body: body.update(text="that"), "workflow.advanced"),
    ("no option", of("workflow.replied"), lambda body: body.update(text="neither"), "workflow.replied"),
    ("a stranger's answer", of("workflow.replied"), lambda body: body.update(participant="ada"), "workflow.replied"),
    ("an answer to another", of("workflow.replied"), lambda body: body.update(nonce="0" * 32), "workflow.replied"),
    ("a reason", of("workflow.refused"), lambda body: body.update(reason="x"), "workflow.refused"),
    ("a call", of("workflow.refused"), lambda body: body.update(call="run-1.9"), "workflow.refused"),
    ("a result", of("workflow.ended"), lambda body: body.update(result="x"), "workflow.advanced"),
    ("no end", of("workflow.ended"), lambda body: body.update(standing="open"), "workflow.ended"),
    ("no goal", of("workflow.begun"), lambda body: body["task"].pop("goal"), "workflow.begun"),
    ("no id", of("workflow.begun"), lambda body: body["task"].update(id="/"), "workflow.begun"),
    ("no people", of("workflow.begun"), lambda body: body.update(participants=1), "workflow.begun"),
    ("an actor", of("workflow.begun"), lambda body: body.update(actor="eve"), "workflow.advanced"),
    ("nothing", of("workflow.advanced"), lambda body: body.clear(), "workflow.advanced"),
]


@pytest.mark.requirement("own.replay-dispatches-nothing")
@pytest.mark.parametrize(("what", "which", "change", "kind"), DIFFERENT, ids=[row[0] for row in DIFFERENT])
async def test_the_first_difference_is_named(
    what: str,
    which: Callable[[list[Entry]], int],
    change: Callable[[dict[str, Any]], object],
    kind: str,
    ledger: RecordingLedger,
) -> None:
    await worked(ledger)
    entries = list(ledger.entries())
    at = which(entries)
    entries[at] = changed(entries[at], change)
    with pytest.raises(ReplayError) as caught:
        replay(entries)
    assert caught.value.kind == kind
    found = next(entry for entry in entries if entry.seq == caught.value.seq)
    assert found.kind == kind
    assert str(caught.value).startswith(f"entry {found.seq} ({kind}): ")
    assert found.seq >= entries[at].seq


@pytest.mark.parametrize("kind", ["workflow.begun", "workflow.replied", "workflow.refused", "tool.completed"])
async def test_an_entry_that_was_left_out_is_missed(kind: str, ledger: RecordingLedger) -> None:
    await worked(ledger)
    entries = list(ledger.entries())
    del entries[of(kind)(entries)]
    with pytest.raises(ReplayError):
        replay(entries)


async def test_two_commands_in_another_order_are_noticed(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    await desk.turn(("emit_ui", {"messages": [CREATE]}), ("spawn_subtask", PART), ("spawn_subtask", PART))
    entries = list(ledger.entries())
    first, second = (n for n, e in enumerate(entries) if e.kind == "tool.completed" and b"spawn_subtask" in e.body)
    entries[first], entries[second] = entries[second], entries[first]
    with pytest.raises(ReplayError, match=r"workflow\.advanced"):
        replay(entries)


async def test_a_second_beginning_and_another_run_are_refused(ledger: RecordingLedger) -> None:
    await worked(ledger)
    entries = list(ledger.entries())
    begun = entries[of("workflow.begun")(entries)]
    for wrong in ([*entries, begun], [*entries, begun._replace(run_id="run-2")]):
        with pytest.raises(ReplayError):
            replay(wrong)


async def test_a_run_that_was_cut_off_anywhere_goes_on_from_there(ledger: RecordingLedger) -> None:
    await worked(ledger)
    entries = list(ledger.entries())
    for length in range(len(entries) + 1):
        cut = RecordingLedger()
        for entry in entries[:length]:
            cut.append(entry[1:6], durable=True)  # type: ignore[arg-type] # the fields of a draft
        found = replay(cut.entries())
        if found is None:
            assert length <= 2
            continue
        desk = Desk(cut).resume()
        if desk.driver.state.tasks[0].standing != "done":
            (result,) = await desk.turn(("spawn_subtask", {**PART, "name": "after the cut"}))
            assert result.success, result.error
        assert desk.replayed().state == desk.driver.state
        assert desk.replayed().missed == ()
