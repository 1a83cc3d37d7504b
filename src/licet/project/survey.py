"""Every server of a configuration against the lock."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ..errors import LicetError
from .drift import Drift, gone, server_drift
from .listing import Answer, Listed, Unlisted
from .lock_text import of_launch
from .locked import Lock


class Surveyed(NamedTuple):
    """One server. ``problem`` is why it was not listed; ``quarantined`` what it lists and nobody can use: name -> why.

    ``new`` are tools that are not pinned yet, ``drifts`` everything that is not as it was pinned.
    """

    name: str
    listed: Listed | None
    problem: LicetError | None = None
    new: tuple[Drift, ...] = ()
    drifts: tuple[Drift, ...] = ()

    @property
    def quarantined(self) -> Mapping[str, str]:
        return {} if self.listed is None else self.listed.unusable


def survey(
    lock: Lock, declared: Collection[str], answers: Mapping[str, Answer], problems: Mapping[str, LicetError]
) -> list[Surveyed]:
    """Declared servers in their order, then those that are locked and declared no more."""
    asked = [_one(lock, name, answers.get(name), problems.get(name)) for name in declared]
    return [*asked, *(undeclared(lock, name) for name in sorted(lock.servers) if name not in declared)]


def undeclared(lock: Lock, name: str) -> Surveyed:
    """A server that is locked, and that the configuration has no more."""
    held = lock.servers[name]
    removed = Drift(name, "", "vanished", (), gone(held.launch_digest), of_launch(held), "")
    return Surveyed(name, None, drifts=(removed,))


def pinned_of(found: Iterable[Surveyed]) -> list[str]:
    """The names of all tools that are to be added to the lock."""
    return [drift.name for one in found if _adds(one) for drift in one.new]


def _adds(one: Surveyed) -> bool:
    """A server that is started differently now adds nothing, as ``relock.with_missing`` has it."""
    return not any(drift.tool == "" for drift in one.drifts)


def _one(lock: Lock, name: str, answer: Answer | None, problem: LicetError | None) -> Surveyed:
    if not isinstance(answer, Listed):
        return Surveyed(name, None, answer.error if isinstance(answer, Unlisted) else problem)
    found = server_drift(name, lock.servers.get(name), answer.server, answer.unusable)
    return Surveyed(
        name,
        answer,
        new=tuple(drift for drift in found if drift.state == "new"),
        drifts=tuple(drift for drift in found if drift.state != "new"),
    )


__all__ = ["Surveyed", "pinned_of", "survey", "undeclared"]
