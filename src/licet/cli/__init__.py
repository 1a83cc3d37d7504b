"""The command line: one file a command, imported when it is asked for. It decides nothing; the corridor does.

A command's module has ``configure(parser)``, which imports nothing heavy, and ``run(arguments)``, which gives an exit
code (``exits``). What it says goes through ``output``. With ``TAKES_COMMAND_LINE = True`` it finds the words after
``--`` in ``arguments.command_line``, None without them.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from .. import __version__
from ..errors import LicetError
from .exits import DONE, FAILED, INTERRUPTED, USAGE, exit_for

COMMANDS = {
    "explore": "explore a project, through the corridor, and write what a developer wants to know on the first day",
    "run": "play a scenario: agents from files, turn by turn, every call and event on the ledger",
    "probe": "let a hostile model try, against bare handlers and through the corridor, and show both",
    "conformance": "whether a tool runtime, a framework or an MCP server keeps the contract, vector by vector",
    "tools": "what is registered, and what a principal would see of it",
    "call": "one call through the corridor",
    "why": "every check of a call with its verdict, or what a run's refusals would have needed",
    "runs": "the runs on the ledger, or what one came to: plan, people, calls",
    "resume": "answer what a run asked, and let it go on; or go on with one that was interrupted",
    "replay": "rebuild the state of a workflow from its ledger, and compare every digest; calls nothing",
    "rollback": "undo what a run wrote, once its process is gone",
    "init": "write licet.yaml and licet.lock from the file of another MCP client",
    "trust": "show what a configuration would start and grant, and let it once you said yes",
    "check": "what somebody should look at in a configuration; starts nothing, works on any file",
    "lock": "pin what the configured servers list, and show what is not as it was pinned",
    "profile": "the profiles of the contract: their tools, and what no model may set",
    "serve": "one agent's surface as an MCP server, for Claude Code, Cursor, VS Code, Codex and every other client",
    "litellm": "a LiteLLM configuration with the boundary of an agent's profile, and a linter for one",
    "decisions": "serve the decision engine on your data, or be its operator",
    "install": "the entry in a client's own file by which it starts licet serve",
    "ledger": "show, verify, compare, sign or settle entries",
}

EXITS = """exit codes:
  0 done             1 a check found something   2 usage or configuration
  3 refused          4 the tool failed, its effect is unknown, or there is no ledger
  130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Never shows a traceback for what a user can cause."""
    given = sys.argv[1:] if argv is None else list(argv)
    _tolerate_any_text()
    try:
        code = _run(given)
    except LicetError as exc:
        _complain(str(exc))
        code = exit_for(exc)
    except KeyboardInterrupt:
        _complain("interrupted")
        code = INTERRUPTED
    except BrokenPipeError:
        _forsake()
        code = DONE
    except OSError as exc:
        _complain(_told(exc))
        code = FAILED
    except RecursionError:
        _complain("the input is nested too deeply")
        code = USAGE
    return _flushed(code)


def _run(given: list[str]) -> int:
    name = next((word for word in given if not word.startswith("-")), None)
    parser = _Parser(
        prog="licet",
        description="Nothing an agent calls runs unless a contract permits it, and a ledger proves what did.",
        epilog=EXITS,
        formatter_class=_TopHelp,
    )
    parser.add_argument("--version", action="version", version=f"licet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chosen = parser
    words, command_line = given, None
    for command, summary in COMMANDS.items():
        child = commands.add_parser(command, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if command == name:
            module = import_module(f".{command}", __name__)
            module.configure(child)
            chosen = child
            if getattr(module, "TAKES_COMMAND_LINE", False):
                words, command_line = _parted(given, command)
    try:
        arguments, more = parser.parse_known_args(words)
        if more:
            chosen.error(f"unrecognized arguments: {' '.join(more)}")
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return USAGE
    arguments.command_line = command_line
    code: int = import_module(f".{arguments.command}", __name__).run(arguments)
    return code


def _parted(given: list[str], command: str) -> tuple[list[str], list[str] | None]:
    """The words for the command, and those after ``--``, which are a command line of their own; None: there is none."""
    if "--" not in given[given.index(command) :]:
        return given, None
    at = given.index("--", given.index(command))
    return given[:at], given[at + 1 :]


class _Help(argparse.HelpFormatter):
    """As wide as the terminal, which is asked directly: argparse would import compression for that."""

    def __init__(self, prog: str, **options: Any) -> None:
        options.setdefault("width", min(_columns() - 2, 118))
        options.setdefault("max_help_position", 28)
        super().__init__(prog, **options)


class _TopHelp(_Help, argparse.RawDescriptionHelpFormatter):
    """The same, with the table of exit codes as it is written."""


class _Parser(argparse.ArgumentParser):
    """Takes options by their whole names, and shows what was typed without letting it act on the terminal."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", _Help)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        _complain(message)
        raise SystemExit(USAGE)


def _columns() -> int:
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and 20 <= int(wanted) <= 1000:
        return int(wanted)
    try:
        return max(os.get_terminal_size(1).columns, 40)
    except OSError:
        return 80


def _told(exc: OSError) -> str:
    try:
        os.getcwd()
    except OSError:
        return "the working directory does not exist any more; change to one that does"
    return (exc.strerror or str(exc)) + (f": {exc.filename}" if exc.filename else "")


def _complain(message: str) -> None:
    from .output import say

    say(f"licet: {message}")


def _tolerate_any_text() -> None:
    """A terminal that cannot show a character gets its number; a stream that is closed takes everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """The exit code, once everything that was said has left."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forsake()
    except OSError as exc:
        _complain(f"standard output: {exc.strerror}")
        _forsake()
        return FAILED
    return code


def _forsake() -> None:
    from .output import forsake

    forsake(sys.stdout)
