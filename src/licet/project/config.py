"""``licet.yaml`` as facts. Reading starts nothing and looks at no environment variable."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..model.names import LOCAL, server_of
from ..policy.operator import Word
from ..runtime.limits import Limits
from ..sources.mcp.limits import McpLimits
from .agent import Agent, Grant, agent, whole
from .declared import Declared, declared
from .engine import problems_of, word_on
from .find import FILE, find
from .place import Place
from .shape import Problem, problems
from .whole_file import contents
from .word import Words, word_for, words
from .yaml_file import MAX_BYTES, Document, read


@dataclass(frozen=True, kw_only=True)
class Project:
    """``path`` is the file, absolute. ``servers`` are those that are not disabled, in the file's order."""

    path: Path
    plugin: str = "mcp"
    servers: tuple[Declared, ...] = ()
    words: Words = ()
    agents: Mapping[str, Agent] = field(default_factory=dict)
    runtime_limits: Limits = Limits()  # noqa: RUF009 - frozen
    mcp_limits: McpLimits = McpLimits()  # noqa: RUF009 - frozen
    source: Document | None = field(default=None, repr=False, compare=False)

    @property
    def folder(self) -> Path:
        """What relative roots and working directories start from."""
        return self.path.parent

    def word_for(self, tool: str) -> Word | None:
        """The operator's word on a tool, by its canonical name; None where nothing was said.

        Of a server that is the engine of some agent's profile, the profile's contract is the operator's word too.
        """
        said = word_for(self.words, tool)
        return word_on(tool, said) if self.engines and server_of(tool) in self.engines else said

    @cached_property
    def engines(self) -> frozenset[str]:
        """Servers on which some agent has a profile."""
        held = (agent.engine for agent in self.agents.values())
        return frozenset(one.name(self.plugin) for one in held if one is not None)

    def told(self, place: Place, text: str) -> str:
        """A message about a part of the file, with its line."""
        return text if self.source is None else self.source.told(place, text)


class Reading(NamedTuple):
    """What a file says, as far as it could be made out, and all that is wrong with it, by line.

    ``project`` is None where the file has not the shape of one.
    """

    project: Project | None
    source: Document
    problems: tuple[Problem, ...]


def load(path: Path, content: bytes | None = None) -> Project:
    """The facts of a file. ``content`` is what was read of it before, and trusted; without it the file is read.

    Raises:
        ConfigurationError: the file cannot be read, or says what it may not; with file, line and key.
    """
    found = reading(path, content)
    if found.problems or found.project is None:
        place, text = found.problems[0]
        more = f" (and {len(found.problems) - 1} more: licet check lists them)" if len(found.problems) > 1 else ""
        raise ConfigurationError(found.source.told(place, text) + more)
    return found.project


def reading(path: Path, content: bytes | None = None) -> Reading:
    """The same with every problem.

    Raises:
        ConfigurationError: there is no such file, or it is no strict YAML (``NotRead``, with its line).
    """
    path = Path(os.path.abspath(path))
    name = shown_path(path)
    if content is None:
        content = _content(path, name)
    source = read(content, name)
    wrong = problems(source.value)
    project = None if wrong else _project(path, source, source.value, wrong)
    return Reading(project, source, tuple(sorted(wrong, key=lambda problem: source.line(problem.place))))


def shown_path(path: Path) -> str:
    """How messages name a file: from the working directory if it lies in there, else whole."""
    try:
        return str(path.relative_to(os.getcwd()))
    except (ValueError, OSError):
        return str(path)


def _content(path: Path, name: str) -> bytes:
    try:
        content = contents(path, MAX_BYTES)
    except OSError as exc:
        raise ConfigurationError(f"{name}: it cannot be read: {exc.strerror}") from exc
    if content is None:
        raise ConfigurationError(f"{name}: there is no such file; `licet init` writes one, --config FILE names one")
    return content


def _project(path: Path, source: Document, value: Mapping[str, Any], wrong: list[Problem]) -> Project:
    def tell(place: Place, text: str) -> None:
        wrong.append(Problem(place, text))

    plugin = value.get("plugin", "mcp")
    if plugin == LOCAL:
        tell(("plugin",), f"{LOCAL} is reserved for tools of this process; choose another")
    servers = [
        declared(id, entry, plugin=plugin, folder=path.parent, source=source, tell=tell)
        for id, entry in (value.get("mcpServers") or {}).items()
    ]
    agents = {
        name: agent(name, entry, line=source.line(("agents", name)), tell=tell)
        for name, entry in (value.get("agents") or {}).items()
    }
    said = words(value.get("tools") or {}, tell)
    started = [server.name for server in servers if server is not None]
    for name, held in agents.items():
        for text in problems_of(held, plugin, started, said):
            tell(("agents", name, "profile"), text)
    limits = dict(value.get("limits") or {})
    mcp_limits = {name: whole(limit) for name, limit in (limits.pop("mcp", None) or {}).items()}
    return Project(
        path=path,
        plugin=plugin,
        servers=tuple(server for server in servers if server is not None),
        words=said,
        agents=agents,
        runtime_limits=Limits(**{name: whole(limit) for name, limit in limits.items()}),
        mcp_limits=McpLimits(**mcp_limits),
        source=source,
    )


__all__ = [
    "FILE",
    "Agent",
    "Declared",
    "Grant",
    "Project",
    "Reading",
    "find",
    "load",
    "reading",
    "shown_path",
]
