"""``licet probe [DIR | --from MODULE:ATTR | -- COMMAND ...]``: a hostile model plays bare and through the corridor."""

import argparse
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..model.tool import ToolSpec

DEFAULT_SEED = 0
TAKES_COMMAND_LINE = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "folder", metavar="DIR", nargs="?", help="the project whose copy is attacked; a small sample if absent"
    )
    target.add_argument(
        "--from",
        dest="source",
        metavar="MODULE:ATTR",
        help="fuzz your own tools instead, against stubs with their schemas; the working directory is searched first",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=DEFAULT_SEED, help="of the fuzzing; 0 if absent")
    parser.add_argument("--json", action="store_true", help="one JSON document, with every try")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger; without it, the one in your state folder")
    parser.epilog = (
        "With -- COMMAND ARGUMENT ... an MCP server is attacked instead: it is started twice, once for the SDK's own "
        "client and once for licet, and no call of a tool reaches it unless the tool is read-only by its hint. "
        "Exit code 0: every attack was refused or contained; 1: one passed, or bare handlers let nothing through, or "
        "verify missed the byte that was flipped in a copy of the ledger. DIR itself is only read."
    )


def run(arguments: argparse.Namespace) -> int:
    """Attack, and show both columns.

    Raises:
        ConfigurationError: DIR or what ``--from`` names cannot be used; nothing was attacked.
        LedgerUnavailableError: no ledger, no call.
    """
    with _terminated_tidily():
        if arguments.command_line is not None:
            from . import probe_command

            return probe_command.run(arguments)
        return _attack(arguments) if arguments.source is None else _own(arguments)


def _attack(arguments: argparse.Namespace) -> int:
    import asyncio

    from ..agents.probe.demonstration import document, probe
    from ..ledger.sqlite import SqliteLedger
    from .probe_table import show

    folder = None if arguments.folder is None else _folder(arguments.folder)
    path = state.ledger_file(arguments.ledger)
    if folder is not None and arguments.ledger is None:
        _refuse_inside(path, folder)
    with closing(SqliteLedger(state.ledger_to_write(arguments.ledger))) as ledger:
        report = asyncio.run(probe(folder, ledger))
    output.document(document(report)) if arguments.json else show(report)
    return DONE if report.ok else FOUND


def _own(arguments: argparse.Namespace) -> int:
    import asyncio

    from ..agents.probe.own import document, probe_own
    from ..ledger.sqlite import SqliteLedger
    from .probe_table import show_own

    specs = _specs(arguments.source)
    with closing(SqliteLedger(state.ledger_to_write(arguments.ledger))) as ledger:
        report = asyncio.run(probe_own(specs, ledger, arguments.seed))
    output.document(document(report)) if arguments.json else show_own(report)
    return DONE if report.ok else FOUND


def _specs(reference: str) -> "list[ToolSpec]":
    """The contracts of what a reference names. Their code is looked at, for its signature, and never called."""
    from ..errors import RegistrationError
    from ..runtime.runtime import Runtime
    from ..sources.combine import combine
    from .load import load

    loaded = load(reference)
    try:
        return loaded.specs() if isinstance(loaded, Runtime) else [tool.spec for tool in combine(loaded)]
    except RegistrationError as exc:
        raise ConfigurationError(f"--from {reference}: {exc}") from exc


@contextmanager
def _terminated_tidily() -> Iterator[None]:
    """Whoever ends this process with SIGTERM finds no copy left behind."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _folder(path: str) -> Path:
    if not path or "\0" in path or not os.path.lexists(path):
        problem = "does not exist"
    elif not os.path.isdir(path):
        problem = "is not a directory"
    elif not os.access(path, os.R_OK | os.X_OK):
        problem = "cannot be read"
    else:
        return Path(path)
    raise ConfigurationError(f"{path!r} {problem}; name a project's folder: licet probe DIR")


def _refuse_inside(ledger: Path, folder: Path) -> None:
    """The project stays as it is, so the default ledger does not stand in it."""
    inside, outside = os.path.realpath(ledger), os.path.realpath(folder)
    if os.path.commonpath([inside, outside]) == outside:
        raise ConfigurationError(
            f"the ledger {ledger} would stand inside {str(folder)!r}, which is only read; "
            "probe a folder below it, set LICET_HOME, or name another place with --ledger FILE"
        )


__all__ = ["configure", "run"]
