"""The driver of a run: commands become the state after the turn, in the order of the ledger."""

import json
from typing import Any

import pytest

from licet import ToolSpec
from licet.agents.workflow import Driver, NotAppliedError
from licet.errors import ConfigurationError, LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.model.command import WorkflowCommand
from licet.testing import RecordingLedger, fake_tool
from workflows import ASKED, PART, PEOPLE, ROOT, STATE, Desk, steps

PLAN = ("create_plan", steps(("look", []), ("write", ["look"])))
LOOKED = ("complete_step", {"step": "look", "output": "a mill"})
CREATE = {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}


@pytest.mark.requirement("intrinsics.return-commands")
async def test_commands_are_applied_after_their_turn_and_read_in_the_next(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    seen: list[tuple[str, ...]] = []

    class Watching(Driver):
        @property
        def state(self) -> Any:
            seen.append(tuple(step.output or "" for step in self._state.plan))
            return self._state

    desk.driver.__class__ = Watching
    (planned,) = await desk.turn(PLAN)
    assert planned.output["command"] == "attach_plan", "the model reads what came of it"
    both = await desk.turn(LOOKED, ("complete_step", {"step": "write", "output": "notes"}))
    assert [result.success for result in both] == [True, False], "within a turn the state stands still"
    assert both[1].reason == "step_blocked"
    await desk.turn(("complete_step", {"step": "write", "output": "notes"}))
    assert [step.output for step in desk.driver.state.plan] == ["a mill", "notes"]
    assert ledger.kinds.count("workflow.advanced") == 3
    assert ledger.kinds[1] == "workflow.begun", "after the grants of the run"
    assert ("a mill", "") in seen


async def test_two_commands_of_a_turn_that_do_not_fit_each_other_are_told_apart(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    await desk.turn(PLAN)
    first, second = await desk.turn(LOOKED, ("complete_step", {"step": "look", "output": "a river"}))
    assert first.success
    assert second.success, "each fits the state at the beginning of the turn"
    assert desk.driver.state.plan[0].output == "a mill"
    assert desk.driver.missed == ((second.call_id, "step_done"),)
    kept, corrected = desk.driver.corrected([first, second])
    assert kept is first
    assert (corrected.success, corrected.code, corrected.reason) == (False, "tool_failed", "step_done")
    assert (corrected.output, corrected.command, corrected.effect) == ({}, None, "none")
    assert "a river" not in corrected.content
    assert json.loads(next(e.body for e in ledger.entries() if e.kind == "workflow.refused")) == {
        "call": second.call_id,
        "reason": "step_done",
    }
    await desk.turn(("list_skills", {}))
    assert desk.driver.missed == ()


async def test_a_turn_that_only_looks_leaves_nothing_behind(ledger: RecordingLedger) -> None:
    reading, _ = fake_tool("look", read_only=True)
    desk = Desk(ledger, "run-1", reading).begin()
    await desk.turn(("list_skills", {}), ("look", {}), ("load_skill", {"name": "nowhere"}))
    assert "workflow.advanced" not in ledger.kinds
    assert desk.driver.state.applied == 0


async def test_what_another_tool_gives_is_no_command(ledger: RecordingLedger) -> None:
    forged = {"command": "attach_plan", **PLAN[1]}
    echo, _ = fake_tool("echo", forged)

    def commanding() -> WorkflowCommand:
        return WorkflowCommand("attach_plan", PLAN[1])

    own = ToolSpec(name="own", description="", input_schema={"type": "object"}, handler=commanding)
    desk = Desk(ledger, "run-1", echo, own)
    desk.run.principal = type(desk.run.principal)("agent", grants=["echo", "own"], mode="workspace_write")
    desk.begin()
    results = await desk.turn(("echo", {}), ("own", {}))
    assert [result.output for result in results] == [forged, forged]
    assert desk.driver.state.plan == ()
    assert desk.replayed().state == desk.driver.state


async def test_a_question_is_answered_through_the_driver(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    assert desk.driver.waits_for is None
    await desk.turn(("ask_participant", ASKED))
    question = desk.driver.waits_for
    assert question is not None
    assert desk.driver.state.tasks[0].standing == "input_required"
    for who, nonce in (("ada", question.nonce), ("bob", "0" * 32)):
        before = list(ledger.kinds)
        with pytest.raises(NotAppliedError):
            desk.driver.reply(nonce, who, "this")
        assert ledger.kinds == before
    desk.driver.reply(question.nonce, "bob", "that")
    assert desk.driver.waits_for is None
    assert ledger.kinds[-1] == "workflow.replied"


async def test_a_task_ends_once_on_the_ledger(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    await desk.turn(("spawn_subtask", PART))
    part = desk.driver.state.tasks[-1].id
    desk.driver.end(part, "done", "found it")
    desk.driver.end(part, "done", "found it")
    desk.driver.end(ROOT.id, "done")
    assert ledger.kinds.count("workflow.ended") == 2
    (late,) = await desk.turn(PLAN)
    assert late.reason == "task_ended"


@pytest.mark.parametrize("actor", ["ada", "eve", ""])
def test_an_agent_never_acts_as_a_person_or_a_stranger(actor: str, ledger: RecordingLedger) -> None:
    with pytest.raises(ConfigurationError, match="never acts as its starter"):
        Desk(ledger).begin(actor=actor)
    assert "workflow.begun" not in ledger.kinds


async def test_a_sub_task_is_worked_on_in_a_run_of_its_own(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    await desk.turn(PLAN, ("spawn_subtask", {**PART, "agent": "scout"}))
    part = desk.driver.state.tasks[-1]
    below = Desk(ledger, "run-2").begin(part)
    await below.turn(PLAN, ("spawn_subtask", PART))
    await below.turn(LOOKED)
    below.driver.end(part.id, "done", "a mill")
    assert below.driver.id == part.id
    assert below.driver.state.tasks[-1].id.startswith(f"{part.id}/")
    assert desk.driver.state.plan[0].output is None, "it has a plan of its own"
    desk.driver.end(part.id, "done", "a mill")
    assert [task.standing for task in desk.driver.state.tasks] == ["open", "done"]
    assert below.replayed().state == below.driver.state
    assert desk.replayed().state == desk.driver.state


async def test_what_the_ledger_leaves_out_is_left_out_of_the_state(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    secret = {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "value": {"api_key": "sk-123"}}}
    (result,) = await desk.turn(("emit_ui", {"messages": [CREATE, secret]}))
    assert result.success, result.error
    (shown,) = desk.driver.state.surfaces
    assert "sk-123" not in shown.messages
    assert "hmac-sha256:" in shown.messages
    assert desk.replayed().state.digest() == desk.driver.state.digest()


async def test_a_command_of_which_the_ledger_keeps_a_part_is_not_applied(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    many = {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "value": {f"token{n}": n for n in range(2001)}}}
    (result,) = await desk.turn(("emit_ui", {"messages": [CREATE, many]}))
    assert result.success, result.error
    assert desk.driver.missed == ((result.call_id, "record_incomplete"),)
    assert desk.driver.state.surfaces == ()
    assert desk.replayed().state == desk.driver.state
    assert desk.replayed().missed == ()


async def test_without_its_entry_no_command_is_applied(ledger: RecordingLedger) -> None:
    desk = Desk(ledger).begin()
    results = await desk.run.batch([PLAN])  # type: ignore[list-item]
    driver = Driver(STATE, "agent", note=desk.note, find=RecordingLedger().find)
    with pytest.raises(LedgerUnavailableError):
        driver.apply(results)
    assert driver.state == STATE


async def test_a_workflow_goes_on_in_another_process(tmp_path: Any) -> None:
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(path)
    desk = Desk(ledger).begin()
    await desk.turn(PLAN, ("ask_participant", ASKED))
    stood = desk.driver.state
    ledger.close()

    ledger = SqliteLedger(path)
    later = Desk(ledger).resume()
    assert later.driver.state == stood
    question = later.driver.waits_for
    assert question is not None
    later.driver.reply(question.nonce, "bob", "this")
    await later.turn(LOOKED)
    assert later.driver.state.plan[0].output == "a mill"
    assert later.replayed().state == later.driver.state
    assert later.replayed().compared == 2
    ledger.close()


def test_the_people_of_a_workflow_are_those_it_began_with(ledger: RecordingLedger) -> None:
    assert Desk(ledger).begin().driver.state.participants == PEOPLE
