"""The workflow of a scenario: one task, worked on by the first of its cast that holds intrinsics."""

from collections.abc import Iterable, Sequence

from ...intrinsics import NAMES
from ...model.names import canonical
from ...model.workflow import Participant, Task
from ...ports import Ledger
from ...project.scenario import Scenario
from ..workflow import Behind, Driver, notes
from .journal import Journal
from .performer import Performer

OPERATOR = "operator"
"""The person for whom a scenario is played: the admin of its task, whom its agent may ask."""

_LOADS = canonical("load_skill")
_INTRINSICS = frozenset(map(canonical, NAMES))


def begin_work(
    scenario: Scenario, cast: Sequence[Performer], ledger: Ledger, journal: Journal, behind: Iterable[str] = ()
) -> Driver | None:
    """Begin it, if somebody of the cast may work on one. To everybody else the intrinsics refuse with ``no_task``.

    ``behind`` are the tools that skills name. They wait, for the whole cast, if who works on it may load a skill.
    """
    worker = next((one for one in cast if not _INTRINSICS.isdisjoint(one.grants)), None)
    if worker is None:
        return None
    task = Task(id=f"run.{journal.run_id}", name=scenario.title, goal=scenario.goal, agent=worker.name)
    people = (
        Participant(id=worker.name, role="assignee", kind="agent"),
        Participant(id=OPERATOR, role="admin", kind="person"),
    )
    note = notes(ledger, journal.run_id, worker.name, journal.clock)
    waits = behind if _LOADS in worker.grants else ()
    driver = Driver.begin(task, people, worker.name, note=note, find=ledger.find, behind=waits)
    take_up(driver, worker, cast)
    return driver


def take_up(driver: Driver, worker: Performer, cast: Iterable[Performer]) -> None:
    """Let one of the cast work on it, and all of them hold what does not wait for a skill."""
    driver.followed_by(Behind(*(one.run for one in cast)))
    worker.work_on(driver)


__all__ = ["OPERATOR", "begin_work", "take_up"]
