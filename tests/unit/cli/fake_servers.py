"""MCP servers that are never started: what they would list is written down, and each time they are asked is too."""

from collections.abc import Mapping
from typing import Any

import pytest

from licet.errors import ServerUnavailableError
from licet.model.server import ServerSpec
from licet.project import listing

TOOL: dict[str, Any] = {
    "name": "look",
    "title": "Look",
    "description": "Looks at something.\nAnd says what it saw.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "where": {"type": "string", "description": "A place.", "enum": ["here", "there"], "default": "here"}
        },
        "required": ["where"],
    },
    "outputSchema": {"type": "object", "properties": {"seen": {"type": "string"}}},
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}


def tool(name: str = "look", **parts: Any) -> dict[str, Any]:
    return {**TOOL, "name": name, **parts}


class FakeServers:
    """``tools``: server id -> its tools as they come over the wire, or why it is not there. ``asked`` is the record."""

    def __init__(self, tools: Mapping[str, list[Any] | ServerUnavailableError]) -> None:
        self.tools = dict(tools)
        self.asked: list[ServerSpec] = []

    async def answer(self, spec: ServerSpec, *_: object) -> listing.Answer:
        from licet.dialects.mcp import read_listing

        self.asked.append(spec)
        told = self.tools[spec.id]
        if isinstance(told, ServerUnavailableError):
            return listing.Unlisted(told)
        definitions, quarantined = read_listing(told, spec)
        return listing.listed(spec, definitions, quarantined, {"name": spec.id, "version": "1.0"})


def put_in_place(servers: FakeServers, monkeypatch: pytest.MonkeyPatch) -> FakeServers:
    monkeypatch.setattr(listing, "_list_server", servers.answer)
    return servers
