"""What ``licet run`` and ``licet resume`` have in common: a cast as it is now, its tools, its skills, its models."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..agents.scenario.gather import Gathered
    from ..agents.work.waiting import Stands
    from ..doors.registry import ToolRegistry
    from ..intrinsics import Skills
    from ..ports import Ledger, Model
    from ..project.manifest import Manifest
    from ..project.shelf import Shelf


class Playing:
    """The agents of a shelf, with the handlers and models that come with licet."""

    def __init__(self, shelf: "Shelf") -> None:
        from ..agents.cast.handlers import HANDLERS
        from ..agents.explore.explorer import HANDLER, Explorer
        from ..agents.work.handler import WORKER, Work

        self._shelf = shelf
        self.handlers: Mapping[str, Callable[..., Any]] = {
            **HANDLERS,
            HANDLER: Explorer,
            WORKER: Work(self.manifest, model=self.model),
        }

    @property
    def folder(self) -> str:
        """The project's folder, as a ledger names it."""
        return os.fsencode(self._shelf.folder).decode("utf-8", "backslashreplace")

    @property
    def model(self) -> "Callable[[Manifest], Model]":
        from ..agents.release.models import scripted_or_named

        return scripted_or_named

    def gather(self, name: str) -> "Gathered":
        """A scenario with its cast. Raises ConfigurationError."""
        from ..agents.release.models import NAMES
        from ..agents.scenario.gather import gather

        return gather(name, self._shelf, handlers=self.handlers, models=NAMES)

    def manifest(self, name: str) -> "Manifest":
        """An agent by name, for a sub-task. Raises ConfigurationError."""
        from ..agents.cast.casting import manifests
        from ..agents.release.models import NAMES

        (found,) = manifests([name], self._shelf, handlers=self.handlers, models=NAMES)
        return found

    @contextmanager
    def registry(self, gathered: "Gathered", ledger: "Ledger", mcp: str | None = None) -> "Iterator[ToolRegistry]":
        """The registry of the environment or of ``mcp``, with licet's own tools, which no server stands for."""
        from ..agents.cast.rules import GrantRules
        from ..agents.work.delegated import Delegated
        from ..bundles.files import tools as file_tools
        from ..doors.mcp import MCPResolver, MCPToolClient, default_tool_registry
        from ..doors.registry import ToolRegistry
        from ..intrinsics import intrinsics

        own = (*file_tools(), *intrinsics(self._skills(gathered)))
        checks = (GrantRules(*gathered.cast), Delegated())
        if mcp == "http":
            from ..model.server import ServerSpec
            from ..policy.operator import Word
            from .grove_server import grove_over_http

            with grove_over_http() as url, ToolRegistry(ledger=ledger, checks=checks) as registry:
                client = MCPToolClient(ServerSpec(id="server1", url=url), word=Word(read_only="hinted"))
                registry.set_resolver(MCPResolver([client]), owned=True)
                yield _with(registry, own)
            return
        environ = {"MCP_ORACLE": "1"} if mcp else None
        with default_tool_registry(environ, ledger=ledger, checks=checks) as registry:
            yield _with(registry, own)

    def _skills(self, gathered: "Gathered") -> "Skills | None":
        """The project's own, then those that come with licet.

        None: somebody of the cast may write where they are, and what an agent can write is no skill.

        Raises:
            ConfigurationError: the project has some, and they are not trusted as they are now.
        """
        from importlib.resources import files

        from ..agents.workflow import SkillFolders
        from ..errors import ConfigurationError
        from ..project.find import FILE
        from ..project.trust import require_trusted
        from . import state

        folders = [str(files("licet").joinpath("config/skills"))]
        own = self._shelf.folder / "skills"
        if self._shelf.has_own(FILE) and own.is_dir() and any(map(_loads_skills, gathered.cast)):
            require_trusted(self._shelf.folder / FILE, state.folder())
            folders.insert(0, str(own))
        writable = [root for one in gathered.cast if one.mode != "read_only" for root in one.roots]
        try:
            return SkillFolders(folders, writable=writable)
        except ConfigurationError:
            return None


def tell_work(run_id: str, stood: "Stands | None", ledger: str | None) -> None:
    """What came of a run's task, or what is waited for, and the line that answers it."""
    import shlex

    from . import output
    from .output import Styled

    result = None if stood is None else stood.found.state.tasks[0].result
    if result:
        output.line()
        for text in result.splitlines():
            output.line(text)
    waits = () if stood is None else stood.waits
    for _, asked in waits:
        output.styled_line(Styled(f"{asked.participant} is asked", "bold yellow"), f"  {asked.text}")
        for option in asked.options:
            output.styled_line(Styled(option, "bold"), indent=4)
        words = ["licet", "resume", run_id, asked.options[0] if asked.options else "TEXT"]
        if asked.participant != "operator":
            words += ["--participant", asked.participant]
        if len(waits) > 1:
            words += ["--question", asked.nonce[:8]]
        if ledger is not None:
            words += ["--ledger", ledger]
        output.styled_line(Styled("answer it with  ", "dim"), shlex.join(words), indent=4)


def waits_of(stood: "Stands | None") -> list[dict[str, Any]]:
    """The open questions, for a program."""
    from dataclasses import asdict

    waits = () if stood is None else stood.waits
    return [{"run": one.run_id, **asdict(one.question)} for one in waits]


def page_of(run_id: str, title: str, stood: "Stands | None") -> str:
    """What a run and its sub-tasks showed, as one HTML document."""
    from ..agents.page.draw import page
    from ..agents.page.surface import surfaces

    parts = () if stood is None else stood.parts.values()
    shown = [one for part in parts for one in surfaces(part.state.surfaces)]
    return page(title, shown, f"Shown in the run {run_id}. Nothing on this page acts.")


def _loads_skills(manifest: "Manifest") -> bool:
    groups = "intrinsics" in manifest.agent.groups
    return groups or "load_skill" in manifest.named or bool(manifest.agent.globs)


def _with(registry: "ToolRegistry", specs: Any) -> "ToolRegistry":
    for spec in specs:
        registry.register(spec)
    return registry


__all__ = ["Playing", "page_of", "tell_work", "waits_of"]
