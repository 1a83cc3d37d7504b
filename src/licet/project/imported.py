"""What another client's file says of its servers: read once, by ``licet init``, and never again."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..schema.canonical import NotJson, parse
from ..schema.pointer import legible
from .whole_file import contents

USUAL = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json")
"""Where clients keep such a file in a project, the first that is there."""

MOST_BYTES = 256 * 1024

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_TAKEN = {
    "url": ("url", "serverUrl", "httpUrl"),
    "headers": ("headers", "http_headers"),
    **{key: (key,) for key in ("command", "args", "cwd", "env")},
}
"""What is taken over, under the names that clients give it."""
_SAID_OTHERWISE = frozenset(("type", "transport", "transportType", "disabled", "enabled"))
_STREAMED = frozenset(("stdio", "local", "http", "streamable-http", "streamableHttp", "streamable_http"))
_RUNNERS = frozenset(("uvx", "uv", "pipx"))
_OURS = re.compile(r"licet(\[[^]]*\])?([=@~<>!].*)?")


class Entry(NamedTuple):
    """One server as the other file has it, in plain types. ``left_out`` are keys that have no effect here."""

    id: str
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: Mapping[str, str] = {}
    url: str = ""
    headers: Mapping[str, str] = {}
    left_out: tuple[str, ...] = ()


class Imported(NamedTuple):
    """``skipped``: the name of an entry -> why it is not taken over."""

    path: Path
    entries: tuple[Entry, ...]
    skipped: Mapping[str, str]


def source(named: str | None, here: Path) -> Path:
    """The file to read. Raises ConfigurationError: none was named, and none is there."""
    if named is not None:
        if not named or "\0" in named:
            raise ConfigurationError(f"--from {named!r} names no file")
        return here / os.path.expanduser(named)
    found = next((here / usual for usual in USUAL if (here / usual).is_file()), None)
    if found is None:
        raise ConfigurationError(f"there is no {', '.join(USUAL[:-1])} or {USUAL[-1]} here; name one with --from FILE")
    return found


def read(path: Path) -> Imported:
    """The servers of the file, and what of it cannot be used.

    Raises:
        ConfigurationError: it is no such file.
        OSError: it cannot be read.
    """
    held = contents(Path(os.path.realpath(path)), MOST_BYTES)
    if held is None:
        raise ConfigurationError(f"{path} does not exist; name another file with --from FILE")
    servers = _servers(_value(held, path), path)
    entries: dict[str, Entry] = {}
    skipped: dict[str, str] = {}
    for name, said in servers.items():
        entry = _entry(name, said)
        if isinstance(entry, str):
            skipped[name] = entry
        elif entry.id in entries:
            skipped[name] = f"another one is called {entry.id!r} already; rename one"
        else:
            entries[entry.id] = entry
    return Imported(path, tuple(entries.values()), skipped)


def _value(held: bytes, path: Path) -> Any:
    """Clients allow comments and a comma after the last item; nothing else is let through that JSON does not have."""
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8; save it as UTF-8") from None
    bare = _TOKEN.sub(lambda part: part[0] if part[0][0] == '"' else "\n" * part[0].count("\n") or " ", text)
    try:
        return parse(_LAST_COMMA.sub(lambda part: part[1] or "", bare), limit_bytes=MOST_BYTES)
    except NotJson as exc:
        raise ConfigurationError(f"{path}: {exc}") from None


def _servers(whole: Any, path: Path) -> dict[str, Any]:
    if isinstance(whole, dict):
        nested = whole.get("mcp")
        for holder in (whole, nested if isinstance(nested, dict) else {}):
            for key in ("mcpServers", "servers"):
                if isinstance(holder.get(key), dict):
                    held: dict[str, Any] = holder[key]
                    return held
    raise ConfigurationError(
        f"{path}: there is no mcpServers (or servers) in it; name a file that has them with --from"
    )


def _entry(name: str, said: Any) -> Entry | str:
    """The entry, or why there is none."""
    if not isinstance(said, dict):
        return "it is no object"
    own = _own_id(name)
    if not own:
        return "its name has none of the characters A-Z a-z 0-9"
    kind = next((said[key] for key in ("type", "transport", "transportType") if key in said), "stdio")
    if kind not in _STREAMED:
        return f"its transport {legible(str(kind), 20)!r} is not spoken here; use its streamable HTTP url"
    if said.get("disabled") is True or said.get("enabled") is False:
        return "it is disabled there"
    taken = {key: _first(said, names) for key, names in _TAKEN.items()}
    wrong = next((key for key, value in taken.items() if not _fits(key, value)), None)
    if wrong is not None:
        return f"its {wrong} is not what it has to be"
    command, url = taken["command"] or "", taken["url"] or ""
    if bool(command) == bool(url):
        return "it has neither a command nor a url, or both"
    if command and starts_licet(command, taken["args"] or ()):
        return "it starts licet itself"
    known = {alias for names in _TAKEN.values() for alias in names} | _SAID_OTHERWISE
    stray = {key for key in (("args", "cwd", "env") if url else ("headers",)) if taken[key]}
    return Entry(
        id=own,
        command=command,
        args=() if url else tuple(taken["args"] or ()),
        cwd="" if url else taken["cwd"] or "",
        env={} if url else taken["env"] or {},
        url=url,
        headers=(taken["headers"] or {}) if url else {},
        left_out=tuple(sorted({key for key in said if key not in known} | stray)),
    )


def _first(said: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((said[name] for name in names if said.get(name) is not None), None)


def _fits(key: str, value: Any) -> bool:
    if value is None:
        return True
    if key == "args":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if key in ("env", "headers"):
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return isinstance(value, str) and value != ""


def _own_id(name: str) -> str:
    """The name, or what of it can be one."""
    if _ID.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:64]


def starts_licet(command: str, args: Sequence[str]) -> bool:
    """Whether a command is licet in front of other servers: to govern it would be to govern oneself.

    A bundle's own server is a server like any other.
    """
    program = os.path.basename(command)
    words = [word for text in args for word in text.split()]
    if program == "licet":
        return True
    if program in _RUNNERS and any(_OURS.fullmatch(word) for word in words):
        return True
    return any(
        (one == "-m" and two in ("licet", "licet.cli", "licet.__main__"))
        or (os.path.basename(one) == "licet" and two == "serve")
        for one, two in pairwise(words)
    )


__all__ = ["MOST_BYTES", "USUAL", "Entry", "Imported", "read", "source", "starts_licet"]
