"""What everybody has in common who works on one task or a part of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...doors.registry import ToolRegistry
from ...ports import Clock, Model
from ...project.manifest import Manifest
from ...runtime.clock import SystemClock
from ...runtime.runtime import Runtime

MOST_TURNS = 64
"""Of one agent between two pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """``manifest`` finds who does a sub-task, as it is now, and raises ConfigurationError; ``model`` makes its model,
    and its handler is one of ``handlers``.
    """

    registry: ToolRegistry
    manifest: Callable[[str], Manifest]
    model: Callable[[Manifest], Model]
    handlers: Mapping[str, Callable[..., Any]]
    clock: Clock = field(default_factory=SystemClock)
    max_turns: int = MOST_TURNS

    @property
    def runtime(self) -> Runtime:
        return self.registry.runtime


__all__ = ["MOST_TURNS", "Place"]
