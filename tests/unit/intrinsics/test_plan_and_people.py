"""Good, bad and forbidden use of what is about plans, sub-tasks and people."""

from dataclasses import replace
from typing import Any

import pytest

from licet.intrinsics import KINDS, NAMES
from licet.intrinsics.bounds import MOST_QUESTIONS, MOST_TASKS
from licet.model.workflow import Question, Task
from licet.testing import RecordingLedger
from workflows import ASKED, PART, STATE, Ask, View, steps

GOOD: dict[str, dict[str, Any]] = {
    "create_plan": {
        "steps": [
            {"name": "look", "description": "Look around", "depends_on": []},
            {"name": "end", "description": "End it", "depends_on": ["look"]},
        ]
    },
    "complete_step": {"step": "look", "output": "a mill"},
    "spawn_subtask": {**PART, "agent": "scout", "step": "write"},
    "ask_participant": ASKED,
    "create_task_for_participant": {**PART, "participant_id": "bob"},
}


@pytest.mark.requirement("intrinsics.return-commands")
@pytest.mark.parametrize("tool", GOOD)
async def test_good_use_gives_a_command_and_changes_nothing(tool: str, ask: Ask, ledger: RecordingLedger) -> None:
    before = STATE.digest()
    result = await ask(View(), tool, GOOD[tool])
    assert result.success, result.error
    assert result.command is not None
    assert (result.command.kind, dict(result.command.payload)) == (KINDS[tool], GOOD[tool])
    assert result.output == {"command": KINDS[tool], **GOOD[tool]}
    assert STATE.digest() == before
    assert ledger.kinds[-2:] == ["tool.requested", "tool.completed"]


FORBIDDEN: list[tuple[str, dict[str, Any], str]] = [
    ("create_plan", steps(("a", ["b"]), ("b", ["a"])), "plan_cycle"),
    ("create_plan", steps(("a", ["a"])), "plan_cycle"),
    ("create_plan", steps(("a", ["b"]), ("b", ["c"]), ("c", ["a"])), "plan_cycle"),
    ("create_plan", steps(("a", ["b"])), "unknown_step"),
    ("create_plan", steps(("a", []), ("a", [])), "duplicate_step"),
    ("complete_step", {"step": "nowhere", "output": "x"}, "unknown_step"),
    ("complete_step", {"step": "write", "output": "x"}, "step_blocked"),
    ("spawn_subtask", {**PART, "step": "nowhere"}, "unknown_step"),
    ("create_task_for_participant", {**PART, "participant_id": "eve"}, "unknown_participant"),
    ("create_task_for_participant", {**PART, "participant_id": "bob", "step": "nowhere"}, "unknown_step"),
    ("ask_participant", {**ASKED, "participant_id": "eve"}, "unknown_participant"),
    ("ask_participant", {**ASKED, "participant_id": "agent"}, "asks_itself"),
    ("set_participant_role", {"participant_id": "bob", "role": "assignee"}, "not_admin"),
    ("set_participant_role", {"participant_id": "eve", "role": "assignee"}, "unknown_participant"),
]


@pytest.mark.parametrize(("tool", "arguments", "reason"), FORBIDDEN)
async def test_forbidden_use_is_refused_with_a_stable_word(
    tool: str, arguments: dict[str, Any], reason: str, ask: Ask
) -> None:
    before = STATE.digest()
    result = await ask(View(), tool, arguments)
    assert (result.success, result.code, result.reason, result.command) == (False, "tool_failed", reason, None)
    assert STATE.digest() == before


BAD: list[tuple[str, dict[str, Any]]] = [
    ("create_plan", {"steps": []}),
    ("create_plan", {"steps": [{"name": "a", "description": "d"}]}),
    ("create_plan", {**steps(("a", [])), "task": "another"}),
    ("create_plan", steps(("x" * 129, []))),
    ("complete_step", {"step": "look", "output": "x" * 4001}),
    ("complete_step", {"step": "look", "output": ""}),
    ("spawn_subtask", {"name": "n", "goal": "g"}),
    ("ask_participant", {**ASKED, "options": ["this", "this"]}),
    ("ask_participant", {**ASKED, "options": ["x" * 501]}),
    ("ask_participant", {"participant_id": "bob", "question": "?"}),
    ("ask_participant", {**ASKED, "actor": "ada"}),
    ("set_participant_role", {"participant_id": "bob", "role": "owner"}),
]


@pytest.mark.parametrize(("tool", "arguments"), BAD)
async def test_bad_arguments_never_reach_the_tool(
    tool: str, arguments: dict[str, Any], ask: Ask, ledger: RecordingLedger
) -> None:
    result = await ask(View(), tool, arguments)
    assert (result.code, result.effect) == ("invalid_arguments", "none")
    assert ledger.kinds[-1] == "tool.refused"


async def test_a_finished_step_takes_the_same_output_again_and_no_other(ask: Ask) -> None:
    done = replace(STATE, plan=(replace(STATE.plan[0], output="a mill"), STATE.plan[1]))
    assert (await ask(View(done), "complete_step", {"step": "look", "output": "a mill"})).success
    again = await ask(View(done), "complete_step", {"step": "look", "output": "a river"})
    assert again.reason == "step_done"
    assert (await ask(View(done), "complete_step", {"step": "write", "output": "x"})).success, "nothing blocks it now"
    assert (await ask(View(done), "spawn_subtask", {**PART, "step": "look"})).reason == "step_done"


async def test_a_new_plan_keeps_what_is_finished_and_what_tasks_are_a_part_of(ask: Ask) -> None:
    done = replace(STATE, plan=(replace(STATE.plan[0], output="a mill"), STATE.plan[1]))
    assert (await ask(View(done), "create_plan", steps(("other", [])))).reason == "step_done"
    changed = {"steps": [{"name": "look", "description": "Look away", "depends_on": []}]}
    assert (await ask(View(done), "create_plan", changed)).reason == "step_done"
    kept = {"steps": [{"name": "look", "description": "Look around", "depends_on": []}]}
    assert (await ask(View(done), "create_plan", kept)).success
    part = Task(id="task-1/0123456789abcdef", name="n", goal="g", parent="task-1", step="write")
    used = replace(done, tasks=(*done.tasks, part))
    assert (await ask(View(used), "create_plan", kept)).reason == "step_in_use"


async def test_an_admin_changes_the_roles_of_others_once_somebody_said_yes(ask: Ask, ledger: RecordingLedger) -> None:
    role = {"participant_id": "bob", "role": "assignee"}
    result = await ask(View(actor="ada"), "set_participant_role", role)
    assert result.command is not None
    assert (result.command.kind, dict(result.command.payload)) == ("set_role", role)
    assert "tool.approved" in ledger.kinds
    own = await ask(View(actor="ada"), "set_participant_role", {"participant_id": "ada", "role": "watcher"})
    assert own.reason == "own_role"


@pytest.mark.parametrize("tool", NAMES)
async def test_outside_a_workflow_every_intrinsic_refuses(tool: str, ask: Ask) -> None:
    skill = {"name": "a-skill"}
    message = {"version": "v0.9", "deleteSurface": {"surfaceId": "s"}}
    arguments = {
        **GOOD,
        "set_participant_role": {"participant_id": "bob", "role": "watcher"},
        "load_skill": skill,
        "unload_skill": skill,
        "list_skill_resources": skill,
        "load_skill_resource": {**skill, "kind": "assets", "resource": "r"},
        "emit_ui": {"messages": [message]},
    }
    result = await ask(None, tool, arguments.get(tool, {}))
    assert (result.code, result.reason) == ("tool_failed", "no_task")


@pytest.mark.parametrize("standing", ["done", "failed"])
async def test_nothing_is_done_for_a_task_that_is_over(standing: Any, ask: Ask) -> None:
    over = replace(STATE, tasks=(replace(STATE.tasks[0], standing=standing),))
    assert (await ask(View(over), "complete_step", GOOD["complete_step"])).reason == "task_ended"


async def test_who_takes_no_part_does_nothing(ask: Ask) -> None:
    assert (await ask(View(actor="eve"), "create_plan", GOOD["create_plan"])).reason == "unknown_participant"
    assert (await ask(View(task="task-2"), "create_plan", GOOD["create_plan"])).reason == "unknown_task"


async def test_those_who_work_on_a_sub_task_finish_its_step_and_leave_the_plan_alone(ask: Ask) -> None:
    part = Task(id="task-1/0123456789abcdef", name="n", goal="g", parent="task-1", step="look")
    view = View(replace(STATE, tasks=(*STATE.tasks, part)), task=part.id)
    assert (await ask(view, "create_plan", GOOD["create_plan"])).reason == "not_this_task"
    assert (await ask(view, "complete_step", {"step": "write", "output": "x"})).reason == "not_this_task"
    assert (await ask(view, "complete_step", GOOD["complete_step"])).success
    assert (await ask(view, "ask_participant", ASKED)).success


async def test_sub_tasks_nest_four_deep(ask: Ask) -> None:
    for id, fits in (("task-1/1/2/3", True), ("task-1/1/2/3/4", False)):
        view = View(replace(STATE, tasks=(*STATE.tasks, Task(id=id, name="n", goal="g"))), task=id)
        result = await ask(view, "spawn_subtask", PART)
        assert (result.success, result.reason) == (fits, "" if fits else "too_deep")


async def test_tasks_and_questions_have_an_end(ask: Ask) -> None:
    tasks = tuple(Task(id=f"task-1/{n}", name="n", goal="g") for n in range(MOST_TASKS))
    asked = tuple(Question(nonce=str(n), task="task-1", participant="bob", text="?") for n in range(MOST_QUESTIONS))
    for room, reason in ((1, ""), (0, "too_many")):
        view = View(replace(STATE, tasks=(*STATE.tasks, *tasks[1 + room :]), questions=asked[room:]))
        assert (await ask(view, "spawn_subtask", PART)).reason == reason
        assert (await ask(view, "ask_participant", ASKED)).reason == reason


async def test_what_a_ledger_would_shorten_is_refused(ask: Ask) -> None:
    long = {"steps": [{"name": str(n), "description": "x" * 4000, "depends_on": []} for n in range(16)]}
    assert (await ask(View(), "create_plan", long)).reason == "too_large"
