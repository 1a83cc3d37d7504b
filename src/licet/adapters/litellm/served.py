"""What an agent with a profile serves, from its configuration and its lock alone."""

from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...profiles.fields import fields
from ...profiles.strip import stripped
from ...profiles.terms import shipped
from ...project.config import load
from ...project.lock import beside, read
from ...project.locked import Lock


class Served(NamedTuple):
    """``schemas`` are stripped, by the names that the tools have over MCP."""

    profile: str
    schemas: dict[str, dict[str, Any]]


def served(config: Path, name: str) -> Served:
    """The surface of an agent's profile. Starts nothing.

    Raises:
        ConfigurationError: the files are wrong, or the agent is none, has no profile, or its engine is not pinned.
    """
    project = load(config)
    agent = project.agents.get(name)
    if agent is None or agent.engine is None:
        raise ConfigurationError(f"{config} has no agent {name!r} with a profile; write profile: observe at one")
    server = agent.engine.name(project.plugin)
    lock = read(beside(project.path)) or Lock({})
    held = lock.servers.get(server)
    if held is None:
        raise ConfigurationError(f"{server} is not in licet.lock, so nobody knows what it serves; run licet lock")
    schemas: dict[str, dict[str, Any]] = {}
    never = fields(shipped().never_model_facing)
    for own, tool in held.tools.items():
        if agent.engine.profile.has(own):
            schemas[own] = stripped(tool.definition.input_schema, never).copy()
    return Served(agent.engine.profile.name, schemas)


__all__ = ["Served", "served"]
