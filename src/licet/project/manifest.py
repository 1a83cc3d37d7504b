"""A manifest: one agent in a file of its own. What an ``agents:`` entry says of it, and what only a manifest has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import ConfigurationError
from ..model.names import short
from ..model.paths import RunMode
from ..model.principal import GrantSet
from .agent import EVERYWHERE, Agent
from .place import Place

if TYPE_CHECKING:
    from ..policy.operator import Rule
    from .yaml_file import Document

FOLDER = "config/agents"

Role = Literal["worker", "judge", "observer", "reflector"]

GENERIC = "generic"
"""The handler of a manifest that names none."""

WORKER = "worker"
"""The handler that works on a task, the scenario's or a sub-task."""

OFFLINE = "offline"
"""The model of a manifest that names none."""


class Schedule(NamedTuple):
    """``tick_every``: it acts on each such turn. ``max_consecutive``: at most so many of its turns in a row."""

    tick_every: int = 1
    max_consecutive: int | None = None


class Memory(NamedTuple):
    """``window``: so many events stand in its prompt. ``salience``: none that matters less to it, from 0 to 1."""

    window: int = 8
    salience: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``agent`` holds the grants, ``folder`` is what its relative roots start from, ``source`` the file as read.

    A ``ToolRegistry`` takes it as it is: ``tools``, ``mode`` and ``roots`` are what it asks a manifest for.
    """

    agent: Agent
    role: Role = "worker"
    persona: str = ""
    handler: str = GENERIC
    subscribes_to: tuple[str, ...] = ()
    may_emit: tuple[str, ...] = ()
    schedule: Schedule = Schedule()  # noqa: RUF009 - immutable
    memory: Memory = Memory()  # noqa: RUF009 - immutable
    model: str = OFFLINE
    folder: Path = field(default=Path(), compare=False)
    source: "Document | None" = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def named(self) -> tuple[str, ...]:
        """The exact names among its grants, in the order of the file."""
        return tuple(short(grant.tool) for grant in self.agent.tools)

    @property
    def tools(self) -> tuple[str | GrantSet, ...]:
        """Everything that it was granted: names, then what expands when a run begins."""
        globs = (GrantSet.glob(pattern) for pattern in self.agent.globs)
        groups = (GrantSet.group(group) for group in self.agent.groups)
        return (*self.named, *globs, *groups)

    @property
    def mode(self) -> RunMode:
        return self.agent.mode

    @property
    def roots(self) -> tuple[str, ...]:
        """Absolute folders; none: it reaches no path."""
        return tuple(root if root == EVERYWHERE else str((self.folder / root).absolute()) for root in self.agent.roots)

    @property
    def rules(self) -> "Mapping[str, tuple[Rule, ...]]":
        """Canonical name of a tool -> what its arguments may be."""
        return {grant.tool: grant.rules for grant in self.agent.tools if grant.rules}

    def wrong(self, place: Place, text: str) -> ConfigurationError:
        """What to raise about a part of it, with file, line and key."""
        told = f"the manifest {self.name!r}: {text}" if self.source is None else self.source.told(place, text)
        return ConfigurationError(told)


__all__ = ["FOLDER", "GENERIC", "OFFLINE", "WORKER", "Manifest", "Memory", "Role", "Schedule"]
