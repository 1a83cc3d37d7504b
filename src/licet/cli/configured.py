"""A trusted configuration with its lock, one of its agents, and where its ledger is: what configured commands share."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError, LedgerUnavailableError
from . import state

if TYPE_CHECKING:
    from ..project.config import Agent, Project
    from ..project.locked import Lock

FOLDER = ".licet"
"""Beside a trusted ``licet.yaml``; no tool may read or write in it."""


class Configured(NamedTuple):
    """``lock`` is None where nothing was ever pinned."""

    project: "Project"
    lock: "Lock | None"


def configured(named: str | None) -> Configured:
    """The configuration that was named, or the nearest from here upwards, exactly as it was trusted.

    Raises:
        ConfigurationError: there is none, it is not trusted, or it or its lock is wrong.
    """
    from ..project.config import load
    from ..project.lock import beside
    from ..project.lock_reader import parse
    from ..project.trust import require_trusted

    held = require_trusted(configuration(named), state.folder())
    project = load(held.path, held.content)
    return Configured(project, None if held.lock is None else parse(held.lock, str(beside(held.path))))


def configuration(named: str | None) -> Path:
    """Its absolute path. Raises ConfigurationError: none was named, and none is here or above."""
    from ..project.find import find

    if named is not None:
        if not named or "\0" in named:
            raise ConfigurationError(f"--config {named!r} names no file")
        return Path(os.path.abspath(named))
    found = find(Path.cwd())
    if found is None:
        raise ConfigurationError("there is no licet.yaml here or above; licet init writes one, --config FILE names one")
    return found


def agent_named(project: "Project", name: str | None) -> "Agent":
    """The agent of that name, or the only one. Raises ConfigurationError, which names those that there are."""
    known = ", ".join(project.agents) or "none"
    if name is None and len(project.agents) == 1:
        return next(iter(project.agents.values()))
    if name is None:
        raise ConfigurationError(f"say which agent: --agent NAME; {project.path} has {known}")
    if name not in project.agents:
        raise ConfigurationError(f"{project.path} has no agent {name!r}; it has {known}")
    return project.agents[name]


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--agent`` and ``--config``."""
    parser.add_argument(
        "--agent", metavar="NAME", help="an agent of the configuration, with its servers, its grants and its ledger"
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")


def is_asked_for(arguments: argparse.Namespace) -> bool:
    """Whether the command is about a configuration."""
    return arguments.agent is not None or arguments.config is not None


def ledger_to_read(arguments: argparse.Namespace, named: str | None, run: str | None = None) -> Path:
    """The ledger that was named, that of the configuration that was asked for, or the one here; see ``ledger_of_run``.

    Raises:
        ConfigurationError: the configuration is not trusted or wrong, or has no such agent.
    """
    if named is not None or not is_asked_for(arguments):
        return ledger_of_run(run, named)
    project = configured(arguments.config).project
    if arguments.agent is not None:
        agent_named(project, arguments.agent)
    return ledger_of(project)


def ledger_here(named: str | None = None, start: Path | None = None, *, quietly: bool = False) -> Path:
    """The ledger that was named; else the one beside the nearest trusted ``licet.yaml``, from the working directory or
    ``start`` upwards; else the one in the user's state. Nothing is made.

    Raises:
        ConfigurationError: the name is empty or holds a NUL, or there is no home folder.
    """
    folder = None if named is not None else _trusted_folder(start or Path.cwd(), quietly=quietly)
    return state.ledger_file(named) if folder is None else folder / FOLDER / state.LEDGER


def ledger_of_run(run: str | None, named: str | None = None) -> Path:
    """The ledger here. Where it is a project's, and only the user's own has the run that is meant, or is there at all,
    that one: what explored or probed in a project stands there.
    """
    here, own = ledger_here(named), state.ledger_file()
    if named is not None or here == own or not own.exists():
        return here
    if not here.exists():
        return own
    is_own = run not in (None, "last") and not _may_have(here, run) and _may_have(own, run)
    return own if is_own else here


def _may_have(path: Path, run: str | None) -> bool:
    """Whether a run of this id, or one that begins like this, stands there; True of a ledger that cannot be read."""
    from .records import opened

    try:
        with opened(path) as records:
            return any(known.run_id.startswith(run or "") for known in records.runs())
    except LedgerUnavailableError:
        return True


def ledger_here_to_write(named: str | None = None, start: Path | None = None) -> Path:
    """The same for a command that appends: its folder is made if need be.

    Raises:
        LedgerUnavailableError: the folder cannot be made.
    """
    folder = None if named is not None else _trusted_folder(start or Path.cwd())
    return state.ledger_to_write(named) if folder is None else _beside(folder)


def _trusted_folder(start: Path, *, quietly: bool = False) -> Path | None:
    """That of the nearest ``licet.yaml``, if it is trusted as it stands, and no ``LICET_HOME`` says otherwise.

    Unless ``quietly``, a ledger that is there and not used because of that is told of.
    """
    from ..project.find import find

    found = None if os.environ.get("LICET_HOME") else find(start, any_owner=True)
    if found is None:
        return None
    from ..project.trust import is_trusted

    if is_trusted(found, state.folder()):
        return found.parent
    if not quietly and os.path.lexists(found.parent / FOLDER / state.LEDGER):
        from .output import say

        say(f"licet: {found} is not trusted as it is now, so the ledger beside it is not used; licet trust")
    return None


def ledger_of(project: "Project") -> Path:
    """Where the ledger of a project is; with ``LICET_HOME`` set, the one there."""
    return state.ledger_file() if os.environ.get("LICET_HOME") else project.folder / FOLDER / state.LEDGER


def ledger_beside(project: "Project") -> Path:
    """The same for a command that appends: its folder is made if need be.

    Raises:
        LedgerUnavailableError: the folder cannot be made.
    """
    return state.ledger_to_write() if os.environ.get("LICET_HOME") else _beside(project.folder)


def _beside(project: Path) -> Path:
    folder = project / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with open(folder / ".gitignore", "x", encoding="utf-8") as ignored:
            ignored.write("*\n")
    except FileExistsError:
        pass
    except OSError as exc:
        raise LedgerUnavailableError(f"{folder} cannot be made: {exc.strerror}; set LICET_HOME") from exc
    return folder / state.LEDGER


__all__ = [
    "Configured",
    "add_options",
    "agent_named",
    "configuration",
    "configured",
    "is_asked_for",
    "ledger_beside",
    "ledger_here",
    "ledger_here_to_write",
    "ledger_of",
    "ledger_of_run",
    "ledger_to_read",
]
