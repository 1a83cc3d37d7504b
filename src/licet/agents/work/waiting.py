"""What a run waits for: its own open questions, and those of its sub-tasks, however deep."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ...intrinsics.rules import OVER
from ...model.entry import Entry
from ...model.workflow import Question
from ..workflow import NotAppliedError, Replayed, replay, reply
from ..workflow.standing import subtasks
from .subtask import run_of

Entries = Callable[[str], Iterable[Entry]]
"""Those of one run, in order."""


class Waiting(NamedTuple):
    """An open question. ``run_id`` is the run that asked: the one that began, or that of a sub-task."""

    run_id: str
    question: Question


class Answer(NamedTuple):
    """``question`` is the nonce that is meant, or how it begins; empty: the one that this participant was asked.
    ``by`` is who was at the keyboard.
    """

    participant: str
    text: str
    question: str = ""
    by: str = ""


class Stands(NamedTuple):
    """A run, and those of its sub-tasks: each by its id, this one first."""

    parts: Mapping[str, Replayed]
    waits: tuple[Waiting, ...]

    @property
    def run_id(self) -> str:
        return next(iter(self.parts))

    @property
    def found(self) -> Replayed:
        return self.parts[self.run_id]

    @property
    def is_over(self) -> bool:
        return self.found.state.tasks[0].standing in OVER


def stands(entries: Entries, run_id: str) -> Stands | None:
    """Where a run stands; None: no workflow began in it.

    Raises:
        ReplayError: the entries do not lead where they say.
    """
    found = replay(entries(run_id))
    if found is None:
        return None
    parts, waits = {run_id: found}, [Waiting(run_id, asked) for asked in found.state.questions if asked.answer is None]
    for task in subtasks(found.state):
        part = stands(entries, run_of(task.id, run_id))
        if part is not None:
            parts |= part.parts
            waits += part.waits if task.standing not in OVER else ()
    waits = [] if found.state.tasks[0].standing in OVER else waits
    return Stands(parts, tuple(waits))


def meant(stood: Stands, answer: Answer) -> Waiting:
    """The open question that an answer is to.

    Raises:
        NotAppliedError: there is none, it was asked of somebody else, it is not clear which is meant, or this is no
            answer to it.
    """
    run_id, waits = stood.run_id, stood.waits
    if stood.is_over:
        raise NotAppliedError("task_ended", f"the work of the run {run_id} is over; licet runs {run_id} shows it")
    if not waits:
        told = f"nobody is asked anything in the run {run_id}"
        raise NotAppliedError("nothing_asked", f"{told}; without an answer, licet resume {run_id} lets it go on")
    named = [one for one in waits if one.question.nonce.startswith(answer.question)]
    if not named:
        open_now = ", ".join(one.question.nonce[:8] for one in waits)
        raise NotAppliedError("unknown_question", f"no open question begins {answer.question[:40]!r}; open: {open_now}")
    asked = [one for one in named if one.question.participant == answer.participant]
    if not asked:
        who = ", ".join(dict.fromkeys(one.question.participant for one in named))
        told = f"{answer.participant[:80]!r} was not asked; --participant names who answers, and asked was {who}"
        raise NotAppliedError("not_asked", told)
    if len(asked) > 1:
        told = ", ".join(f"{one.question.nonce[:8]} ({one.question.text[:60]})" for one in asked)
        raise NotAppliedError("several_questions", f"{len(asked)} questions are open: --question takes one of {told}")
    part, question = stood.parts[asked[0].run_id], asked[0].question
    reply(part.state, question.nonce, answer.participant, answer.text)
    return asked[0]


__all__ = ["OVER", "Answer", "Entries", "Stands", "Waiting", "meant", "stands"]
