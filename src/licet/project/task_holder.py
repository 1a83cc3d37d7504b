"""Whose the task of a scenario is, by the manifests of its cast, and which workers would have none."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..model.names import canonical
from ..policy.grants import matches
from .manifest import WORKER, Manifest
from .place import quoted


class Idle(NamedTuple):
    """An agent that works on tasks and gets none. ``text`` says why, and what instead; it is about ``handler``."""

    manifest: Manifest
    text: str


def task_holder(cast: Sequence[Manifest]) -> Manifest | None:
    """The first of a cast that is granted intrinsics; None: no workflow begins."""
    return next(filter(holds_intrinsics, cast), None)


def holds_intrinsics(manifest: Manifest) -> bool:
    """Whether it is granted any, by name, pattern or group."""
    from ..intrinsics import GROUP

    agent, names = manifest.agent, _names()
    if GROUP in agent.groups or any(grant.tool in names for grant in agent.tools):
        return True
    return any(matches(pattern, name) for pattern in agent.globs for name in names)


def idle(cast: Sequence[Manifest]) -> Iterator[Idle]:
    """Those of a cast whose handler works on a task, though the scenario's is not theirs."""
    holder = task_holder(cast)
    for manifest in cast:
        if manifest.handler != WORKER or manifest is holder:
            continue
        if holder is None or not holds_intrinsics(manifest):
            told = "it works on a task, and is granted no intrinsic; grant the group intrinsics, or those that it needs"
        else:
            told = f"the task goes to {quoted(holder.name)}, the first of the cast with intrinsics; put this one first"
        yield Idle(manifest, told)


def refuse_idle(cast: Sequence[Manifest]) -> None:
    """Raises ConfigurationError: a worker of the cast would have no task; with file, line and key."""
    for manifest, told in idle(cast):
        raise manifest.wrong(("handler",), told)


@cache
def _names() -> frozenset[str]:
    from ..intrinsics import NAMES

    return frozenset(map(canonical, NAMES))


__all__ = ["Idle", "holds_intrinsics", "idle", "refuse_idle", "task_holder"]
