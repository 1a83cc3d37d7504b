"""A task, its people and its plan: what tests of a workflow begin with."""

from collections.abc import Awaitable, Callable
from typing import Any, Self

from licet import GrantSet, Principal, Runtime
from licet.agents.workflow import Behind, Driver, Replayed, notes, replay
from licet.intrinsics import Skills, intrinsics
from licet.model.call import Request
from licet.model.result import ToolResult
from licet.model.workflow import Participant, State, Step, Task
from licet.ports import Ledger
from licet.sources.combine import Offer
from licet.testing import FixedClock

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


class Desk:
    """A run that works on a task, turn by turn, on a ledger."""

    def __init__(self, ledger: Ledger, run_id: str = "run-1", *tools: Offer, skills: Skills | None = None) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self.runtime = Runtime([*intrinsics(skills), *tools], ledger=ledger, approver=Everybody())
        who = Principal("agent", grants=[GrantSet.full()])
        self.run = self.runtime.begin(who, id=run_id)
        self.note = notes(ledger, run_id, "agent", FixedClock())
        self.driver: Driver

    def begin(
        self,
        task: Task = ROOT,
        actor: str = "agent",
        people: tuple[Participant, ...] = PEOPLE,
        behind: tuple[str, ...] = (),
    ) -> Self:
        self.driver = Driver.begin(task, people, actor, note=self.note, find=self.ledger.find, behind=behind)
        self.driver.followed_by(Behind(self.run))
        self.run.task = self.driver
        return self

    def resume(self) -> Self:
        self.driver = Driver.resume(self.replayed(), note=self.note, find=self.ledger.find)
        self.run.task = self.driver
        return self

    def replayed(self) -> Replayed:
        found = replay(self.ledger.entries(self.run_id))
        assert found is not None
        return found

    async def turn(self, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
        """One turn: the calls, and then what becomes of their commands."""
        async with self.run.turn():
            results = await self.run.batch([Request(tool, arguments) for tool, arguments in calls])
        self.driver.apply(results)
        return results
