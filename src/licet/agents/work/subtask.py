"""Who does a sub-task: an agent of its own, in a run of its own, who holds at most what its parent holds."""

from ...doors.registry import principal_of
from ...errors import ConfigurationError
from ...model.event import Event
from ...model.workflow import Participant, State, Task
from ...policy.operator import argument_rules
from ...policy.rules import Check
from ...project.manifest import Manifest
from ...runtime.run import Run
from ..workflow.attenuate import Scope, attenuate
from ..workflow.entries import BEGUN
from .delegated import Delegated
from .place import Place


def run_of(task: str, root: str) -> str:
    """The id of the run that works on a sub-task: the first one's, and what is the sub-task's own."""
    return f"{root.partition('-')[0][:40]}-{task.rpartition('/')[2]}"


def rules_of(manifest: Manifest) -> tuple[Check, ...]:
    """What a manifest says of arguments, for whoever works under it."""
    return (argument_rules(manifest.rules),) if manifest.rules else ()


def scope_of(run: Run, manifest: Manifest) -> Scope:
    """What an agent of the cast holds in its run, with what is left of its budget."""
    return Scope(
        principal=run.principal,
        checks=rules_of(manifest),
        approver=run.approver,
        may_emit=frozenset(manifest.may_emit),
        calls=run.budget,
    )


def lessened(manifest: Manifest, parent: Scope, place: Place) -> Scope:
    """What the agent of a sub-task gets, of what its manifest asks for.

    Raises:
        AttenuationError: it asks for more than its parent holds.
        ConfigurationError: its parent's rules cannot be held here.
    """
    asked = Scope(
        principal=principal_of(manifest.name, manifest),
        checks=rules_of(manifest),
        approver=parent.approver,
        may_emit=frozenset(manifest.may_emit),
        calls=manifest.agent.max_calls,
    )
    scope = attenuate(parent, asked, place.runtime.specs())
    if scope.checks and delegated(place) is None:
        raise ConfigurationError("rules go down with a sub-task, and this runtime has no Delegated() among its checks")
    return scope


def begun(scope: Scope, run_id: str, parent: Run, place: Place, *, again: bool) -> Run:
    """The run of a sub-task. ``again``: it had one before, whose ids are not made a second time."""
    principal = scope.principal
    spoken = f"{run_id}.1"
    prefix = parent.mint() if again else spoken
    run = place.runtime.begin(
        principal, id=run_id, max_calls=scope.calls, approver=scope.approver, prefix=prefix, spoken=spoken
    )
    run.approver = scope.approver  # where there is none, the runtime's would be asked
    run.fence = parent.fence
    if scope.checks and (held := delegated(place)) is not None:
        held.hold(run.principal, scope.checks)
    return run


def ended(run: Run, parent: Run, place: Place, calls: int | None) -> None:
    """Its calls were its parent's too."""
    run.close()
    if (held := delegated(place)) is not None:
        held.release(run.principal)
    if parent.budget is not None and calls is not None and run.budget is not None:
        parent.budget -= calls - run.budget


def delegated(place: Place) -> Delegated | None:
    return next((check for check in place.runtime.checks if isinstance(check, Delegated)), None)


def part_of(task: Task) -> Task:
    """A sub-task as the first task of a workflow of its own."""
    return Task(
        id=task.id,
        name=task.name,
        goal=task.goal,
        acceptance_criteria=task.acceptance_criteria,
        parent=task.parent,
        agent=task.agent,
    )


def told(task: Task, parent: str) -> Event:
    """What its agent hears first: the words of whoever gave it, which are data."""
    wish = {"acceptance_criteria": list(task.acceptance_criteria), "goal": task.goal, "name": task.name}
    return Event(BEGUN, wish, parent)


def people_of(state: State, agent: str) -> tuple[Participant, ...]:
    """The persons who take part in the whole, and the agent who does this part; its parent is nobody to be asked."""
    people = (person for person in state.participants if person.kind == "person" and person.id != agent)
    return (Participant(id=agent, role="assignee", kind="agent"), *people)


__all__ = ["begun", "delegated", "ended", "lessened", "part_of", "people_of", "rules_of", "run_of", "scope_of", "told"]
