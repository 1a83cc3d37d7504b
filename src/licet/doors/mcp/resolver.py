"""Several MCP servers behind one registry: granted names that are not registered here go to them."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from ...bundles import GROUPS
from ...errors import ConfigurationError, UnknownToolError
from ...model.names import canonical, parse, short
from ...ports import Sourced
from .client import MCPToolClient, Note

INTRINSICS = (
    "create_plan",
    "complete_step",
    "spawn_subtask",
    "ask_participant",
    "create_task_for_participant",
    "set_participant_role",
    "list_skills",
    "load_skill",
    "unload_skill",
    "list_skill_resources",
    "load_skill_resource",
    "emit_ui",
)

NEVER_ALIASED = frozenset((*INTRINSICS, *(short(spec.name) for group in GROUPS.values() for spec in group())))
"""Bare names that mean licet's own tool or none: no server answers to them, registered here or not."""


class MCPResolver:
    """A ``ToolResolver`` over servers. They answer to canonical names, ``mcp/server1.oracle``, and to bare ones.

    A bare name is that of the first server that offers it, in the order in which they are given. A server that cannot
    be asked, or offers the tool in a form that cannot be used, is the end of it: no later one takes its place.
    """

    def __init__(self, clients: Iterable[MCPToolClient]) -> None:
        """The clients become the resolver's to close. Raises ConfigurationError: two of them have one name."""
        self._clients: dict[str, MCPToolClient] = {}
        for client in clients:
            if client.name in self._clients:
                raise ConfigurationError(f"two servers are called {client.name!r}; give each client an id of its own")
            self._clients[client.name] = client

    def has(self, tool: str, /) -> bool:
        """Whether some server offers the tool. Raises what ``find`` raises."""
        return self.find(tool) is not None

    def describe(self, tool: str, /) -> str:
        """The pinned description. Raises UnknownToolError, or what ``find`` raises."""
        client, own = self._serving(tool)
        return client.describe(own)

    def call(self, tool: str, params: Mapping[str, Any], /) -> dict[str, Any]:
        """As ``MCPToolClient.call``. A corridor does not come this way: it asks ``find`` and calls what it found."""
        client, own = self._serving(tool)
        return client.call(own, params)

    def find(self, tool: str, /) -> Sourced | None:
        """The tool behind a granted name with the way to it, the same object each time; None: no server offers it.

        Raises:
            ServerUnavailableError: a server that comes before could not be asked.
            RefusedError: a server lists the tool, and what it lists cannot be used.
        """
        found = self._server_of(tool)
        return None if found is None else found[0].find(found[1])

    def note_to(self, note: Note) -> None:
        """What is pinned of the servers, and what changes, stands on this ledger from now."""
        for client in self._clients.values():
            client.note_to(note)

    def close(self) -> None:
        """Close all clients. Safe to call twice."""
        for client in self._clients.values():
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _serving(self, tool: str) -> tuple[MCPToolClient, str]:
        found = self._server_of(tool)
        if found is None:
            raise UnknownToolError(f"no server offers {tool[:80]!r}", tool_name=canonical(tool))
        return found

    def _server_of(self, tool: str) -> tuple[MCPToolClient, str] | None:
        """The client behind a name and the server's own name of the tool."""
        bare = short(tool)
        if "/" in bare:
            plugin, server, own = parse(bare)
            client = self._clients.get(f"{plugin}/{server}")
            return None if client is None else (client, own)
        if bare in NEVER_ALIASED:
            return None
        return next(((client, bare) for client in self._clients.values() if client.has(bare)), None)
