"""What a workflow permits: one judgement, asked by the tool before it wishes and by the workflow before it applies.

Pure, and over facts only. Every refusal is a ToolFailedError with a stable ``reason``.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ..model.workflow import Participant, State, Step, Task
from .bounds import MOST_DEPTH, MOST_QUESTIONS, MOST_SKILLS, MOST_SURFACES, MOST_TASKS
from .plans import ordered
from .refusal import refusal
from .surfaces import surfaces_after

Payload = Mapping[str, Any]
Rule = Callable[[State, Payload, Task, Participant], None]

OVER = ("done", "failed")

ROOT_ONLY = frozenset({"attach_plan", "set_role", "skill_loaded", "skill_unloaded"})
"""Commands about what belongs to the workflow as a whole: those who work on a sub-task have no say in it."""


def judge(state: State, kind: str, payload: Payload, *, task: str, actor: str) -> None:
    """Whether a command fits the state. The payload has its shape already.

    Raises:
        ToolFailedError: it does not; ``reason`` says why.
    """
    where, who = open_task(state, task), participant(state, actor)
    if kind in ROOT_ONLY and task != state.root:
        raise refusal("not_this_task", "this belongs to the whole workflow, and this is one of its sub-tasks")
    RULES[kind](state, payload, where, who)


def open_task(state: State, task: str) -> Task:
    """A task that is not over, in a workflow that is not."""
    found = next((known for known in state.tasks if known.id == task), None)
    if found is None:
        raise refusal("unknown_task", "there is no such task in this workflow")
    if found.standing in OVER or any(known.id == state.root and known.standing in OVER for known in state.tasks):
        raise refusal("task_ended", "this task is over; nothing is done for it any more")
    return found


def participant(state: State, who: str) -> Participant:
    """Somebody who takes part."""
    found = next((known for known in state.participants if known.id == who), None)
    if found is None:
        known = ", ".join(sorted(known.id for known in state.participants)) or "nobody"
        raise refusal("unknown_participant", f"{who[:80]!r} takes no part; these do: {known[:400]}")
    return found


def step(state: State, name: str) -> Step:
    """A step of the plan."""
    found = next((known for known in state.plan if known.name == name), None)
    if found is None:
        known = ", ".join(known.name for known in state.plan) or "no plan yet; create_plan makes one"
        raise refusal("unknown_step", f"the plan has no step {name[:80]!r}; it has: {known[:400]}")
    return found


def depth(task: str) -> int:
    """How far below the first task of all a task is; ids are made so that they tell."""
    return task.count("/")


def _attach_plan(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    steps = ordered(payload["steps"])
    for old in state.plan:
        new = steps.get(old.name)
        if old.output is not None and new != (old.description, old.depends_on):
            raise refusal("step_done", f"the step {old.name!r} is finished; the new plan has to hold it as it is")
        if new is None and any(other.step == old.name for other in state.tasks):
            raise refusal("step_in_use", f"a task is a part of the step {old.name!r}; the new plan has to hold it")


def _complete_step(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    found = step(state, payload["step"])
    if task.id != state.root and task.step != found.name:
        raise refusal("not_this_task", f"the step {found.name!r} is not what this sub-task was made for")
    if found.output not in (None, payload["output"]):
        raise refusal("step_done", f"the step {found.name!r} is finished, with another output; go on with the next")
    if missing := [name for name in found.depends_on if step(state, name).output is None]:
        raise refusal("step_blocked", f"the step {found.name!r} waits for: {', '.join(missing)[:400]}")


def _subtask(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    if "participant_id" in payload:
        participant(state, payload["participant_id"])
    if "step" in payload and step(state, payload["step"]).output is not None:
        raise refusal("step_done", f"the step {payload['step']!r} is finished; nothing more is a part of it")
    if depth(task.id) >= MOST_DEPTH:
        raise refusal("too_deep", f"sub-tasks nest at most {MOST_DEPTH} deep; do this one here")
    if len(state.tasks) >= MOST_TASKS:
        raise refusal("too_many", f"a workflow has at most {MOST_TASKS} tasks")


def _wait_for_reply(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    if participant(state, payload["participant_id"]).id == actor.id:
        raise refusal("asks_itself", "nobody asks themselves; ask another participant")
    if len(state.questions) >= MOST_QUESTIONS:
        raise refusal("too_many", f"a workflow has at most {MOST_QUESTIONS} questions")


def _set_role(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    found = participant(state, payload["participant_id"])
    if actor.role != "admin":
        raise refusal("not_admin", f"only an admin changes roles, and {actor.id!r} is {actor.role}")
    if found.id == actor.id:
        raise refusal("own_role", "nobody changes their own role, so that an admin is left; ask another admin")


def _skill_loaded(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    held = {skill.name: skill.digest for skill in state.skills}
    if held.get(payload["name"], payload["digest"]) != payload["digest"]:
        raise refusal("skill_changed", "the skill is loaded, and has changed since; unload it, then load it again")
    if len(held) >= MOST_SKILLS and payload["name"] not in held:
        raise refusal("too_many", f"at most {MOST_SKILLS} skills are loaded at a time; unload one")


def _ui_emitted(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    if len(state.surfaces) >= MOST_SURFACES:
        raise refusal("too_many", f"a workflow shows at most {MOST_SURFACES} times")
    surfaces_after(state, payload["messages"])


def _fits(state: State, payload: Payload, task: Task, actor: Participant) -> None:
    pass


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "attach_plan": _attach_plan,
        "complete_step": _complete_step,
        "spawn_subtask": _subtask,
        "wait_for_reply": _wait_for_reply,
        "create_participant_task": _subtask,
        "set_role": _set_role,
        "skill_loaded": _skill_loaded,
        "skill_unloaded": _fits,
        "ui_emitted": _ui_emitted,
        "read": _fits,
    }
)
"""Kind of a command -> what it has to fit."""
