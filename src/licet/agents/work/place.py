"""What everybody has in common who works on one task or a part of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ...ports import Clock, Model
from ...project.manifest import Manifest
from ...runtime.clock import SystemClock
from ...runtime.runtime import Runtime

MOST_TURNS = 64
"""Of one agent between two pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """``manifest`` finds who does a sub-task, as it is now, and raises ConfigurationError; ``model`` makes its model.

    ``skills`` are the names of those that there are.
    """

    runtime: Runtime
    manifest: Callable[[str], Manifest]
    model: Callable[[Manifest], Model]
    skills: frozenset[str] = frozenset()
    clock: Clock = field(default_factory=SystemClock)
    max_turns: int = MOST_TURNS


__all__ = ["MOST_TURNS", "Place"]
