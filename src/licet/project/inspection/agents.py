"""Findings about agents: what they are granted, and how much of it nobody named."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...model.names import LOCAL, short
from ...model.tool import BUILTIN_GROUPS
from ...policy.grants import matches
from ...profiles.guard import own_name
from ...profiles.omission import missing
from ..agent import EVERYWHERE
from ..engine import served_names
from ..near import nearest
from ..place import Place, quoted
from .finding import Finding
from .known import Known

if TYPE_CHECKING:
    from ..config import Agent, Grant, Project

_GROUPS = (*BUILTIN_GROUPS, "intrinsics")


def agents(project: "Project", known: Known) -> Iterator[Finding]:
    """Of each agent."""
    for agent in project.agents.values():
        yield from of_agent(project, known, agent, ("agents", agent.name))


def of_agent(project: "Project", known: Known, agent: "Agent", place: Place) -> Iterator[Finding]:
    """Of one agent, whose entry stands at this place of the project's source."""
    inspected = _Agent(project, known, agent, place)
    yield from inspected.grants()
    yield from inspected.globs()
    yield from inspected.groups()
    yield from inspected.profile()
    yield from inspected.names()
    yield from inspected.reach()


class _Agent:
    def __init__(self, project: "Project", known: Known, agent: "Agent", place: Place) -> None:
        self.project = project
        self.known = known
        self.agent = agent
        self.place = place
        self.writes = agent.mode != "read_only"
        self.covered: set[str] = {grant.tool for grant in agent.tools}

    def line(self, *place: str | int) -> int:
        source = self.project.source
        return self.agent.line if source is None else source.line((*self.place, *place))

    def grants(self) -> Iterator[Finding]:
        for at, grant in enumerate(self.agent.tools):
            line = self.line("tools", at)
            problem = self._stranger(grant.tool, line)
            if problem is not None:
                yield problem
                continue
            yield from self._unclassified(grant.tool, line)
            yield from self._rules(grant, line)

    def _stranger(self, tool: str, line: int) -> Finding | None:
        server = self.known.server_of(tool)
        if server == LOCAL:
            if tool in self.known.local:
                return None
            near = _near(short(tool), map(short, self.known.local))  # what all names begin with makes none alike
            near = near or ("" if self.known.is_closed else "; drop it, unless a server of MCP_SERVERS has one")
            return Finding(line, "unknown_grant", f"licet has no tool {quoted(short(tool))}{near}")
        if self.known.may_be_elsewhere(server):
            return None
        if server in self.known.disabled:
            return Finding(
                line, "unknown_grant", f"the server {quoted(server)} is disabled; enable it, or drop the grant"
            )
        if server not in self.known.declared:
            near = _near(server, self.known.declared)
            return Finding(line, "unknown_grant", f"{quoted(server)} is no server under mcpServers{near}")
        lock = self.known.lock
        if lock is not None and server in lock.servers and tool not in self.known.pinned:
            near = _near(tool, self.known.pinned)
            return Finding(
                line, "unpinned", f"{quoted(tool)} is not in licet.lock{near}; run `licet lock` if it is new"
            )
        return None

    def _unclassified(self, tool: str, line: int) -> Iterator[Finding]:
        if (server := self.known.server_of(tool)) == LOCAL or self.known.may_be_elsewhere(server):
            return
        word = self.project.word_for(tool)
        said = None if word is None else word.read_only
        held = None if self.known.lock is None else self.known.lock.tool(tool)
        if held is not None and held.classification_dropped:
            remedy = f"look at it, then: licet lock --classify {short(tool)}"
            text = f"{quoted(tool)} changed since its word was given; {remedy}"
            yield Finding(line, "unclassified", text)
            return
        if said == "hinted" and held is not None and held.definition.annotations.read_only is None:
            text = f"{quoted(tool)} claims nothing that could be believed; write read_only: true or false under tools"
            yield Finding(line, "unclassified", text)
        elif said is None:
            effect = "counts as writing" if self.writes else "is not listed in read_only"
            text = f"{quoted(tool)} {effect}: say under tools whether it is read_only (true, false or hinted)"
            yield Finding(line, "unclassified", text)

    def _rules(self, grant: "Grant", line: int) -> Iterator[Finding]:
        held = None if self.known.lock is None else self.known.lock.tool(grant.tool)
        if held is None:
            return
        properties = held.definition.input_schema.copy().get("properties")
        if not isinstance(properties, dict):
            return
        for rule in grant.rules:
            if rule.steps[0] not in properties and rule.steps[0] != "*":
                text = f"{quoted(grant.tool)} has no argument {quoted(rule.steps[0])}{_near(rule.steps[0], properties)}"
                yield Finding(line, "unknown_argument", text)

    def globs(self) -> Iterator[Finding]:
        for at, pattern in enumerate(self.agent.globs):
            line = self.line("globs", at)
            covered, unlisted = self.known.covered(pattern), self.known.unlisted(pattern)
            self.covered.update(covered)
            local = pattern.startswith(f"{LOCAL}/")
            if not covered and not unlisted and (local or self.known.is_closed):
                yield Finding(line, "empty_set", f"{quoted(pattern)} covers no tool")
            elif self.writes and not local:
                text = f"{quoted(pattern)} grants tools that nobody named, in {self.agent.mode}; name them under tools"
                yield Finding(line, "fails_open", text)
            elif not local and _is_whole(pattern):
                text = f"{quoted(pattern)} grants all tools of a server; name those that are needed under tools"
                yield Finding(line, "whole_server", text)

    def groups(self) -> Iterator[Finding]:
        for at, group in enumerate(self.agent.groups):
            line = self.line("groups", at)
            if group in _GROUPS:
                self.covered.update(name for name, of in self.known.local.items() if of == group)
            elif group not in self.known.declared and (self.known.is_closed or "/" not in group):
                known = [*_GROUPS, *self.known.declared]
                yield Finding(line, "unknown_grant", f"{quoted(group)} is no group{_near(group, known)}")
            else:
                self.covered.update(self.known.covered(f"{group}.*"))
                code = "fails_open" if self.writes else "whole_server"
                text = (
                    f"the group {quoted(group)} is all tools of a server, in {self.agent.mode}; name them under tools"
                )
                yield Finding(line, code, text)

    def profile(self) -> Iterator[Finding]:
        held = self.agent.engine
        if held is None:
            return
        line, server = self.line("profile"), held.name(self.project.plugin)
        lock = self.known.lock
        offered = None if lock is None or server not in lock.servers else lock.servers[server].tools
        mine = [f"{server}.{tool}" for tool in offered or held.profile.tools or ()]
        self.covered.update(name for name in mine if held.profile.has(own_name(name)))
        if held.profile.is_full:
            text = f"the profile full grants whatever {quoted(server)} offers, in {self.agent.mode}; take execute"
            yield Finding(line, "fails_open", text)
        for tool in missing(held.profile, mine) if offered is not None else ():
            text = f"the profile {held.profile.name} has {tool}, and {quoted(server)} offers none; run `licet lock`"
            yield Finding(line, "missing_tool", text)

    def names(self) -> Iterator[Finding]:
        from ...dialects.names import WireNames, serve_name
        from ...errors import ConfigurationError

        for tool in self.agent.names:
            if tool not in self.covered and not self._may_cover(tool):
                text = f"{quoted(tool)} has a name and no grant; grant it under tools, or drop the name"
                yield Finding(self.line("names", tool), "unused_name", text)
        try:
            chosen = served_names(self.agent, self.project.plugin, sorted(self.covered))
            refused = WireNames(sorted(self.covered), chosen, encode=serve_name).refused
        except ConfigurationError as exc:
            yield Finding(self.line("names"), "name_collision", str(exc))
            return
        for why in refused.values():
            yield Finding(self.line(), "name_collision", why)

    def _may_cover(self, tool: str) -> bool:
        """Whether a pattern or group may cover a tool of which nobody knows yet."""
        server = self.known.server_of(tool)
        if self.known.lock is not None and server in self.known.lock.servers:
            return False
        if not self.known.is_closed and server != LOCAL:
            return True
        if self.agent.engine is not None and self.agent.engine.name(self.project.plugin) == server:
            return self.agent.engine.profile.has(own_name(tool))
        return server in self.agent.groups or any(matches(pattern, tool) for pattern in self.agent.globs)

    def reach(self) -> Iterator[Finding]:
        name = quoted(self.agent.name)
        if EVERYWHERE in self.agent.roots:
            text = f"{name} may touch every path, in the mode danger_full_access; name folders under roots"
            yield Finding(self.line("roots"), "danger_full_access", text)
        elif self.agent.mode == EVERYWHERE:
            text = f"{name} runs in danger_full_access; workspace_write is enough for tools that write"
            yield Finding(self.line("mode"), "danger_full_access", text)
        for at, root in enumerate(self.agent.roots):
            if root != EVERYWHERE and not os.path.isdir(os.path.join(self.project.folder, root)):
                yield Finding(self.line("roots", at), "missing_root", f"{quoted(root)} is no folder here")


def _is_whole(pattern: str) -> bool:
    _, _, rest = pattern.partition("/")
    _, dot, tool = rest.partition(".")
    return not (tool if dot else rest).strip("*?")


def _near(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"; did you mean {short(near)}?" if near else ""


__all__ = ["agents", "of_agent"]
