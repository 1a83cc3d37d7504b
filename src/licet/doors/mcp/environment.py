"""The registry that the environment asks for: the oracle in this process, or tools of servers that it names."""

import os
import sys
from collections.abc import Iterable, Mapping

from ...bundles.grove import tools
from ...errors import ConfigurationError
from ...model.server import ServerSpec
from ...policy.rules import Check
from ...ports import Approver, Ledger
from ...runtime.limits import Limits
from ..registry import ToolRegistry
from .client import MCPToolClient
from .command_line import SEPARATOR, command_lines, server_of
from .resolver import MCPResolver

SERVERS = "MCP_SERVERS"
ORACLE = "MCP_ORACLE"

_YES = ("1", "true", "yes", "on")
_NO = ("", "0", "false", "no", "off")


def default_tool_registry(
    environ: Mapping[str, str] | None = None,
    *,
    ledger: "Ledger | str | os.PathLike[str] | None" = None,
    approver: Approver | None = None,
    checks: Iterable[Check] = (),
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> ToolRegistry:
    """A registry with the oracle in process; with ``MCP_SERVERS`` or ``MCP_ORACLE`` set, one with nothing in process.

    Granted tools then go to the servers that the environment names, which start when the first of them is called and
    end with the registry. The grant is checked before, and nothing else changes.

    Raises:
        ConfigurationError: a variable does not say what it should.
    """
    resolver = mcp_resolver_from_env(environ)
    registry = ToolRegistry(ledger=ledger, approver=approver, checks=checks, limits=limits)
    if resolver is None:
        for spec in tools():
            registry.register(spec)
    else:
        registry.set_resolver(resolver, owned=True)
    return registry


def mcp_resolver_from_env(environ: Mapping[str, str] | None = None) -> MCPResolver | None:
    """A resolver over ``server1``, ``server2`` and so on, as the environment names them; None where it names none.

    Raises:
        ConfigurationError: a variable does not say what it should.
    """
    servers = servers_from_env(os.environ if environ is None else environ)
    return MCPResolver(map(_client_of, servers)) if servers else None


def servers_from_env(environ: Mapping[str, str]) -> list[ServerSpec]:
    """Of ``MCP_SERVERS`` its command lines; without it, of ``MCP_ORACLE=1`` the oracle's own server.

    Raises:
        ConfigurationError: there is a separator and no command line, a quote stays open, or ``MCP_ORACLE`` is neither
            yes nor no.
    """
    written = environ.get(SERVERS, "")
    if written.strip():
        lines = command_lines(written)
        if not lines:
            raise ConfigurationError(
                f"{SERVERS} holds no command line; write COMMAND ARGUMENT ... {SEPARATOR} COMMAND ..."
            )
        try:
            return [server_of(line, f"server{number}") for number, line in enumerate(lines, 1)]
        except ConfigurationError as exc:
            raise ConfigurationError(f"{SERVERS}: {exc}") from exc
    wanted = environ.get(ORACLE, "").strip().lower()
    if wanted in _NO:
        return []
    if wanted not in _YES:
        raise ConfigurationError(f"{ORACLE} is 1 or 0, and what it holds is neither")
    return [oracle_server()]


def _client_of(server: ServerSpec) -> MCPToolClient:
    """What the oracle's own server claims of its tool is licet's own word on it."""
    from ...policy.operator import Word

    return MCPToolClient(server, word=Word(read_only="hinted") if server == oracle_server(server.id) else None)


def oracle_server(id: str = "server1") -> ServerSpec:
    """The oracle's own server, as a process of this interpreter, which finds no module in the working directory."""
    return ServerSpec(id=id, command=sys.executable, args=("-P", "-m", "licet.bundles.grove.server"))
