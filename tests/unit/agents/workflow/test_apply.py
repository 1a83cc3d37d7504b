"""What each command makes of a state, and that what does not fit makes nothing of it."""

from dataclasses import replace
from typing import Any

import pytest

from licet.agents.workflow import NotAppliedError, apply, begin, end, reply
from licet.model.command import WorkflowCommand
from licet.model.workflow import Participant, State, Task
from workflows import ASKED, PART, PEOPLE, ROOT, STATE, steps

DIGEST = "sha256:" + "1" * 64
SKILL = {"name": "notes", "digest": DIGEST, "instructions": "Do it", "tools": []}
SHOWN = {"messages": [{"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}]}
EACH: dict[str, dict[str, Any]] = {
    "attach_plan": steps(("look", []), ("end", ["look"])),
    "complete_step": {"step": "look", "output": "a mill"},
    "spawn_subtask": {**PART, "agent": "scout", "step": "write"},
    "wait_for_reply": ASKED,
    "create_participant_task": {**PART, "participant_id": "bob"},
    "set_role": {"participant_id": "bob", "role": "assignee"},
    "skill_loaded": SKILL,
    "skill_unloaded": {"name": "notes"},
    "ui_emitted": SHOWN,
    "read": {"skills": []},
}


def after(state: State, kind: str, payload: Any = None, call: str = "run.1", task: str = "", actor: str = "") -> State:
    wish = WorkflowCommand(kind, EACH[kind] if payload is None else payload)
    who = actor or ("ada" if kind == "set_role" else "agent")
    return apply(state, wish, call=call, actor=who, task=task or state.root)


def test_a_plan_is_attached_and_a_step_is_finished() -> None:
    planned = after(replace(STATE, plan=()), "attach_plan")
    assert [(step.name, step.depends_on, step.output) for step in planned.plan] == [
        ("look", (), None),
        ("end", ("look",), None),
    ]
    done = after(planned, "complete_step", call="run.2")
    assert [step.output for step in done.plan] == ["a mill", None]
    longer = after(done, "attach_plan", steps(("look", []), ("more", [])), call="run.3")
    assert [(step.name, step.output) for step in longer.plan] == [("look", "a mill"), ("more", None)]
    assert [state.applied for state in (planned, done, longer)] == [1, 2, 3]


@pytest.mark.parametrize("kind", ["spawn_subtask", "create_participant_task"])
def test_a_task_is_made_below_the_one_that_is_worked_on(kind: str) -> None:
    made = after(STATE, kind).tasks[-1]
    assert made.parent == "task-1"
    assert made.id.startswith("task-1/")
    assert made.standing == "open"
    assert (made.agent, made.participant) == (("scout", None) if kind == "spawn_subtask" else (None, "bob"))
    assert made.id == after(STATE, kind).tasks[-1].id, "ids come from the call"
    assert made.id != after(STATE, kind, call="run.2").tasks[-1].id


def test_a_question_pauses_its_task_until_all_are_answered() -> None:
    one = after(STATE, "wait_for_reply")
    two = after(one, "wait_for_reply", call="run.2")
    assert two.tasks[0].standing == "input_required"
    first, second = (question.nonce for question in two.questions)
    half = reply(two, first, "bob", "this")
    assert half.tasks[0].standing == "input_required"
    whole = reply(half, second, "bob", "that")
    assert whole.tasks[0].standing == "open"
    assert [question.answer for question in whole.questions] == ["this", "that"]


def test_roles_skills_and_surfaces_are_kept() -> None:
    state = after(after(after(STATE, "set_role"), "skill_loaded"), "ui_emitted")
    assert {person.id: person.role for person in state.participants}["bob"] == "assignee"
    assert [(skill.name, skill.digest) for skill in state.skills] == [("notes", DIGEST)]
    assert state.surfaces[0].messages == '[{"createSurface":{"catalogId":"c","surfaceId":"s"},"version":"v0.9"}]'
    assert after(state, "skill_unloaded").skills == ()
    assert after(state, "read") == state


@pytest.mark.parametrize("kind", EACH)
def test_the_same_command_of_the_same_call_changes_nothing_the_second_time(kind: str) -> None:
    once = after(STATE, kind)
    assert after(once, kind) == once
    assert after(once, kind).digest() == once.digest()


@pytest.mark.parametrize("kind", ["spawn_subtask", "wait_for_reply", "ui_emitted"])
def test_one_call_gives_one_command(kind: str) -> None:
    other = {
        "spawn_subtask": {**EACH["spawn_subtask"], "goal": "another"},
        "wait_for_reply": {**ASKED, "question": "Where?"},
        "ui_emitted": {"messages": [{"version": "v0.9", "createSurface": {"surfaceId": "t", "catalogId": "c"}}]},
    }
    with refused("call_reused"):
        after(after(STATE, kind), kind, other[kind])


def refused(reason: str) -> Any:
    """A NotAppliedError with this reason."""
    return pytest.raises(NotAppliedError, check=lambda error: error.reason == reason)


MALFORMED: list[tuple[str, Any]] = [
    *((kind, {}) for kind in EACH if kind != "read"),
    *((kind, {**payload, "task": "task-2"}) for kind, payload in EACH.items() if kind != "read"),
    ("complete_step", {"step": 1, "output": "x"}),
    ("complete_step", {"step": "look", "output": {1}}),
    ("attach_plan", {"steps": [{"name": "a"}]}),
    ("skill_loaded", {**SKILL, "digest": "sha256:1"}),
    ("ui_emitted", {"messages": ["hello"]}),
]


@pytest.mark.parametrize(("kind", "payload"), MALFORMED)
def test_a_payload_of_another_shape_is_refused(kind: str, payload: Any) -> None:
    with refused("malformed"):
        after(STATE, kind, payload)


def test_a_command_that_does_not_fit_is_refused_with_the_reason_of_its_tool() -> None:
    for kind, payload, reason in (
        ("attach_plan", steps(("a", ["a"])), "plan_cycle"),
        ("complete_step", {"step": "write", "output": "x"}, "step_blocked"),
        ("wait_for_reply", {**ASKED, "participant_id": "eve"}, "unknown_participant"),
        ("ui_emitted", {"messages": [{"version": "v0.9", "deleteSurface": {"surfaceId": "s"}}]}, "unknown_surface"),
    ):
        with refused(reason):
            after(STATE, kind, payload)
    with refused("not_admin"):
        after(STATE, "set_role", actor="agent")
    with refused("unknown_kind"):
        after(STATE, "shell", {})
    with refused("unknown_participant"):
        after(STATE, "complete_step", actor="eve")
    with refused("unknown_task"):
        after(STATE, "complete_step", task="task-2")


@pytest.mark.parametrize("kind", ["attach_plan", "set_role", "skill_loaded", "skill_unloaded"])
def test_from_a_sub_task_nobody_changes_what_belongs_to_the_whole(kind: str) -> None:
    state = after(STATE, "spawn_subtask")
    with refused("not_this_task"):
        after(state, kind, task=state.tasks[-1].id)


def test_an_answer_binds_its_question_and_who_was_asked() -> None:
    state = after(STATE, "wait_for_reply")
    nonce = state.questions[0].nonce
    for who, what, text, reason in (
        ("ada", nonce, "this", "not_asked"),
        ("bob", "0" * 32, "this", "unknown_question"),
        ("bob", nonce, "neither", "not_an_option"),
        ("bob", nonce, "", "bad_reply"),
        ("bob", nonce, "x" * 4001, "bad_reply"),
    ):
        with refused(reason):
            reply(state, what, who, text)
    with refused("answered"):
        reply(reply(state, nonce, "bob", "this"), nonce, "bob", "this")
    with refused("task_ended"):
        reply(end(state, "task-1", "failed"), nonce, "bob", "this")


def test_without_options_any_text_is_an_answer() -> None:
    state = after(STATE, "wait_for_reply", {**ASKED, "options": []})
    assert reply(state, state.questions[0].nonce, "bob", "neither").questions[0].answer == "neither"


def test_a_task_ends_once() -> None:
    state = after(STATE, "spawn_subtask")
    part = state.tasks[-1].id
    ended = end(state, part, "done", "found it")
    assert (ended.tasks[-1].standing, ended.tasks[-1].result) == ("done", "found it")
    assert ended.tasks[0].standing == "open"
    assert end(ended, part, "done", "found it") == ended
    for task, standing, result, reason in (
        (part, "failed", None, "task_ended"),
        ("task-2", "done", None, "unknown_task"),
        ("task-1", "open", None, "no_end"),
        ("task-1", "done", "x" * 16_001, "bad_result"),
    ):
        with refused(reason):
            end(ended, task, standing, result)  # type: ignore[arg-type]
    over = end(ended, "task-1", "done")
    with refused("task_ended"):
        after(over, "complete_step")


@pytest.mark.parametrize("bad", ["", "/", "a b", "../x", "a/b", "a/" + "0" * 16 + "/x", "x" * 129])
def test_a_workflow_begins_with_a_task_whose_id_is_one(bad: str) -> None:
    with refused("bad_task"):
        begin(Task(id=bad, name="n", goal="g"), PEOPLE)


def test_a_workflow_begins_with_people_who_can_be_told_apart() -> None:
    assert begin(ROOT, PEOPLE).document()["participants"][0]["id"] == "agent"
    for people in ((*PEOPLE, PEOPLE[0]), (Participant(id="", role="watcher"),)):
        with refused("bad_participant"):
            begin(ROOT, people)
