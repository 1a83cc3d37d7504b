"""Findings about servers: how they are started, and whether that is what was pinned."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...errors import ConfigurationError
from ..imported import starts_licet
from ..package import floating
from ..place import Place, quoted, shown
from ..secret import secret_places
from .finding import Finding

if TYPE_CHECKING:
    from ..config import Declared, Project
    from ..locked import Lock

_SHELLS = frozenset(("bash", "cmd", "dash", "fish", "ksh", "powershell", "pwsh", "sh", "zsh"))
_RUNS_TEXT = frozenset(("-c", "-lc", "-ec", "/c", "-Command", "-command"))


def servers(project: "Project", lock: "Lock | None") -> Iterator[Finding]:
    """Of each server that is not disabled."""
    for server in project.servers:
        yield from _launch(server)
        yield from _pin(server, lock)
        for place in secret_places(server.args, server.env, server.url, server.headers):
            text = f"{shown(place)} of {server.name} looks like a secret; write ${{NAME}} for it, and set the variable"
            yield Finding(_line(server, place), "secret", text)


def _launch(server: "Declared") -> Iterator[Finding]:
    for package in floating(server.command, server.args):
        text = f"{server.name} fetches {quoted(package)} in whichever version is newest; name one exact version"
        yield Finding(server.line, "unversioned", text)
    program = os.path.basename(server.command)
    if program in _SHELLS and not _RUNS_TEXT.isdisjoint(server.args):
        if not floating(server.command, server.args):
            yield Finding(server.line, "shell", f"{server.name} is a shell with a script; start the program itself")
    elif " " in server.command and not os.path.isabs(server.command):
        text = f"the command of {server.name} holds spaces, and no shell splits it; put its arguments under args"
        yield Finding(_line(server, ("command",)), "shell", text)
    if server.command and starts_licet(server.command, server.args):
        yield Finding(server.line, "starts_licet", f"{server.name} is licet itself; declare the servers behind it")
    for key in server.ignored:
        instead = "list its variables under env" if key == "envFile" else "grant tools one by one under agents"
        yield Finding(_line(server, (key,)), "ignored_key", f"{key} has no effect here; {instead}")


def _pin(server: "Declared", lock: "Lock | None") -> Iterator[Finding]:
    if lock is None:
        return
    held = lock.servers.get(server.name)
    if held is None:
        text = f"{server.name} is not in licet.lock; run `licet lock` once you looked at what it offers"
        yield Finding(server.line, "unpinned", text)
        return
    from ..locked import launch_digest

    try:
        now = launch_digest(server.as_written().launch)
    except ConfigurationError as exc:
        yield Finding(server.line, "configuration", str(exc))
        return
    if now != held.launch_digest:
        text = f"{server.name} is started in another way than the one in licet.lock; look at it, then run"
        yield Finding(server.line, "launch_changed", f"{text} `licet lock --accept {server.id}`")


def _line(server: "Declared", place: Place) -> int:
    return server.line if server.source is None else server.source.line(("mcpServers", server.id, *place))


__all__ = ["servers"]
