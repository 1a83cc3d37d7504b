"""A loop that drives a workflow: commands are applied at the end of a turn, and a question pauses it."""

from collections.abc import Sequence
from typing import Any

from doubles import holder
from licet import Runtime
from licet.agents.loop import loop
from licet.agents.workflow import Driver
from licet.intrinsics import intrinsics
from licet.model.call import Request
from licet.model.tool import ModelTool
from licet.model.workflow import Participant, Task
from licet.ports import Message
from licet.testing import RecordingLedger

STEPS = {"steps": [{"name": "look", "description": "Look.", "depends_on": []}]}
PEOPLE = (Participant(id="worker", role="assignee", kind="agent"), Participant(id="ann", role="admin"))


class Script:
    name = "script"

    def __init__(self, *said: tuple[Request, ...]) -> None:
        self.said = list(said)
        self.read: list[Any] = []

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        self.read.append(conversation[-1].results)
        return Message("assistant", calls=self.said.pop(0)) if self.said else Message("assistant", "done")


async def driven(ledger: RecordingLedger, *said: tuple[Request, ...]) -> tuple[Any, Driver, Script]:
    runtime = Runtime(intrinsics(), ledger=ledger)
    names = [spec.name for spec in runtime.specs()]
    async with runtime.run(holder(*names, name="worker"), id="run-1") as run:
        task = Task(id="run-1", name="notes", goal="Write them.")

        def note(kind: str, body: dict[str, Any]) -> None:
            runtime._recorder.noted(run.id, "worker", kind, body)

        driver = Driver.begin(task, PEOPLE, "worker", note=note, find=ledger.find)
        run.task = driver
        script = Script(*said)
        outcome = await loop(script, run, [], "go", drive=driver)
    runtime.close()
    return outcome, driver, script


async def test_a_model_reads_on_its_next_turn_what_its_commands_came_to(ledger: RecordingLedger) -> None:
    plan, done = Request("create_plan", STEPS), Request("complete_step", {"step": "look", "output": "seen"})
    outcome, driver, script = await driven(ledger, (plan,), (done,))
    assert (outcome.stop, outcome.refused, outcome.failed) == ("done", 0, 0)
    assert [step.output for step in driver.state.plan] == ["seen"]
    assert [result.success for result in script.read[1]] == [True]
    assert ledger.kinds.count("workflow.advanced") == 2


async def test_a_command_that_does_not_fit_what_came_before_in_its_turn_is_no_success(ledger: RecordingLedger) -> None:
    plan = Request("create_plan", STEPS)
    done = tuple(Request("complete_step", {"step": "look", "output": said}) for said in ("one", "two"))
    _, driver, script = await driven(ledger, (plan,), done)
    assert [step.output for step in driver.state.plan] == ["one"]
    assert [result.success for result in script.read[2]] == [True, False]


async def test_a_question_pauses_the_loop_before_the_model_says_more(ledger: RecordingLedger) -> None:
    ask = Request("ask_participant", {"participant_id": "ann", "question": "Which?", "options": ["a", "b"]})
    outcome, driver, script = await driven(ledger, (ask,), (Request("create_plan", STEPS),))
    assert (outcome.stop, outcome.turns) == ("input_required", 1)
    assert driver.waits_for is not None
    assert len(script.said) == 1, "the model was not asked again"
