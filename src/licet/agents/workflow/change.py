"""What each command makes of a state that it fits. Pure: ids come from the call's, so that a replay makes the same."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from ...intrinsics.plans import ordered
from ...model.workflow import LoadedSkill, Question, ShownSurface, State, Step, Task


class Told(NamedTuple):
    """A command, by whom and where."""

    kind: str
    payload: Mapping[str, Any]
    call: str
    task: str


def subtask_id(task: str, call: str) -> str:
    """The id of the sub-task that a call makes; it begins with its parent's."""
    return f"{task}/{_derived('task', call)[:16]}"


def nonce(call: str) -> str:
    """What an answer to the question of a call has to name."""
    return _derived("question", call)[:32]


def _derived(what: str, call: str) -> str:
    return sha256(f"licet.{what}\0{call}".encode("utf-8", "surrogatepass")).hexdigest()


def changed(state: State, told: Told) -> State:
    """The state after a command that fits it; equal to what it was where nothing was left to do."""
    return CHANGES[told.kind](state, told)


def made(state: State, told: Told) -> Task | Question | ShownSurface | None:
    """What an earlier application of the same call made, as it was made; None: there was none."""
    made: tuple[Task | Question | ShownSurface, ...] = ()
    match told.kind:
        case "spawn_subtask" | "create_participant_task":
            here = subtask_id(told.task, told.call)
            made = tuple(replace(task, standing="open", result=None) for task in state.tasks if task.id == here)
        case "wait_for_reply":
            here = nonce(told.call)
            made = tuple(replace(question, answer=None) for question in state.questions if question.nonce == here)
        case "ui_emitted":
            made = tuple(shown for shown in state.surfaces if shown.call == told.call)
    return made[0] if made else None


def task_of(told: Told) -> Task:
    """The sub-task that a command asks for."""
    wish = told.payload
    return Task(
        id=subtask_id(told.task, told.call),
        name=wish["name"],
        goal=wish["goal"],
        acceptance_criteria=tuple(wish["acceptance_criteria"]),
        parent=told.task,
        step=wish.get("step"),
        agent=wish.get("agent"),
        participant=wish.get("participant_id"),
    )


def question_of(told: Told) -> Question:
    """The question that a command asks."""
    wish = told.payload
    options = tuple(wish["options"])
    asked = {"participant": wish["participant_id"], "text": wish["question"], "options": options}
    return Question(nonce=nonce(told.call), task=told.task, **asked)


def surface_of(told: Told) -> ShownSurface:
    """What a command shows."""
    text = json.dumps(told.payload["messages"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return ShownSurface(call=told.call, messages=text)


MAKES: Mapping[str, Callable[[Told], Task | Question | ShownSurface]] = MappingProxyType(
    {
        "spawn_subtask": task_of,
        "create_participant_task": task_of,
        "wait_for_reply": question_of,
        "ui_emitted": surface_of,
    }
)
"""Commands that are not idempotent by themselves: each call makes one thing, once."""


def _attach_plan(state: State, told: Told) -> State:
    outputs = {step.name: step.output for step in state.plan}
    steps = ordered(told.payload["steps"]).items()
    plan = tuple(
        Step(name=name, description=description, depends_on=needs, output=outputs.get(name))
        for name, (description, needs) in steps
    )
    return replace(state, plan=plan)


def _complete_step(state: State, told: Told) -> State:
    name, output = told.payload["step"], told.payload["output"]
    return replace(state, plan=tuple(replace(s, output=output) if s.name == name else s for s in state.plan))


def _add_task(state: State, told: Told) -> State:
    return replace(state, tasks=(*state.tasks, task_of(told)))


def _wait_for_reply(state: State, told: Told) -> State:
    waiting = tuple(replace(t, standing="input_required") if t.id == told.task else t for t in state.tasks)
    return replace(state, tasks=waiting, questions=(*state.questions, question_of(told)))


def _set_role(state: State, told: Told) -> State:
    who, role = told.payload["participant_id"], told.payload["role"]
    return replace(state, participants=tuple(replace(p, role=role) if p.id == who else p for p in state.participants))


def _skill_loaded(state: State, told: Told) -> State:
    name = told.payload["name"]
    if any(skill.name == name for skill in state.skills):
        return state
    brings = tuple(tool for tool in state.behind if tool in told.payload["tools"])
    return replace(state, skills=(*state.skills, LoadedSkill(name=name, digest=told.payload["digest"], tools=brings)))


def _skill_unloaded(state: State, told: Told) -> State:
    return replace(state, skills=tuple(skill for skill in state.skills if skill.name != told.payload["name"]))


def _ui_emitted(state: State, told: Told) -> State:
    return replace(state, surfaces=(*state.surfaces, surface_of(told)))


def _nothing(state: State, told: Told) -> State:
    return state


CHANGES: Mapping[str, Callable[[State, Told], State]] = MappingProxyType(
    {
        "attach_plan": _attach_plan,
        "complete_step": _complete_step,
        "spawn_subtask": _add_task,
        "wait_for_reply": _wait_for_reply,
        "create_participant_task": _add_task,
        "set_role": _set_role,
        "skill_loaded": _skill_loaded,
        "skill_unloaded": _skill_unloaded,
        "ui_emitted": _ui_emitted,
        "read": _nothing,
    }
)
"""Kind of a command -> what it makes of the state."""
