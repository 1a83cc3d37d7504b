"""The entries by which a ledger tells of a workflow, and what their bodies hold.

=====================  ==============================================================================================
``workflow.begun``     ``{"task": {...}, "participants": [...], "actor": id, "behind": [...]}``: the first task, its
                       people, who acts, and which tools wait for a skill, where any do
``tool.completed``     of an intrinsic: its output is ``{"command": kind, ...payload}``
``workflow.refused``   ``{"call", "reason"}``: this command came, and did not fit the state that it came to
``workflow.advanced``  ``{"applied": n, "state": digest}``: where the commands of a turn have led
``workflow.replied``   ``{"nonce", "participant", "text", "by"}``: a person's answer, and who was at the keyboard
``workflow.ended``     ``{"task", "standing", "result"}``: of the first task or of a sub-task
=====================  ==============================================================================================
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...intrinsics import KINDS, READ
from ...model.command import WorkflowCommand
from ...model.names import canonical
from ...model.workflow import Participant, State, Task
from .not_applied import NotAppliedError

BEGUN = "workflow.begun"
REPLIED = "workflow.replied"
ENDED = "workflow.ended"
ADVANCED = "workflow.advanced"
REFUSED = "workflow.refused"

_KIND_OF = {canonical(name): kind for name, kind in KINDS.items() if kind != READ}


class Missed(NamedTuple):
    """A command that did not fit: of which call, and why in one word."""

    call: str
    reason: str


def begun(state: State, actor: str) -> dict[str, Any]:
    """What is noted of a state that has just begun."""
    people = [asdict(person) for person in state.participants]
    waiting = {"behind": list(state.behind)} if state.behind else {}
    return {"task": asdict(state.tasks[0]), "participants": people, "actor": actor, **waiting}


def advanced(state: State) -> dict[str, Any]:
    """What is noted of a state after a turn."""
    return {"applied": state.applied, "state": state.digest()}


def task_from(body: Mapping[str, Any]) -> Task:
    """The task of a body. Raises TypeError or KeyError: it holds none."""
    told = dict(body["task"])
    return Task(**{**told, "acceptance_criteria": tuple(told["acceptance_criteria"])})


def participants_from(body: Mapping[str, Any]) -> tuple[Participant, ...]:
    """The participants of a body. Raises TypeError or KeyError: it holds none."""
    return tuple(Participant(**person) for person in body["participants"])


def behind_from(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The tools that wait for a skill. Raises TypeError: it holds something else."""
    told = body.get("behind", [])
    if not isinstance(told, list) or not all(isinstance(name, str) for name in told):
        raise TypeError("behind is a list of names")
    return tuple(told)


def commands(tool: object) -> bool:
    """Whether a tool is one of those that may change a workflow; whatever another one gives is no command."""
    try:
        return isinstance(tool, str) and canonical(tool) in _KIND_OF
    except ConfigurationError:
        return False


def command_from(tool: str, output: object) -> WorkflowCommand:
    """The command that the ledger holds of a call.

    Raises:
        NotAppliedError: ``record_incomplete``, it holds a part only, or something else than this tool gives.
    """
    if not isinstance(output, dict) or output.get("command") != _KIND_OF[canonical(tool)]:
        raise NotAppliedError("record_incomplete", "the ledger holds a part only of what this call gave")
    payload = {key: value for key, value in output.items() if key != "command"}
    return WorkflowCommand(output["command"], payload)
