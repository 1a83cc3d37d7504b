"""What ``licet run`` and ``licet resume`` have in common: a cast as it is now, its tools, its skills, its models."""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..agents.scenario.gather import Gathered
    from ..agents.workflow.pinned_skills import Pin
    from ..doors.registry import ToolRegistry
    from ..intrinsics import Skills
    from ..ports import Ledger, Model
    from ..project.manifest import Manifest
    from ..project.shelf import Shelf
    from .configured import Configured


class Playing:
    """The agents of a shelf, with the handlers and models that come with licet."""

    def __init__(self, shelf: "Shelf") -> None:
        from ..agents.cast.handlers import HANDLERS
        from ..agents.explore.explorer import HANDLER, Explorer
        from ..agents.work.handler import WORKER, Work

        self._shelf = shelf
        self._cast: tuple[Manifest, ...] = ()
        self._configured: Configured | None = None
        self._skills: Skills | None = None
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
        """A scenario with its cast, and all of the project that the cast will use. Nothing is started.

        Raises:
            ConfigurationError: something of it is not there, wrong, or not trusted as it is now.
        """
        from ..agents.release.models import NAMES
        from ..agents.scenario.gather import gather

        found = gather(name, self._shelf, handlers=self.handlers, models=NAMES)
        self._cast = found.cast
        self._configured = self._configuration()
        self._skills = self._folders() if any(map(_loads_skills, found.cast)) else None
        return found

    def manifest(self, name: str) -> "Manifest":
        """An agent by name, for a sub-task. Raises ConfigurationError."""
        from ..agents.cast.casting import manifests
        from ..agents.release.models import NAMES

        (found,) = manifests([name], self._shelf, handlers=self.handlers, models=NAMES)
        return found

    def pins(self) -> "Mapping[str, Pin] | None":
        """The skills that the cast may load, as they are now; None: it may load none."""
        from ..agents.workflow.pinned_skills import pins_of

        return None if self._skills is None else pins_of(self._skills)

    @asynccontextmanager
    async def registry(
        self, ledger: "Ledger", *, pins: "Mapping[str, str] | None", mcp: str | None = None
    ) -> "AsyncIterator[ToolRegistry]":
        """The registry of the environment or of ``mcp``, with licet's own tools, which no server stands for, and the
        servers of a trusted ``licet.yaml`` that the cast's grants reach. All of it ends with the block. ``pins`` are
        the digests of the skills that the run began with.
        """
        from ..agents.workflow.pinned_skills import PinnedSkills
        from ..bundles.files import tools as file_tools
        from ..intrinsics import intrinsics
        from ..project.assemble import connected, in_process
        from .agent import tell

        skills = None if self._skills is None else PinnedSkills(self._skills, pins or {})
        async with AsyncExitStack() as stack:
            registry = self._registry(stack, ledger, mcp)
            held = self._configured
            for own in (*(file_tools() if held is None else in_process(*held)), *intrinsics(skills)):
                registry.register(own)
            if held is not None:
                agents = [manifest.agent for manifest in self._cast]
                linking = connected(held.project, agents, registry.runtime, environ=os.environ, lock=held.lock)
                _, report = await stack.enter_async_context(linking)
                tell(tuple(line for line in report if line.state != "first_use"))  # the view says that
                self._tell_withheld(registry, {line.server for line in report if line.state == "ready"})
            yield registry

    def _registry(self, stack: AsyncExitStack, ledger: "Ledger", mcp: str | None) -> "ToolRegistry":
        from ..agents.cast.rules import GrantRules
        from ..agents.work.delegated import Delegated
        from ..doors.mcp import MCPResolver, MCPToolClient, default_tool_registry
        from ..doors.registry import ToolRegistry
        from . import principal

        given: dict[str, Any] = {
            "ledger": ledger,
            "approver": principal.terminal_approver(),
            "checks": (GrantRules(*self._cast), Delegated()),
        }
        if self._configured is not None:
            given["limits"] = self._configured.project.runtime_limits
        if mcp == "http":
            from ..model.server import ServerSpec
            from ..policy.operator import Word
            from .grove_server import grove_over_http

            url = stack.enter_context(grove_over_http())
            registry = stack.enter_context(ToolRegistry(**given))
            client = MCPToolClient(ServerSpec(id="server1", url=url), word=Word(read_only="hinted"))
            registry.set_resolver(MCPResolver([client]), owned=True)
            return registry
        return stack.enter_context(default_tool_registry({"MCP_ORACLE": "1"} if mcp else None, **given))

    def _tell_withheld(self, registry: "ToolRegistry", ready: set[str]) -> None:
        """Say of a granted tool of a server that is ready why it is not there; of others the server's line says it."""
        from ..model.names import canonical, server_of
        from . import output

        withheld = registry.runtime.withheld
        for name in dict.fromkeys(canonical(name) for one in self._cast for name in one.named):
            deny = withheld.get(name) or withheld.get(server_of(name))
            if deny is not None and server_of(name) in ready and registry.get(name) is None:
                output.say(f"licet: {name} is {deny.code.replace('_', ' ')}: {deny.message}")

    def _configuration(self) -> "Configured | None":
        """The project's ``licet.yaml``; None where there is none, or none that was trusted and nobody needs it.

        Raises:
            ConfigurationError: it is wrong; or a grant reaches a server of it, and it is not trusted as it is now.
        """
        from ..project.assemble import reaches
        from ..project.config import load
        from ..project.find import FILE
        from ..project.trust import is_trusted, require_trusted
        from . import state
        from .configured import configured

        path = self._shelf.folder / FILE
        if not self._shelf.has_own(FILE):
            return None
        if is_trusted(path, state.folder()):
            return configured(str(path))
        project = load(path)  # of an untrusted one, the names of its servers are all that is looked at
        servers = [f"{project.plugin}/{declared.id}" for declared in project.servers]
        if any(reaches(one.agent, server) for one in self._cast for server in servers):
            require_trusted(path, state.folder())
        return None

    def _folders(self) -> "Skills | None":
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
        if self._shelf.has_own(FILE) and own.is_dir():
            require_trusted(self._shelf.folder / FILE, state.folder())
            folders.insert(0, str(own))
        writable = [root for one in self._cast if one.mode != "read_only" for root in one.roots]
        try:
            return SkillFolders(folders, writable=writable)
        except ConfigurationError:
            return None


def _loads_skills(manifest: "Manifest") -> bool:
    groups = "intrinsics" in manifest.agent.groups
    return groups or "load_skill" in manifest.named or bool(manifest.agent.globs)


__all__ = ["Playing"]
