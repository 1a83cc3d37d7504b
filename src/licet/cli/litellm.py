"""``licet litellm``: a LiteLLM configuration with the boundary of an agent's profile, and a linter for one.

It reads files, starts nothing and opens no socket.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..adapters.litellm.served import Served

_EPILOG = """write: 0; 2 the configuration is not trusted, the agent has no profile, or its engine is not pinned.
lint: 0 nothing found; 1 something was; 2 there is no such file."""


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    write = parts.add_parser("write", help="a configuration for the agent's profile, on standard output")
    write.add_argument("--agent", metavar="NAME", required=True, help="the agent whose surface licet serve offers")
    write.add_argument("--url", required=True, help="where: the address that licet serve --http shows")
    write.add_argument("--no-token", action="store_true", help="licet serve was started without a token")
    lint = parts.add_parser("lint", help="what is wrong with a configuration")
    lint.add_argument("file", metavar="FILE", help="a LiteLLM configuration")
    lint.add_argument("--url", action="append", required=True, help="an address of licet serve; every other is a fault")
    lint.add_argument("--agent", metavar="NAME", help="the agent that is served there; its lock knows the arguments")
    lint.add_argument("--profile", metavar="NAME", help="without an agent: the profile that is meant; observe")
    for part in (write, lint):
        part.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    return _lint(arguments) if arguments.part == "lint" else _write(arguments)


def _write(arguments: argparse.Namespace) -> int:
    from ..adapters.litellm.configuration import configuration, is_flat, written
    from . import output

    held = _served(arguments)
    value = configuration(arguments.url, held.schemas, held.profile, token=not arguments.no_token)
    for tool in held.schemas:
        if not is_flat(tool):
            output.say(f"licet: {tool!r} has no flat name, so LiteLLM does not offer it; rename it on its server")
    output.write(written(value))
    return DONE


def _lint(arguments: argparse.Namespace) -> int:
    from ..adapters.litellm.lint import lint
    from ..project.inspection.inspect import content_of
    from ..project.yaml_file import read
    from . import output

    path = Path(arguments.file)
    document = read(content_of(path), str(path))
    held = None if arguments.agent is None else _served(arguments)
    if held is not None and arguments.profile not in (None, held.profile):
        raise ConfigurationError(f"the agent {arguments.agent!r} has the profile {held.profile}; drop --profile")
    name, schemas = (arguments.profile, None) if held is None else held
    faults = lint(document.value, arguments.url, name, schemas=schemas)
    for fault in sorted(faults, key=lambda fault: document.line(fault.place)):
        output.write(output.visible(document.told(fault.place, f"{fault.text} ({fault.code})")) + "\n")
    output.say(f"licet: {len(faults) or 'nothing'} to look at in {path}")
    return FOUND if faults else DONE


def _served(arguments: argparse.Namespace) -> "Served":
    from ..adapters.litellm.served import served
    from .configured import configured

    held = configured(arguments.config)
    return served(held.project, held.lock, arguments.agent)


__all__ = ["configure", "run"]
