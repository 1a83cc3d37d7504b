"""Where each client keeps the servers that it starts, and how an entry for ``licet serve`` reads there."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from . import jsonc, toml_text

CLIENTS = ("claude", "cursor", "vscode", "codex")


class ClientFile(NamedTuple):
    """``group`` is the object or table that holds the servers by name."""

    title: str
    path: Path
    kind: Literal["json", "toml"]
    group: str

    def with_entry(self, text: str, name: str, entry: dict[str, Any]) -> str:
        """The file's text with the entry in it. Raises ConfigurationError."""
        put = jsonc.with_entry if self.kind == "json" else toml_text.with_table
        return put(text, self.group, name, entry)

    def entries(self, text: str) -> dict[str, Any]:
        """The servers that the client starts itself. Raises ConfigurationError."""
        return (jsonc.entries if self.kind == "json" else toml_text.tables)(text, self.group)


def client_file(client: str, folder: Path, home: Path, environ: Mapping[str, str]) -> ClientFile:
    """The file of a client for the project in ``folder``; the user's own where the client has no other."""
    match client:
        case "claude":
            return ClientFile("Claude Code", folder / ".mcp.json", "json", "mcpServers")
        case "cursor":
            where = folder if (folder / ".cursor").is_dir() else home
            return ClientFile("Cursor", where / ".cursor" / "mcp.json", "json", "mcpServers")
        case "vscode":
            return ClientFile("VS Code", folder / ".vscode" / "mcp.json", "json", "servers")
        case _:
            own = environ.get("CODEX_HOME")
            where = Path(own) if own else home / ".codex"
            return ClientFile("Codex", where / "config.toml", "toml", "mcp_servers")


def entry(client: str, command: Sequence[str], variables: Iterable[str], fixed: Mapping[str, str]) -> dict[str, Any]:
    """How the client starts ``command``. It hands on ``variables`` by name, and sets ``fixed`` to what they are."""
    program, *args = command
    told: dict[str, Any] = {"command": program, "args": args}
    passed = list(variables)
    if client == "vscode":
        told = {"type": "stdio", **told}
    if client == "codex":
        if passed:
            told["env_vars"] = passed
        if fixed:
            told["env"] = dict(fixed)
        return told
    written = "${%s}" if client == "claude" else "${env:%s}"
    env = {**{name: written % name for name in passed}, **fixed}
    return {**told, "env": env} if env else told


__all__ = ["CLIENTS", "ClientFile", "client_file", "entry"]
