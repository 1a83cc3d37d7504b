"""The text of ``licet.lock``: made to be read in a review, one property a line and nothing hidden."""

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..dialects.untrusted import escaped

if TYPE_CHECKING:
    from .locked import Lock, LockedServer, LockedTool

_BEYOND = re.compile(r"[^\n\x20-\x7e]+")

_BLANK = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ue000-\uf8ff\U000f0000-\U0010ffff]")
"""What looks like a space and is none, and what every screen shows in its own way. No table of the interpreter is
asked, so that the text is the same under each of them."""


def whole(lock: "Lock") -> str:
    """The whole file, with its last line ended."""
    servers = {name: _server(server) for name, server in lock.servers.items()}
    return _json({"version": lock.version, "servers": servers}) + "\n"


def of_tool(tool: "LockedTool") -> str:
    """One tool as it stands in the file."""
    return _json(_tool(tool))


def of_launch(server: "LockedServer") -> str:
    """One server's launch as it stands in the file."""
    return _json(_launch(server))


def plain(text: str) -> str:
    """Text in which nothing is hidden: control, format, blank and private characters stand as JSON's escapes."""
    return _BEYOND.sub(_shown, text)


def _json(value: Any) -> str:
    return plain(json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False))


def _server(server: "LockedServer") -> dict[str, Any]:
    told: dict[str, Any] = {
        "launch": _launch(server),
        "tools": {name: _tool(tool) for name, tool in server.tools.items()},
    }
    if server.note:
        told["note"] = dict(server.note)
    return told


def _launch(server: "LockedServer") -> dict[str, Any]:
    return {**server.launch.copy(), "digest": server.launch_digest}


def _tool(tool: "LockedTool") -> dict[str, Any]:
    definition = tool.definition
    claims = {claim: said for claim, said in asdict(definition.annotations).items() if said is not None}
    told: dict[str, Any] = {
        "annotations": claims,
        "description": definition.description.split("\n") if definition.description else [],
        "digests": tool.pin._asdict(),
        "input_schema": definition.input_schema.copy(),
    }
    if definition.title is not None:
        told["title"] = definition.title
    if definition.output_schema is not None:
        told["output_schema"] = definition.output_schema.copy()
    if tool.classification_dropped:
        told["classification"] = "dropped"
    return told


def _shown(match: "re.Match[str]") -> str:
    # Brackets are no part of what was matched, so the file's own stay as they are.
    return _BLANK.sub(lambda blank: _code(blank[0]), escaped(match[0]))


def _code(char: str) -> str:
    return json.dumps(char)[1:-1]


__all__ = ["of_launch", "of_tool", "plain", "whole"]
