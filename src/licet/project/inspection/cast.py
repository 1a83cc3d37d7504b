"""Findings in ``config``: manifests of agents, and scenarios that name them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ConfigurationError
from .. import manifest_file, scenario
from ..config import Project
from ..find import FILE
from ..manifest import FOLDER as AGENTS
from ..manifest import WORKER, Manifest
from ..place import shown
from ..scenario import FOLDER as SCENARIOS
from ..shelf import ENDING, Shelf
from ..task_holder import idle
from ..yaml_file import NotRead
from .agents import of_agent
from .finding import Finding
from .inspect import Inspection, content_of, hidden, lock_of, sorted_out, written
from .known import Known

if TYPE_CHECKING:
    from ..agent import Agent
    from ..locked import Lock
    from ..manifest_file import ManifestReading
    from ..scenario import ScenarioReading

_FROM_THE_ENVIRONMENT = re.compile(r"mcp/server[1-9][0-9]*", re.ASCII)
"""What the servers of ``MCP_SERVERS`` are called."""


class Inspected(NamedTuple):
    """Of each manifest and scenario of a project. ``agents`` are those of manifests in which nothing is wrong."""

    inspections: list[Inspection]
    agents: "tuple[Agent, ...]"


def inspect_cast(
    folder: Path, *, handlers: Iterable[str], models: Iterable[str], project: Project | None = None
) -> Inspected:
    """Look at what stands in ``config``. Starts nothing, trusts nothing.

    ``handlers`` and ``models`` are the names that manifests may ask for. ``project`` is what its ``licet.yaml`` says,
    which is read for that if it is not given.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    looked_at = _Cast(folder, tuple(handlers), tuple(models), project or _project_of(folder / FILE))
    agents = [looked_at.manifest(path) for path in _files(folder / AGENTS)]
    found = agents + [looked_at.scenario(path) for path in _files(folder / SCENARIOS)]
    return Inspected(found, tuple(looked_at.agents))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else []


class _Cast:
    def __init__(self, folder: Path, handlers: tuple[str, ...], models: tuple[str, ...], project: Project) -> None:
        self.agents: list[Agent] = []
        self._folder = folder
        self._handlers = handlers
        self._models = models
        self._project = project
        self._known = _OwnTools(project, _lock_of(project.path))
        shipped = Shelf(None).names(AGENTS)
        self._names = sorted({*shipped, *(path.stem for path in _files(folder / AGENTS))})

    def manifest(self, path: Path) -> Inspection:
        content = content_of(path)
        return sorted_out(path, content, self._manifest(path, content))

    def scenario(self, path: Path) -> Inspection:
        content = content_of(path)
        return sorted_out(path, content, self._scenario(path, content))

    def _manifest(self, path: Path, content: bytes) -> Iterator[Finding]:
        yield from hidden(content)
        try:
            read = manifest_file.reading(
                content,
                path.name,
                stem=path.stem,
                handlers=self._handlers,
                models=self._models,
                elsewhere=self._project.agents,
                folder=self._folder,
            )
        except NotRead as exc:
            yield Finding(exc.line, "configuration", exc.problem)
            return
        yield from _problems(read)
        if read.manifest is not None:
            self.agents.append(read.manifest.agent)
            project = replace(self._project, source=read.source)
            yield from of_agent(project, self._known, read.manifest.agent, ())
            yield from self._idle(read.manifest)

    def _idle(self, manifest: Manifest) -> Iterator[Finding]:
        """Scenarios in which it would work on a task, and has none."""
        if manifest.handler != WORKER:
            return
        for name, members in self._casts.items():
            if manifest.name not in members:
                continue
            cast = [one for one in map(self._member, members) if one is not None]
            for one, told in idle(cast):
                if one.name == manifest.name and one.source is not None:
                    yield Finding(one.source.line(("handler",)), "idle_worker", f"handler: in {name}, {told}")

    @cached_property
    def _casts(self) -> Mapping[str, tuple[str, ...]]:
        """The casts of the scenarios in which nothing is wrong, the project's and licet's."""
        casts: dict[str, tuple[str, ...]] = {}
        for name, content in self._files_of(SCENARIOS):
            try:
                read = scenario.reading(content, name, stem=name, agents=self._names)
            except NotRead:
                continue
            if read.scenario is not None:
                casts[name] = read.scenario.cast
        return casts

    def _files_of(self, folder: str) -> Iterator[tuple[str, bytes]]:
        shipped, own = Shelf(None), {path.stem: path for path in _files(self._folder / folder)}
        for name in sorted({*shipped.names(folder), *own}):
            held = None if name in own else shipped.read(f"{folder}/{name}{ENDING}")
            if name in own or held is not None:
                yield name, content_of(own[name]) if held is None else held.content

    def _member(self, name: str) -> Manifest | None:
        """A manifest by its name; None where there is none in which nothing is wrong."""
        content = self._contents.get(name)
        if content is None:
            return None
        given = {"handlers": self._handlers, "models": self._models, "folder": self._folder}
        try:
            return manifest_file.reading(content, name, stem=name, **given).manifest  # type: ignore[arg-type]
        except NotRead:
            return None

    @cached_property
    def _contents(self) -> Mapping[str, bytes]:
        return dict(self._files_of(AGENTS))

    def _scenario(self, path: Path, content: bytes) -> Iterator[Finding]:
        yield from hidden(content)
        try:
            yield from _problems(scenario.reading(content, path.name, stem=path.stem, agents=self._names))
        except NotRead as exc:
            yield Finding(exc.line, "configuration", exc.problem)


class _OwnTools(Known):
    """A manifest's tools are licet's own, or come from declared servers and those that the environment names."""

    is_closed = False

    def may_be_elsewhere(self, server: str) -> bool:
        return server not in self.declared and _FROM_THE_ENVIRONMENT.fullmatch(server) is not None

    @cached_property
    def local(self) -> Mapping[str, str]:
        from ...bundles.files import tools as file_tools
        from ...bundles.grove import tools as grove_tools
        from ...intrinsics import intrinsics

        return {spec.name: spec.group or "" for spec in (*file_tools(), *grove_tools(), *intrinsics())}


def _problems(read: "ManifestReading | ScenarioReading") -> Iterator[Finding]:
    for place, text in read.problems:
        where = f"{shown(place)}: " if place else ""
        yield Finding(read.source.line(place), "configuration", where + text)


def _project_of(path: Path) -> Project:
    """What a ``licet.yaml`` says, as far as it can be made out."""
    try:
        return written(path).project
    except ConfigurationError:
        return Project(path=path)


def _lock_of(path: Path) -> "Lock | None":
    try:
        return lock_of(path)
    except ConfigurationError:  # what is wrong with it is told of the configuration itself
        return None


__all__ = ["Inspected", "inspect_cast"]
