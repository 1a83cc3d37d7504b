"""The workflow of a scenario: one task, worked on by the first of its cast that holds intrinsics."""

from collections.abc import Sequence

from ...intrinsics import NAMES
from ...model.names import canonical
from ...model.workflow import Participant, Task
from ...ports import Ledger
from ...project.scenario import Scenario
from ..workflow import Driver, notes
from .journal import Journal
from .performer import Performer

OPERATOR = "operator"
"""The person for whom a scenario is played: the admin of its task, whom its agent may ask."""

_INTRINSICS = frozenset(map(canonical, NAMES))


def begin_work(scenario: Scenario, cast: Sequence[Performer], ledger: Ledger, journal: Journal) -> Driver | None:
    """Begin it, if somebody of the cast may work on one. To everybody else the intrinsics refuse with ``no_task``."""
    worker = next((one for one in cast if not _INTRINSICS.isdisjoint(one.grants)), None)
    if worker is None:
        return None
    task = Task(id=f"run.{journal.run_id}", name=scenario.title, goal=scenario.goal, agent=worker.name)
    people = (
        Participant(id=worker.name, role="assignee", kind="agent"),
        Participant(id=OPERATOR, role="admin", kind="person"),
    )
    note = notes(ledger, journal.run_id, worker.name, journal.clock)
    driver = Driver.begin(task, people, worker.name, note=note, find=ledger.find)
    worker.work_on(driver)
    return driver


__all__ = ["OPERATOR", "begin_work"]
