"""Asks configured servers what they offer. This starts their programs: only of a trusted configuration."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..dialects.mcp import Definition, Quarantined
from ..errors import ConfigurationError, RefusedError
from ..model.json_object import JsonObject
from ..schema.canonical import NotJson
from ..sources.mcp.limits import McpLimits
from .locked import LockedServer, LockedTool, launch_digest, locked

if TYPE_CHECKING:
    from ..model.server import ServerSpec

MOST_AT_ONCE = 8
"""Servers that are started together."""

_NOTE_CHARACTERS = 200


class Listed(NamedTuple):
    """A server as it would be locked, and what of it could not be used, by its own name as far as it has one."""

    server: LockedServer
    quarantined: Mapping[str, Quarantined] = {}

    @property
    def unusable(self) -> dict[str, str]:
        """Own name -> why."""
        return {name: tool.told for name, tool in self.quarantined.items()}


class Unlisted(NamedTuple):
    """Why a server did not say what it offers."""

    error: RefusedError


Answer = Listed | Unlisted


async def list_servers(
    specs: Iterable["ServerSpec"],
    answered: Callable[[str], None],
    limits: McpLimits = McpLimits(),  # noqa: B008
) -> dict[str, Answer]:
    """What each server answers, by ``plugin/server``; one that does not answer keeps no other from it.

    ``answered`` is told each name as its answer comes.
    """
    room = asyncio.Semaphore(MOST_AT_ONCE)

    async def one(spec: "ServerSpec") -> tuple[str, Answer]:
        async with room:
            answer = await _list_server(spec, limits)
        answered(spec.name)
        return spec.name, answer

    async with asyncio.TaskGroup() as asking:
        tasks = [asking.create_task(one(spec)) for spec in specs]
    return dict(task.result() for task in tasks)


async def _list_server(spec: "ServerSpec", limits: McpLimits) -> Answer:
    from ..sources.mcp.server import McpServer

    server = McpServer(spec, limits=limits)
    try:
        definitions, quarantined, info = await server.list_definitions()
    except RefusedError as exc:
        return Unlisted(exc)
    finally:
        await server.close()
    return listed(spec, definitions, quarantined, info)


def listed(
    spec: "ServerSpec",
    definitions: Iterable[Definition],
    quarantined: Iterable[Quarantined] = (),
    info: Mapping[str, object] | None = None,
) -> Listed:
    """A server's listing as it would be locked."""
    tools: dict[str, LockedTool] = {}
    aside = {tool.name: tool for tool in quarantined}
    for definition in definitions:
        try:
            tools[definition.name] = locked(spec.name, definition)
        except (ConfigurationError, NotJson) as exc:
            aside[definition.name] = Quarantined(definition.name, "no_pin", str(exc))
    said = {key: str(value)[:_NOTE_CHARACTERS] for key, value in (info or {}).items() if key in ("name", "version")}
    launch = spec.launch
    return Listed(LockedServer(JsonObject(launch), launch_digest(launch), tools, said), aside)


__all__ = ["Answer", "Listed", "Unlisted", "list_servers", "listed"]
