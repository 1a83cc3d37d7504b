"""``licet install``: one entry in a client's own file, by which it starts ``licet serve``."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..gateway.client_files import CLIENTS
from .exits import DONE, REFUSED

if TYPE_CHECKING:
    from pathlib import Path

    from ..gateway.client_files import ClientFile
    from ..project.config import Agent, Project

MOST_BYTES = 4 << 20
"""Of a client's file."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", choices=CLIENTS, help="claude, cursor, vscode or codex")
    parser.add_argument("--agent", metavar="NAME", help="whose surface; not needed where there is one agent")
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    parser.add_argument("--print", action="store_true", help="show the change and write nothing")
    parser.epilog = "The change is shown and asked about; without a terminal it is only shown."


def run(arguments: argparse.Namespace) -> int:
    """Show the change to the client's file, ask, and write it beside a copy of what was there.

    Raises:
        ConfigurationError: there is no such agent, or the client's file is not understood; it is as it was.
    """
    from pathlib import Path

    from ..gateway.client_files import client_file, entry
    from ..project.whole_file import contents
    from . import output
    from .configured import agent_named, configured

    project = configured(arguments.config).project
    agent = agent_named(project, arguments.agent)
    name = "licet" if len(project.agents) == 1 else f"licet-{agent.name}"
    command = (*_licet(), "serve", "--agent", agent.name, "--config", str(project.path))
    home = Path(os.path.expanduser("~"))
    file = client_file(arguments.client, project.folder, home, os.environ)
    before = contents(file.path, MOST_BYTES)
    try:
        text = "" if before is None else before.decode()
        after = file.with_entry(text, name, entry(arguments.client, command, _variables(project, agent), _fixed()))
        others = [other for other in file.entries(text) if other != name]
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file.path} is not UTF-8") from None
    except ConfigurationError as exc:
        raise ConfigurationError(f"{file.path}: {exc}") from None
    if after == text:
        output.say(f"licet: {file.title} starts {name} already: {file.path}")
        return DONE
    difference = _difference(text, after, file.path)
    _show_others(file, others)
    if arguments.print:
        output.write(difference)
        return DONE
    return _write_if_wanted(file, before, after, difference)


def _write_if_wanted(file: "ClientFile", before: bytes | None, after: str, difference: str) -> int:
    from . import output
    from .ask import ask

    said = ask(f"\n{difference}\nWrite this? Type yes, anything else leaves the file as it is: ")
    if said is None:
        output.write(difference)
        output.say("licet: nobody is at a terminal, so nothing was written")
        return DONE
    if not said:
        output.say("licet: nothing was written")
        return REFUSED
    kept = _written(file.path, before, after)
    told = "" if kept is None else f"; what was there is in {kept}"
    output.say(f"licet: {file.path} is written{told}; start {file.title} anew")
    return DONE


def _written(path: "Path", before: bytes | None, after: str) -> "Path | None":
    """Raises ConfigurationError: somebody else changed it meanwhile, or it is a link."""
    from ..project.whole_file import contents, create, replace

    if contents(path, MOST_BYTES) != before:
        raise ConfigurationError(f"{path} was changed by somebody else meanwhile; nothing was written, ask again")
    if before is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        create(path, after)
        return None
    number, kept = 1, path.with_name(f"{path.name}.before-licet")
    while os.path.lexists(kept):
        number += 1
        kept = path.with_name(f"{path.name}.before-licet-{number}")
    create(kept, before.decode(), mode=os.stat(path).st_mode & 0o777)
    replace(path, after)
    return kept


def _show_others(file: "ClientFile", others: "list[str]") -> None:
    from . import output

    if others:
        output.say(
            f"licet: {file.title} goes on starting {', '.join(others)} by itself, past licet; "
            "drop what licet.yaml governs from that file, or it stays a side door"
        )


def _difference(before: str, after: str, path: "Path") -> str:
    from difflib import unified_diff

    from . import output

    lines = unified_diff(before.splitlines(), after.splitlines(), str(path), f"{path} (new)", lineterm="")
    return "".join(output.visible(line) + "\n" for line in lines)


def _variables(project: "Project", agent: "Agent") -> list[str]:
    """What the agent's servers need of the environment, which the client has to hand on."""
    from ..project.assemble import reaches

    reached = [server for server in project.servers if reaches(agent, server.name)]
    return sorted({name for server in reached for name in server.variables})


def _fixed() -> dict[str, str]:
    """Where trust and ledgers are, if not where they are by default."""
    return {name: os.environ[name] for name in ("LICET_HOME", "XDG_STATE_HOME") if os.environ.get(name)}


def _licet() -> tuple[str, ...]:
    """This very licet, by absolute path: clients have a short PATH."""
    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) == "licet" and os.access(program, os.X_OK) and os.path.isfile(program):
        return (program,)
    return sys.executable, "-m", "licet"


__all__ = ["configure", "run"]
