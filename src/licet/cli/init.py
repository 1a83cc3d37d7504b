"""``licet init``: another client's servers as ``licet.yaml``, with what they list in ``licet.lock``."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..project.config import Project
    from ..project.draft import Offered
    from ..project.imported import Entry, Imported
    from ..project.listing import Listed
    from ..project.moved_values import Mover
    from ..project.offering import Offering

EXITS = """exit codes: 0 written, or shown; 2 there is nothing to read, or something would be overwritten

What is secret in the other file, and every value of env and headers, becomes a variable. Without a terminal no server
is started, and what would be believed and granted stands in the file as comments.

examples: licet init
          licet init --from ~/.config/Claude/claude_desktop_config.json --dry-run"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="source", metavar="FILE", help="without it .mcp.json, .cursor/mcp.json or .vscode/mcp.json"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be written; write and start nothing")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXITS


def run(arguments: argparse.Namespace) -> int:
    from ..project.draft import draft
    from ..project.imported import read, source
    from ..project.moved_values import Mover
    from . import init_report
    from .ask import somebody

    here = Path.cwd()
    config, lock = _free(here)
    imported = read(source(arguments.source, here))
    mover = Mover(os.environ, str(here))
    entries, skipped = _moved(imported, mover)

    def written(offered: "Mapping[str, Offered]") -> "tuple[str, Project]":
        from ..project.config import load

        text = draft(entries, offered, mover.needed, imported.path.name)
        return text, load(config, text.encode())  # the published schema, and all that it cannot say

    text, project = written({})
    asking = not arguments.dry_run and somebody()
    listed, problems = _listed(project, mover, asking=asking)
    found = _offerings(listed)
    if not arguments.json:
        init_report.table(project, found, problems)
    offered = {own: offering.offered(believed=_believed(own, offering)) for own, offering in found.items()}
    if offered:
        text, project = written(offered)
    if not arguments.dry_run:
        _write(config, lock, text, listed)
    report = init_report.Report(config, lock, text, skipped, mover, found, problems, asked=asking)
    (init_report.document if arguments.json else init_report.show)(report, dry_run=arguments.dry_run)
    return DONE


def _free(here: Path) -> tuple[Path, Path]:
    """Where to write. Raises ConfigurationError: something is there, or a server that licet started runs this."""
    from ..project.find import FILE
    from ..project.lock import beside

    if os.environ.get("LICET_DEPTH"):
        raise ConfigurationError("a server that licet started runs this (LICET_DEPTH is set); run it yourself")
    config = here / FILE
    for path in (config, beside(config)):
        if os.path.lexists(path):
            raise ConfigurationError(f"{path.name} exists, and nothing is overwritten; edit it, or move it away first")
    return config, beside(config)


def _moved(imported: "Imported", mover: "Mover") -> "tuple[list[Entry], dict[str, str]]":
    """Entries with variables for values, and why others are skipped. Raises ConfigurationError: none is left."""
    entries: list[Entry] = []
    skipped = dict(imported.skipped)
    for entry in imported.entries:
        moved = mover.move(entry)
        if isinstance(moved, str):
            skipped[entry.id] = moved
        else:
            entries.append(moved)
    if not entries:
        told = "; ".join(f"{name}: {why}" for name, why in skipped.items()) or "it names none"
        raise ConfigurationError(f"{imported.path}: no server can be taken over ({told})")
    return entries, skipped


def _listed(project: "Project", mover: "Mover", *, asking: bool) -> "tuple[dict[str, Listed], dict[str, str]]":
    """What the servers list that somebody said yes to start, and why the others do not; by their ids."""
    import asyncio

    from ..project.listing import Listed, list_servers
    from .init_report import start_question
    from .waiting import Waiting

    environ = {**os.environ, **mover.values}
    specs, problems = {}, {}
    for server in project.servers:
        if not asking:
            problems[server.id] = "not started"
        elif not _yes(start_question(server)):
            problems[server.id] = "not started, as you said"
        else:
            try:
                specs[server.name] = server.resolve(environ)
            except ConfigurationError as exc:
                problems[server.id] = str(exc)
    if not specs:
        return {}, problems
    with Waiting(specs) as waiting:
        answers = asyncio.run(list_servers(specs.values(), waiting.answered))
    listed = {}
    for name, answer in answers.items():
        if isinstance(answer, Listed):
            listed[specs[name].id] = answer
        else:
            problems[specs[name].id] = str(answer.error)
    return listed, problems


def _offerings(listed: "Mapping[str, Listed]") -> "dict[str, Offering]":
    from ..project.offering import offerings

    return offerings(listed)


def _believed(server: str, offering: "Offering") -> bool:
    from .init_report import belief_question

    return bool(offering.reading) and _yes(belief_question(server, offering))


def _yes(question: str) -> bool:
    from .ask import ask

    return ask(question) is True


def _write(config: Path, lock: Path, text: str, listed: "Mapping[str, Listed]") -> None:
    """Both files, and the word of whoever ran this that they count; or nothing at all.

    Raises:
        ConfigurationError: a file is there by now, or the state cannot be written.
        OSError: a file could not be written.
    """
    from contextlib import ExitStack
    from dataclasses import replace

    from ..project.lock import Lock
    from ..project.lock import text as lock_text
    from ..project.snapshot import digest, snapshot
    from ..project.trust import record
    from ..project.whole_file import create
    from . import state

    locked = lock_text(Lock({f"mcp/{own}": answer.server for own, answer in listed.items()}))
    # Only these bytes: what else lies in the folder's config and skills nobody has looked at.
    ours = {config.name: digest(text.encode()), lock.name: digest(locked.encode())}
    with ExitStack() as undo:
        create(lock, locked)
        undo.callback(os.unlink, lock)
        create(config, text)
        undo.callback(os.unlink, config)
        record(replace(snapshot(config), digests=ours), state.folder())
        undo.pop_all()


__all__ = ["configure", "run"]
