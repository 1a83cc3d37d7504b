"""The command line: one file a command, imported when it is asked for. It decides nothing; the corridor does."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from .. import __version__
from ..errors import LicetError
from .exits import FAILED, INTERRUPTED, USAGE, exit_for

COMMANDS = {
    "explore": "explore a project, through the corridor, and write what a developer wants to know on the first day",
    "probe": "let a hostile model try, against bare handlers and through the corridor, and show both",
    "tools": "what is registered, and what a principal may see",
    "call": "one call through the corridor",
    "why": "every check of a call with its verdict, or what a run's refusals would have needed",
    "runs": "the runs on the ledger, or one of them",
    "ledger": "show, verify or settle entries",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Never shows a traceback for what a user can cause."""
    given = sys.argv[1:] if argv is None else list(argv)
    name = next((word for word in given if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(
        prog="licet", description="Nothing an agent calls runs unless a contract permits it."
    )
    parser.add_argument("--version", action="version", version=f"licet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command, summary in COMMANDS.items():
        child = commands.add_parser(command, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if command == name:
            import_module(f".{command}", __name__).configure(child)
    try:
        arguments = parser.parse_args(given)
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    try:
        code: int = import_module(f".{arguments.command}", __name__).run(arguments)
        sys.stdout.flush()
        return code
    except LicetError as exc:
        print(f"licet: {exc}", file=sys.stderr)
        return exit_for(exc)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return 0
    except OSError as exc:
        print(f"licet: {exc.strerror or exc}" + (f": {exc.filename}" if exc.filename else ""), file=sys.stderr)
        return FAILED
    except RecursionError:
        print("licet: the input is nested too deeply", file=sys.stderr)
        return USAGE


def _silence() -> None:
    """The reader of our output went away: nothing more is said, also not by the interpreter while it exits."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
