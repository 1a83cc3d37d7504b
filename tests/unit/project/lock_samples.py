"""Definitions and locks for the tests of ``licet.lock``."""

from typing import Any

from licet.dialects.mcp import Definition
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.lock import Lock, LockedServer, launch_digest, locked

LAUNCH: dict[str, Any] = {"args": ["mcp-server-git"], "command": "uvx", "cwd": "", "env": ["GIT_TOKEN"]}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where the repository is."},
        "order": {"type": "string", "enum": ["old", "new"], "default": "new"},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def definition(name: str = "git_log", **parts: Any) -> Definition:
    """A tool that says something in each of its parts, but for what ``parts`` say instead."""
    said: dict[str, Any] = {
        "title": "Log",
        "description": "Shows the log.\n\nNewest first.",
        "input_schema": SCHEMA,
        "output_schema": {"type": "object", "properties": {"entries": {"type": "array"}}},
        "annotations": Annotations(read_only=True, destructive=False),
        **parts,
    }
    output = said["output_schema"]
    return Definition(
        name=name,
        title=said["title"],
        description=said["description"],
        input_schema=JsonObject(said["input_schema"]),
        output_schema=None if output is None else JsonObject(output),
        annotations=said["annotations"],
    )


def server(*definitions: Definition, launch: dict[str, Any] = LAUNCH, name: str = "mcp/git") -> LockedServer:
    """A server as it would be locked."""
    tools = {one.name: locked(name, one) for one in definitions}
    return LockedServer(JsonObject(launch), launch_digest(launch), tools)


def lock_of(*definitions: Definition) -> Lock:
    """A lock with one server, ``mcp/git``."""
    return Lock({"mcp/git": server(*definitions)})
