"""One agent of a configuration, put together: its runtime, its principal and the servers that its grants reach."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..bundles.files import tools as file_tools
from ..catalog import Tool
from ..errors import ConfigurationError
from ..model.names import server_of, short
from ..model.paths import PathPolicy
from ..model.principal import GrantSet, Principal
from ..model.tool import ToolSpec
from ..model.verdict import Deny
from ..policy.grants import matches
from ..policy.operator import Word, argument_rules
from ..policy.rules import Check
from ..ports import Line
from ..profiles.withheld import withheld_arguments
from ..runtime.runtime import Runtime
from ..sources.combine import combine
from ..sources.mcp.server import McpServer, Pinned
from .dropped import without_classification
from .engine import flat_names_of, omissions, refuse_emptiness, served_names

if TYPE_CHECKING:
    from ..ports import Approver, Ledger
    from .config import Agent, Project
    from .declared import Declared
    from .locked import Lock

EVERYWHERE = "danger_full_access"


@dataclass(frozen=True, slots=True)
class Opened:
    """What a command or a gateway works with. ``report`` says of every server and tool what is not as it should be.

    ``names`` are those under which tools are served over MCP, by canonical name: the operator's, and an engine's own.
    ``flat`` are the names of the tools of a profile where there is no namespace.
    """

    agent: "Agent"
    runtime: Runtime
    principal: Principal
    servers: tuple[McpServer, ...]
    report: tuple[Line, ...]
    names: Mapping[str, str]
    flat: Mapping[str, str]


@asynccontextmanager
async def opened(
    project: "Project",
    agent: "Agent",
    *,
    environ: Mapping[str, str],
    lock: "Lock | None",
    ledger: "Ledger | str | os.PathLike[str] | None" = None,
    approver: "Approver | None" = None,
    trust_first_use: bool = False,
    on_changed: Callable[[str], None] = lambda server: None,
) -> AsyncIterator[Opened]:
    """The agent, until the end of the block, which ends every process that was started for it.

    With a lock nothing is started before a call. Without one its servers are started and listed here, and what they
    list is pinned for as long as this lasts; that has to be asked for with ``trust_first_use``.

    Raises:
        ConfigurationError: a tool does not register, a profile resolves to no tool, or there is no lock and first use
            is not trusted.
        LedgerUnavailableError: the ledger cannot be opened.
    """
    if lock is None and not trust_first_use and any(_reached(project, (agent,))):
        raise ConfigurationError(
            "nothing is pinned yet: there is no licet.lock beside licet.yaml; licet lock writes it, after you looked"
        )
    async with AsyncExitStack() as stack:
        runtime = Runtime(
            in_process(project, lock),
            ledger=ledger,
            approver=approver,
            checks=_checks(agent),
            limits=project.runtime_limits,
            never_fields="refuse" if agent.engine is not None and agent.engine.refuses else "scrub",
        )
        stack.callback(runtime.close)
        linking = connected(project, (agent,), runtime, environ=environ, lock=lock, on_changed=on_changed)
        servers, lines = await stack.enter_async_context(linking)
        specs, plugin = runtime.specs(), project.plugin
        names = [spec.name for spec in specs]
        refuse_emptiness(agent.engine, plugin, names, lines)
        yield Opened(
            agent,
            runtime,
            principal_of(project, agent, specs),
            servers,
            (*lines, *omissions(agent.engine, plugin, names, lines)),
            served_names(agent, plugin, names),
            flat_names_of(agent.engine, plugin, names),
        )


@asynccontextmanager
async def connected(
    project: "Project",
    agents: Iterable["Agent"],
    runtime: Runtime,
    *,
    environ: Mapping[str, str],
    lock: "Lock | None",
    on_changed: Callable[[str], None] = lambda server: None,
) -> AsyncIterator[tuple[tuple[McpServer, ...], tuple[Line, ...]]]:
    """The servers that the grants of these agents reach, registered until the end of the block, with a report.

    With a lock nothing is started before a call. Without one they are started and listed here, and what they list is
    pinned for as long as this lasts. A server that is not there is a line of the report, and its tools are refused.
    """
    word = _words(project, lock)
    async with AsyncExitStack() as stack:
        servers, lines = [], []
        for declared in _reached(project, tuple(agents)):
            try:
                spec = declared.resolve(environ)
            except ConfigurationError as exc:  # of this server; the others are not affected
                name = f"{project.plugin}/{declared.id}"
                runtime.withhold({name: Deny("server_unavailable", str(exc), "not_configured")}, under=name)
                lines.append(Line(name, "unavailable", reason="not_configured", told=str(exc)))
                continue
            server = McpServer(
                spec, pinned=_pinned(lock, spec.name), word=word, note=runtime.note, limits=project.mcp_limits
            )
            server.on_changed = _told(on_changed, server.name)
            stack.push_async_callback(server.close)
            servers.append(server)
        lines += await runtime.connect(*servers)
        yield tuple(servers), tuple(lines)


def principal_of(project: "Project", agent: "Agent", registered: Iterable[ToolSpec] | None = None) -> Principal:
    """Who the agent is: exact grants, and the sets that expand when a run begins.

    ``registered`` is what a profile ``full`` is from then on: a tool that comes later is not in it.

    Raises:
        ConfigurationError: a root is no folder.
    """
    grants: list[str | GrantSet] = [grant.tool for grant in agent.tools]
    grants += [GrantSet.glob(pattern) for pattern in agent.globs]
    grants += [GrantSet.group(group) for group in agent.groups]
    if agent.engine is not None:
        grants.append(agent.engine.grant(project.plugin, registered))
    return Principal(agent.name, grants=grants, mode=agent.mode, paths=_paths(project, agent))


def reaches(agent: "Agent", server: str) -> bool:
    """Whether a grant of the agent may be about a tool of this server."""
    if agent.engine is not None and agent.engine.name(server.partition("/")[0]) == server:
        return True
    if server in agent.groups or any(server_of(grant.tool) == server for grant in agent.tools):
        return True
    return any(may_be_about(pattern, server) for pattern in agent.globs)


def _reached(project: "Project", agents: Iterable["Agent"]) -> "Iterator[Declared]":
    for declared in project.servers:
        if any(reaches(agent, f"{project.plugin}/{declared.id}") for agent in agents):
            yield declared


def may_be_about(pattern: str, server: str) -> bool:
    """Whether a pattern can match a tool of this server, whatever its tools are called."""
    wanted_plugin, _, rest = pattern.partition("/")
    wanted_server, dot, _ = rest.partition(".")
    return matches(f"{wanted_plugin}/{wanted_server}.*" if dot else f"{wanted_plugin}/*", f"{server}.x")


def _words(project: "Project", lock: "Lock | None") -> Callable[[str], Word | None]:
    """The operator's word on a tool: what only restricts, where its definition was accepted anew since it was given."""

    def word(name: str) -> Word | None:
        held = None if lock is None else lock.tool(name)
        said = project.word_for(name)
        return without_classification(said) if held is not None and held.classification_dropped else said

    return word


def in_process(project: "Project", lock: "Lock | None") -> list[Tool]:
    """licet's own file tools: the operator's word can only tighten what their author declared."""
    word = _words(project, lock)
    tools = combine(file_tools())
    return [_tightened(tool, word(tool.spec.name)) for tool in tools]


def _tightened(tool: Tool, word: Word | None) -> Tool:
    """Raises ConfigurationError: the word says that a tool only reads of which its author says that it writes."""
    if word is None:
        return tool
    flags, execution = tool.spec.capabilities, tool.spec.execution
    if word.read_only is True and not flags.read_only:
        raise ConfigurationError(f"{short(tool.spec.name)!r} comes with licet and writes; no word changes that")
    if word.approval in (True, "ask"):
        flags = replace(flags, human_approval_required=True)
    if word.read_only is False:
        flags = replace(flags, read_only=False)
    if word.timeout_s is not None:
        execution = replace(execution, timeout_s=word.timeout_s)
    return replace(tool, spec=replace(tool.spec, capabilities=flags, execution=execution))


def _checks(agent: "Agent") -> Iterable[Check]:
    rules = {grant.tool: grant.rules for grant in agent.tools if grant.rules}
    checks: list[Check] = [argument_rules(rules)] if rules else []
    return [*checks, withheld_arguments] if agent.engine is not None else checks


def _pinned(lock: "Lock | None", server: str) -> Pinned | None:
    if lock is None:
        return None
    held = lock.servers.get(server)
    if held is None:
        return Pinned("", {})
    return Pinned(held.launch_digest, {own: tool.definition for own, tool in held.tools.items()})


def _told(on_changed: Callable[[str], None], server: str) -> Callable[[], None]:
    return lambda: on_changed(server)


def _paths(project: "Project", agent: "Agent") -> PathPolicy:
    if EVERYWHERE in agent.roots:
        return PathPolicy.danger_full_access()
    roots = [os.path.normpath(os.path.join(project.folder, root)) for root in agent.roots]
    for root in roots:
        if not os.path.isdir(root):
            raise ConfigurationError(f"the root {root} of the agent {agent.name!r} is no folder")
    if len(roots) == 1:
        return PathPolicy.current_project(roots[0])
    return PathPolicy.allowed_roots(*roots) if roots else PathPolicy.none()


__all__ = ["Opened", "connected", "in_process", "may_be_about", "opened", "principal_of", "reaches"]
