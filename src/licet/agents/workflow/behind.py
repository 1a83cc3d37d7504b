"""Tools behind skills: granted, and in nobody's hands until a skill that names them is loaded.

What waits is taken out of the grants of a run, so that whatever looks at these says the same: what is offered, what may
be called, what a sub-agent may ask for.
"""

from typing import TYPE_CHECKING

from ...model.principal import Principal
from ...model.workflow import State

if TYPE_CHECKING:
    from ...runtime.run import Run


class Behind:
    """For ``Driver.followed_by``: after each turn the runs hold what they were granted, without what waits."""

    def __init__(self, *runs: "Run") -> None:
        """``runs`` have begun, so that their grants are exact."""
        self._held = [(run, run.principal) for run in runs]
        self._waiting: frozenset[str] = frozenset()

    def __call__(self, state: State) -> None:
        if state.waiting != self._waiting:
            self._waiting = state.waiting
            for run, whole in self._held:
                run.principal = without(whole, self._waiting)


def without(principal: Principal, tools: frozenset[str]) -> Principal:
    """The same principal with fewer grants; itself, where it holds none of these."""
    if principal.grants.isdisjoint(tools):
        return principal
    return Principal(principal.name, grants=principal.grants - tools, mode=principal.mode, paths=principal.paths)


__all__ = ["Behind", "without"]
