"""What ``licet serve`` serves: an agent of a trusted configuration, or one server without any file."""

import argparse
import os
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..project.config import Agent, Project
    from ..project.locked import Lock

COMMAND_AGENT = "command"
"""The agent, and the server, of a command line that is governed without any file."""

DEPTH = "LICET_DEPTH"


class Served(NamedTuple):
    """What to open, and the options of ``licet why`` that name it; none where no file does."""

    project: "Project"
    agent: "Agent"
    lock: "Lock | None"
    ledger: "Path"
    trust_first_use: bool
    why: "Sequence[str]"


def served_by(arguments: argparse.Namespace) -> Served:
    """What the options say. Raises ConfigurationError: there is no such thing, or it is not trusted."""
    depth = os.environ.get(DEPTH, "0")
    if depth != "0":
        raise ConfigurationError("licet does not serve licet: this was started by a licet that governs servers already")
    if arguments.http is None and arguments.no_token:
        raise ConfigurationError("--no-token goes with --http PORT")
    if arguments.command_line is not None:
        return _of_command(arguments)
    from .configured import agent_named, configured, ledger_beside

    project, lock = configured(arguments.config)
    agent = agent_named(project, arguments.agent)
    why = ("--agent", agent.name, "--config", str(project.path))
    return Served(project, agent, lock, ledger_beside(project), arguments.trust_first_use, why)


def _of_command(arguments: argparse.Namespace) -> Served:
    """One server without a file: what it claims to be read-only may be called, nothing else."""
    from pathlib import Path

    from ..policy.operator import Word
    from ..project.config import Agent, Declared, Project
    from .state import ledger_to_write

    if not arguments.command_line:
        raise ConfigurationError("after -- comes the command of a server, as in: licet serve -- uvx mcp-server-git")
    if arguments.agent is not None or arguments.config is not None:
        raise ConfigurationError("a command after -- is served without any file; drop --agent and --config")
    command, *args = arguments.command_line
    here = Path.cwd()
    server = Declared(id=COMMAND_AGENT, command=command, args=tuple(args), folder=here)
    all_of_it = f"mcp/{COMMAND_AGENT}.*"
    agent = Agent(name=COMMAND_AGENT, globs=(all_of_it,))
    words = ((all_of_it, Word(read_only="hinted")),)
    project = Project(path=here / "licet.yaml", servers=(server,), words=words, agents={agent.name: agent})
    return Served(project, agent, None, ledger_to_write(), True, ())


__all__ = ["Served", "served_by"]
