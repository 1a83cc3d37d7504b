"""Where a workflow stands, as a model reads it: one block of data, made of the state alone."""

from collections.abc import Sequence
from typing import Any

import orjson

from ...dialects.untrusted import PREAMBLE, Fence, blocks, escaped
from ...intrinsics.rules import OVER
from ...model.names import short
from ...model.workflow import State, Task
from ...ports import Message

LABEL = "workflow"
"""Of the block."""


def brief(task: Task) -> str:
    """What is to be done. The words are those of whoever gave the task; nothing in them acts or begins a block."""
    lines = [f"TASK\n{_plain(task.name)}: {_plain(task.goal)}"]
    lines += (f"- {_plain(criterion)}" for criterion in task.acceptance_criteria)
    return "\n".join(lines)


def standing(state: State, fence: Fence, id: str) -> str:
    """Plan, people, answers, what came of sub-tasks, loaded skills. Everything in it is data, answers included."""
    return f"WHERE IT STANDS\n{PREAMBLE}\n{fence.block(id, LABEL, _json(document(state)))}"


def document(state: State) -> dict[str, Any]:
    """What of a state matters to whoever works on it. ``wait_for_a_skill`` is there where any tools do."""
    waiting = {"wait_for_a_skill": sorted(map(short, state.waiting))} if state.waiting else {}
    return {
        **waiting,
        "participants": [{"id": p.id, "kind": p.kind, "role": p.role} for p in state.participants],
        "plan": [
            {
                "step": step.name,
                "description": step.description,
                "depends_on": list(step.depends_on),
                "output": step.output,
            }
            for step in state.plan
        ],
        "questions": [
            {"participant": asked.participant, "question": asked.text, "answer": asked.answer}
            for asked in state.questions
        ],
        "subtasks": [
            {"name": task.name, "step": task.step, "standing": task.standing, "result": task.result}
            for task in state.tasks
            if task.id != state.root
        ],
        "skills": [skill.name for skill in state.skills],
        "pages": len(state.surfaces),
    }


def told(conversation: Sequence[Message]) -> dict[str, Any]:
    """What the last such block of a conversation says; for a script that stands where a model would."""
    for message in reversed(conversation):
        if message.role == "user":
            for label, text in reversed(list(blocks(message.text))):
                if label == LABEL:
                    found: dict[str, Any] = orjson.loads(text)
                    return found
    return {}


def subtasks(state: State) -> tuple[Task, ...]:
    """The sub-tasks that agents do."""
    return tuple(task for task in state.tasks if task.parent == state.root and task.participant is None)


def open_subtasks(state: State) -> tuple[Task, ...]:
    """Those that are not over."""
    return tuple(task for task in subtasks(state) if task.standing not in OVER)


def _plain(text: str) -> str:
    return "\n".join(map(escaped, text.splitlines()))


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


__all__ = ["LABEL", "brief", "document", "open_subtasks", "standing", "subtasks", "told"]
