"""What ``licet.lock`` says, as facts: each server and each of its tools as somebody approved them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..model.json_object import JsonObject
from ..model.names import parse
from ..model.tool import ToolSpec
from ..schema.canonical import digest
from ..schema.pin import Pin, pin_of, pinned

if TYPE_CHECKING:
    from ..dialects.mcp import Definition

VERSION = 1


@dataclass(frozen=True, slots=True)
class LockedTool:
    """One tool as it was approved. ``classification_dropped``: the operator's words do not count for it any more."""

    definition: "Definition"
    pin: Pin
    classification_dropped: bool = False


@dataclass(frozen=True, slots=True)
class LockedServer:
    """One server. ``tools`` go by the server's own names.

    ``launch`` is what its pin covers, as the configuration wrote it: no value of a variable or header is in it.
    ``note`` is what the server said of itself (``name``, ``version``); nothing compares it.
    """

    launch: JsonObject
    launch_digest: str
    tools: Mapping[str, LockedTool] = field(default_factory=dict)
    note: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", MappingProxyType(dict(self.tools)))
        object.__setattr__(self, "note", MappingProxyType(dict(self.note)))


@dataclass(frozen=True, slots=True)
class Lock:
    """Everything that is pinned. ``servers`` go by ``plugin/server``."""

    servers: Mapping[str, LockedServer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", MappingProxyType(dict(self.servers)))

    @property
    def version(self) -> int:
        return VERSION

    def tool(self, name: str) -> LockedTool | None:
        """The tool of a canonical name, such as ``mcp/git.git_log``."""
        server, own = split(name)
        held = self.servers.get(server)
        return None if held is None else held.tools.get(own)

    def with_server(self, name: str, server: LockedServer | None) -> "Lock":
        """The same with one server put in place of what stood there; None takes it out."""
        rest = {known: held for known, held in self.servers.items() if known != name}
        return Lock(rest if server is None else {**rest, name: server})

    def with_tool(self, name: str, tool: LockedTool | None) -> "Lock":
        """The same with one tool of a locked server put in place or taken out. ``name`` is canonical."""
        server, own = split(name)
        held = self.servers[server]
        rest = {known: kept for known, kept in held.tools.items() if known != own}
        return self.with_server(server, replace(held, tools=rest if tool is None else {**rest, own: tool}))


def split(name: str) -> tuple[str, str]:
    """``plugin/server`` and the server's own name for the tool."""
    plugin, server, own = parse(name)
    return f"{plugin}/{server}", own


def pin_for(server: str, definition: "Definition") -> Pin:
    """The pin of a definition of ``plugin/server``: that of the tool under its canonical name.

    Raises:
        ConfigurationError: it is no tool's definition.
        NotJson: a part is not strict JSON.
    """
    return pin_of(
        ToolSpec(
            name=f"{server}.{definition.name}",
            title=definition.title,
            description=definition.description,
            input_schema=definition.input_schema,
            output_schema=definition.output_schema,
            annotations=definition.annotations,
            source="mcp",
        )
    )


def locked(server: str, definition: "Definition", *, classification_dropped: bool = False) -> LockedTool:
    """A definition with its pin, as it goes into the lock."""
    return LockedTool(definition, pin_for(server, definition), classification_dropped)


def launch_digest(launch: Mapping[str, Any]) -> str:
    """The pin of a launch, from its plain facts."""
    return digest(pinned(dict(launch)))


__all__ = ["VERSION", "Lock", "LockedServer", "LockedTool", "launch_digest", "locked", "pin_for", "split"]
