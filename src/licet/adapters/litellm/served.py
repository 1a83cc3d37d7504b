"""What an agent with a profile serves, from its configuration and its lock alone."""

from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...profiles.fields import fields
from ...profiles.strip import stripped
from ...profiles.terms import shipped
from ...project.config import Project
from ...project.engine import served_names
from ...project.locked import Lock


class Served(NamedTuple):
    """``schemas`` are stripped, by the names that the tools have over MCP."""

    profile: str
    schemas: dict[str, dict[str, Any]]


def served(project: Project, lock: Lock | None, name: str) -> Served:
    """The surface of an agent's profile. Starts nothing.

    Raises:
        ConfigurationError: there is no such agent, it has no profile, its engine is not pinned, or a tool of it is
            served under a name that the operator chose, which is not its flat name.
    """
    agent = project.agents.get(name)
    if agent is None or agent.engine is None:
        raise ConfigurationError(f"{project.path} has no agent {name!r} with a profile; write profile: observe at one")
    server = agent.engine.name(project.plugin)
    held = None if lock is None else lock.servers.get(server)
    if held is None:
        raise ConfigurationError(f"{server} is not in licet.lock, so nobody knows what it serves; run licet lock")
    schemas: dict[str, dict[str, Any]] = {}
    names = served_names(agent, project.plugin, [f"{server}.{own}" for own in held.tools])
    never = fields(shipped().never_model_facing)
    for own, tool in held.tools.items():
        if agent.engine.profile.has(own):
            schemas[names.get(f"{server}.{own}", own)] = stripped(tool.definition.input_schema, never).copy()
    return Served(agent.engine.profile.name, schemas)


__all__ = ["Served", "served"]
