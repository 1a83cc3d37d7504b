"""``licet rollback``: undo what a run wrote, once its process is gone."""

import argparse
import os
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import configured
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from pathlib import Path

    from ..runtime.rollback import RolledBack


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, the beginning of it, or last")
    parser.add_argument(
        "--root",
        metavar="DIR",
        action="append",
        default=[],
        help="touch only files inside this folder, instead of all that the run was given; may be repeated",
    )
    parser.add_argument("--ledger", metavar="FILE", help="the ledger that the run stands on")
    configured.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = "every file goes back to what it was before the run, or none does; doing it again changes nothing"


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.sqlite import SqliteLedger
    from ..ledger.verify import verify_file
    from ..runtime.rollback import rollback
    from . import output
    from .configured import ledger_to_read
    from .person import person
    from .records import exists, known_run, opened

    roots = _roots(arguments.root)
    path = ledger_to_read(arguments, arguments.ledger, arguments.run)
    exists(path)
    with opened(path) as records:
        run_id = known_run(records.runs(), arguments.run)
    output.say(f"licet: run {run_id}")
    found = verify_file(path)
    if not found.ok:  # what the entries say decides which files change
        output.say(f"licet: nothing was undone: entry {found.seq} of {path} is broken: {found.problem}")
        return FOUND
    ledger = SqliteLedger(path)
    try:
        done = rollback(ledger, run_id, person(), roots=roots)
    finally:
        ledger.close()
    if arguments.json:
        _document(path, done)
    else:
        _lines(done)
    return DONE


def _roots(named: list[str]) -> list[str] | None:
    for root in named:
        if "\0" in root or not os.path.isdir(root):
            raise ConfigurationError(f"--root {root}: there is no such folder; name the one that the run wrote in")
    return [os.path.realpath(root) for root in named] or None


def _document(path: "Path", done: "RolledBack") -> None:
    from . import output

    output.document(
        {
            "run": done.run_id,
            "ledger": str(path),
            "calls": list(done.calls),
            "files": [file._asdict() for file in done.files],
            "already": not done.calls and done.entry is not None,
            "seq": None if done.entry is None else done.entry.seq,
            "actor": None if done.entry is None else done.entry.actor,
            "left": done.left,
        }
    )


def _lines(done: "RolledBack") -> None:
    from . import output

    for file in done.files:
        output.styled_line(output.Styled("put back" if file.existed else "removed ", "green"), f"  {file.path}")
    if done.entry is None:
        output.line(f"run {done.run_id} has written nothing that can be undone")
    elif done.calls:
        calls = "1 call" if len(done.calls) == 1 else f"{len(done.calls)} calls"
        output.line(f"rolled back {calls} of run {done.run_id}, by {done.entry.actor}: entry {done.entry.seq}")
    else:
        output.line(
            f"run {done.run_id} was rolled back before, by {done.entry.actor}: entry {done.entry.seq}; nothing to undo"
        )
    if done.left:
        left = ", ".join(f"{tool} ({count})" for tool, count in done.left.items())
        output.say(f"licet: calls without a checkpoint, whatever they did, stay as they are: {left}")


__all__ = ["configure", "run"]
