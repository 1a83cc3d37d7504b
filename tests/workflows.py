"""A task, its people and its plan: what tests of a workflow begin with."""

from collections.abc import Awaitable, Callable
from typing import Any

from licet.model.result import ToolResult
from licet.model.workflow import Participant, State, Step, Task

PEOPLE = (
    Participant(id="agent", role="assignee", kind="agent"),
    Participant(id="ada", role="admin", kind="person"),
    Participant(id="bob", role="watcher", kind="person"),
)
ROOT = Task(id="task-1", name="n", goal="g")
PLAN = (Step(name="look", description="Look around"), Step(name="write", description="Write", depends_on=("look",)))
STATE = State(root=ROOT.id, tasks=(ROOT,), plan=PLAN, participants=PEOPLE)

PART = {"name": "part", "goal": "a part", "acceptance_criteria": ["it is there"]}
ASKED = {"participant_id": "bob", "question": "Which one?", "options": ["this", "that"]}

Ask = Callable[..., Awaitable[ToolResult]]
"""``await ask(view, tool, arguments, skills=...)``"""


class View:
    """What a run would say of its task."""

    def __init__(self, state: State = STATE, actor: str = "agent", task: str = "") -> None:
        self.state = state
        self.actor = actor
        self.id = task or state.root


class Everybody:
    """Says yes to everything."""

    name = "everybody"

    async def approve(self, request: Any, /) -> bool:
        return True


def steps(*names_and_needs: tuple[str, list[str]]) -> dict[str, Any]:
    """The arguments of a plan."""
    return {"steps": [{"name": name, "description": "d", "depends_on": needs} for name, needs in names_and_needs]}
