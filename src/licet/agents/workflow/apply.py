"""The application of commands, replies and ends: (state, what came) -> state.

Pure and total. What does not fit raises a NotAppliedError and leaves nothing behind, because a state is a value. The
same command of the same call, applied again, changes nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from ...errors import ConfigurationError, ToolFailedError
from ...intrinsics import PAYLOADS, judge
from ...intrinsics.bounds import TEXT
from ...intrinsics.rules import open_task, participant
from ...model.command import WorkflowCommand
from ...model.json_object import JsonObject
from ...model.workflow import Participant, Question, State, Task
from ...schema.validate import Validator, compile
from .change import CHANGES, MAKES, Told, changed, made
from .not_applied import NotAppliedError

MOST_RESULT = 16_000
"""Characters of what came of a task."""

_TASK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}(/[0-9a-f]{16}){0,4}", re.ASCII)


def begin(task: Task, participants: Iterable[Participant], behind: Iterable[str] = ()) -> State:
    """The state in which a workflow begins. ``behind`` are the tools that wait for a skill which names them.

    Raises:
        NotAppliedError: ``bad_task``, its id is none; ``bad_participant``, two have one id or one has none.
    """
    people = tuple(participants)
    if not _TASK.fullmatch(task.id):
        told = "the id of a task is letters, digits and _ . : -, and of a sub-task its parent's and a slash before"
        raise NotAppliedError("bad_task", f"{task.id[:80]!r} is no id of a task: {told}")
    if len({person.id for person in people}) < len(people) or not all(person.id for person in people):
        raise NotAppliedError("bad_participant", "each participant has an id of their own")
    return State(root=task.id, tasks=(task,), participants=people, behind=tuple(sorted(set(behind))))


def apply(state: State, command: WorkflowCommand, *, call: str, actor: str, task: str) -> State:
    """The state after a command that ``call`` gave, made by ``actor`` who works on ``task``.

    Raises:
        NotAppliedError: it does not fit; ``reason`` says why.
    """
    if command.kind not in CHANGES:
        raise NotAppliedError("unknown_kind", f"{str(command.kind)[:80]!r} is no kind of a command")
    told = Told(command.kind, _payload(command), call, task)
    if (earlier := made(state, told)) is not None:
        if earlier != MAKES[told.kind](told):
            raise NotAppliedError("call_reused", "this call gave another command before")
        return state
    try:
        judge(state, told.kind, told.payload, task=task, actor=actor)
    except ToolFailedError as refused:
        raise NotAppliedError.of(refused) from None
    after = changed(state, told)
    return state if after == state else replace(after, applied=state.applied + 1)


def reply(state: State, nonce: str, participant_id: str, text: str) -> State:
    """The state after an answer: it binds the question's nonce and the participant who was asked.

    Raises:
        NotAppliedError: ``unknown_question``, ``not_asked``, ``answered``, ``not_an_option``, ``bad_reply``, or its
            task is over.
    """
    question = next((asked for asked in state.questions if asked.nonce == nonce), None)
    if question is None:
        raise NotAppliedError("unknown_question", "no question of this workflow has this nonce")
    _refuse_reply(state, question, participant_id, text)
    questions = tuple(replace(q, answer=text) if q.nonce == nonce else q for q in state.questions)
    waits = any(q.task == question.task and q.answer is None for q in questions)
    standing: Literal["input_required", "open"] = "input_required" if waits else "open"
    tasks = tuple(replace(t, standing=standing) if t.id == question.task else t for t in state.tasks)
    return replace(state, tasks=tasks, questions=questions)


def _refuse_reply(state: State, question: Question, participant_id: str, text: str) -> None:
    if question.participant != participant_id:
        raise NotAppliedError("not_asked", f"{participant_id[:80]!r} was not asked this; {question.participant!r} was")
    if question.answer is not None:
        raise NotAppliedError("answered", "this question has its answer; the first one counts")
    if not isinstance(text, str) or not 0 < len(text) <= TEXT:
        raise NotAppliedError("bad_reply", f"an answer is a text of 1 to {TEXT} characters")
    if question.options and text not in question.options:
        raise NotAppliedError("not_an_option", f"the answers to this are: {', '.join(question.options)[:400]}")
    try:
        participant(state, participant_id)
        open_task(state, question.task)
    except ToolFailedError as refused:
        raise NotAppliedError.of(refused) from None


def end(state: State, task: str, standing: Literal["done", "failed"], result: str | None = None) -> State:
    """The state after a task is over: the first one, which ends the workflow, or a sub-task with what came of it.

    Raises:
        NotAppliedError: there is no such task, it ended in another way, or ``standing`` or ``result`` is none.
    """
    if standing not in ("done", "failed"):
        raise NotAppliedError("no_end", f"a task ends done or failed, not {str(standing)[:80]!r}")
    if result is not None and not (isinstance(result, str) and len(result) <= MOST_RESULT):
        raise NotAppliedError("bad_result", f"a result is a text of at most {MOST_RESULT} characters")
    if any(known.id == task and (known.standing, known.result) == (standing, result) for known in state.tasks):
        return state
    try:
        open_task(state, task)
    except ToolFailedError as refused:
        raise NotAppliedError.of(refused) from None
    over = tuple(replace(t, standing=standing, result=result) if t.id == task else t for t in state.tasks)
    return replace(state, tasks=over)


def _payload(command: WorkflowCommand) -> dict[str, Any]:
    """A copy of its own, once it has the shape of its kind."""
    try:
        payload = JsonObject.of(command.payload).copy()
    except ConfigurationError:
        raise NotAppliedError("malformed", f"the payload of {command.kind} is no JSON object") from None
    fit = _fit(command.kind)
    if not fit.is_valid(payload):
        found = "; ".join(f"{problem.pointer or '/'}: {problem.message}" for problem in fit.errors(payload, limit=3))
        raise NotAppliedError("malformed", f"the payload of {command.kind} has another shape: {found[:400]}")
    return payload


@cache
def _fit(kind: str) -> Validator:
    return compile(JsonObject.of(PAYLOADS[kind]), where=f"the payload of {kind}")
