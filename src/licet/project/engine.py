"""The profile of an agent: which engine, which of its tools, and the word on each that follows from it."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ConfigurationError
from ..model.names import LOCAL, parse, server_of, short
from ..model.paths import RunMode
from ..model.principal import GrantSet
from ..model.tool import ToolSpec
from ..policy.operator import NOTHING_SAID, Word
from ..ports import Line
from ..profiles.flat import flat_name
from ..profiles.guard import engine_tool, own_name
from ..profiles.holder import named, narrowed
from ..profiles.omission import missing
from ..profiles.terms import Profile, profile, shipped
from .declared import Tell
from .place import Place, quoted
from .word import Words, word_for

if TYPE_CHECKING:
    from .agent import Agent

SCRUB, REFUSE = "scrub", "refuse"


class Engine(NamedTuple):
    """A profile on one engine. ``server`` is as it is written, ``mcp/algenta`` for instance; empty for the usual one.

    ``refuses`` says that a call is refused which sets what no model may set; else that is taken out.
    """

    profile: Profile
    server: str = ""
    refuses: bool = False

    def name(self, plugin: str) -> str:
        """The server's name, in a file whose plugin this is."""
        return self.server or f"{plugin}/{shipped().server}"

    def grant(self, plugin: str, registered: Iterable[ToolSpec] | None = None) -> GrantSet:
        """The profile as a grant. ``full`` is what is registered now, if that is given: nothing joins it later."""
        tools, server = named(self.profile), self.name(plugin)
        if tools is None and registered is not None:
            tools = tuple(own_name(spec.name) for spec in registered if server_of(spec.name) == server)
        return GrantSet.profile(self.profile.name, tools, server=server)


def engine(value: str | Mapping[str, Any] | None, place: Place, tell: Tell) -> Engine | None:
    """What stands under ``profile``, whose shape is right. ``tell`` is told what is wrong with it."""
    said: Mapping[str, Any] = {"name": value} if isinstance(value, str) or value is None else value
    server = said.get("server") or ""
    if server and not _is_server(server):
        tell((*place, "server"), f"{quoted(server)} is no server's name; write it with its plugin, such as mcp/algenta")
        return None
    try:
        return Engine(profile(said.get("name")), server, said.get("never_fields", SCRUB) == REFUSE)
    except ConfigurationError as exc:
        tell(place, str(exc))
        return None


def mode_of(held: Engine | None, asked: RunMode | None, place: Place, tell: Tell) -> RunMode:
    """An agent's run mode: the one that its profile sets, unless a narrower one is asked for."""
    if held is None:
        return asked or "read_only"
    try:
        return narrowed(held.profile, asked)
    except ConfigurationError as exc:
        tell((*place, "mode"), str(exc))
        return held.profile.mode


def problems_of(agent: "Agent", plugin: str, servers: Iterable[str], words: Words) -> Iterable[str]:
    """What is wrong with the profile of an agent in its file, whose servers and words these are."""
    if agent.engine is None:
        return
    server = agent.engine.name(plugin)
    if server not in servers:
        yield (
            f"there is no server {quoted(server)} under mcpServers, or it is disabled; name the engine: "
            f"profile: {{name: {agent.engine.profile.name}, server: {plugin}/ID}}"
        )
    for tool in agent.names:
        if server_of(tool) == server and engine_tool(own_name(tool)) is not None:
            yield f"{quoted(tool)} keeps its name, which is the same for every integration; drop it under names"
    for held in shipped().tools.values():
        said = word_for(words, f"{server}.{held.name}") if held.safety_critical else None
        if said is not None and said.approval not in (None, False):
            yield f"{held.name} answers at once, with a receipt or a gate, and asks nobody; drop its approval"


def word_on(tool: str, said: Word | None = None) -> Word:
    """The word on a tool of an engine: what the file says, else what the contract says.

    A safety-critical tool never waits for anybody: the engine itself holds its gates.
    """
    word, held = said or NOTHING_SAID, engine_tool(own_name(tool))
    if held is not None and held.read_only and word.read_only is None:
        word = word._replace(read_only=True)
    if held is not None and held.safety_critical and word.approval is None:
        word = word._replace(approval=False)
    return word._replace(withheld=shipped().never_model_facing)


def served_names(agent: "Agent", plugin: str, registered: Iterable[str]) -> dict[str, str]:
    """The names under which an agent's tools are served over MCP: an engine's own, and what the operator chose.

    ``registered`` are canonical names.
    """
    from ..dialects.names import is_legal

    held = agent.engine
    own: dict[str, str] = {}
    if held is not None:
        mine = [name for name in registered if server_of(name) == held.name(plugin)]
        own = {name: own_name(name) for name in mine if is_legal(own_name(name)) and _is_exposed(held, name)}
    return {**own, **agent.names}


def flat_names_of(held: Engine | None, plugin: str, registered: Iterable[str]) -> dict[str, str]:
    """The names of an engine's tools where there is no namespace. One that has none is left out: it is not offered."""
    flat: dict[str, str] = {}
    if held is not None:
        for name in registered:
            if server_of(name) == held.name(plugin) and _is_exposed(held, name):
                with suppress(ConfigurationError):
                    flat[name] = flat_name(own_name(name))
    return flat


def omissions(held: Engine | None, plugin: str, registered: Iterable[str], told: Iterable[Line]) -> list[Line]:
    """A line for each tool that the profile has and its engine does not offer, unless a line says more already."""
    if held is None:
        return []
    server = held.name(plugin)
    lines = [line for line in told if line.server == server]
    if any(line.state == "unavailable" and not line.tool for line in lines):
        return []
    known = {line.tool for line in lines}
    mine = [name for name in registered if server_of(name) == server]
    absent = (f"{server}.{own}" for own in missing(held.profile, mine))
    return [
        Line(
            server,
            "unavailable",
            name,
            "not_advertised",
            f"the profile {held.profile.name} has {short(name)}, and its engine does not offer it",
        )
        for name in absent
        if name not in known
    ]


def refuse_emptiness(held: Engine | None, plugin: str, registered: Iterable[str], told: Iterable[Line]) -> None:
    """An error is not emptiness: an engine that is there and offers nothing of a profile is the wrong one.

    Raises:
        ConfigurationError: the profile resolves to no tool, though its server was not said to be unavailable.
    """
    if held is None:
        return
    server = held.name(plugin)
    if any(line.server == server and line.state == "unavailable" and not line.tool for line in told):
        return
    if not any(server_of(name) == server and _is_exposed(held, name) for name in registered):
        raise ConfigurationError(
            f"the profile {held.profile.name} resolves to no tool: {server} offers none of it, or none is pinned; "
            "licet check says what is missing"
        )


def _is_exposed(held: Engine, name: str) -> bool:
    tools = named(held.profile)
    return tools is None or own_name(name) in tools


def _is_server(name: str) -> bool:
    try:
        parsed = parse(f"{name}.x")
    except ConfigurationError:
        return False
    return parsed.plugin != LOCAL and parsed.tool == "x" and bool(parsed.server)


__all__ = [
    "REFUSE",
    "SCRUB",
    "Engine",
    "engine",
    "flat_names_of",
    "mode_of",
    "omissions",
    "problems_of",
    "refuse_emptiness",
    "served_names",
    "word_on",
]
