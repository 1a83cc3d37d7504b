"""``licet run``: play a scenario, and show what comes onto the ledger while it does."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, exit_for

if TYPE_CHECKING:
    from ..agents.scenario.gather import Gathered
    from ..agents.scenario.play import Outcome
    from ..ports import Ledger

_TRANSPORTS = ("stdio", "http")
_EPILOG = """One seed gives one story, whatever way its tools are reached: licet ledger diff compares two runs.
MCP_SERVERS and MCP_ORACLE choose servers too; --mcp goes before them. Servers of a trusted licet.yaml that the cast's
grants reach are connected as they are pinned."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario", metavar="NAME|FILE", help="a scenario of this project or of licet, or config/scenarios/NAME.yaml"
    )
    parser.add_argument("--seed", metavar="TEXT", help="what the story is drawn from; else the scenario's own")
    parser.add_argument(
        "--mcp",
        nargs="?",
        const="stdio",
        choices=_TRANSPORTS,
        help="reach the oracle over MCP (stdio if not said)",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="the ledger; without it, the one beside a trusted licet.yaml, else in your state folder",
    )
    parser.add_argument("--ui", metavar="FILE", help="draw the pages that were shown into this file, as static HTML")
    parser.add_argument("--json", action="store_true", help="one JSON document, at the end")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    """Play it. The exit code is that of the first turn that came to nothing.

    Raises:
        ConfigurationError: there is no such scenario, or a file of it is not trusted or wrong; nothing began.
        LedgerUnavailableError: no ledger, no run.
    """
    import asyncio

    from ..agents.explore.exploration import SCENARIO
    from ..agents.scenario.gather import place_of
    from ..agents.scenario.play import play
    from ..agents.work.held import held
    from ..agents.work.waiting import stands
    from ..ledger import open_ledger
    from ..ledger.seen import SeenLedger
    from ..project.scenario import FOLDER
    from ..project.shelf import ENDING, Shelf
    from .configured import ledger_here_to_write
    from .played import page_of, tell_outcome, tell_work, waits_of
    from .playing import Playing
    from .report_file import ReportFile
    from .run_view import RunView

    folder, name = Path.cwd(), arguments.scenario
    if os.sep in name or name.endswith(".yaml"):
        folder, name = place_of(name)
    shelf = Shelf(folder, state.folder())
    if name == SCENARIO and not shelf.has_own(f"{FOLDER}/{name}{ENDING}"):
        return _explore(arguments)
    playing = Playing(shelf)
    gathered = playing.gather(name)
    view = RunView(gathered.scenario, quietly=arguments.json)
    ui = None if arguments.ui is None else ReportFile(arguments.ui, "--ui")
    path = ledger_here_to_write(arguments.ledger, shelf.folder)
    ledger = SeenLedger(open_ledger(path), view.see)
    run_id, pins = f"s{os.urandom(8).hex()}", playing.pins()

    async def played() -> "Outcome":
        given = {"seed": arguments.seed, "run_id": run_id, "folder": playing.folder, "skills": pins}
        digests = None if pins is None else {name: pin.digest for name, pin in pins.items()}
        with held(ledger, run_id):
            async with playing.registry(ledger, pins=digests, mcp=arguments.mcp) as registry:
                return await play(*gathered, registry, **given, handlers=playing.handlers, model=playing.model)

    try:
        outcome = asyncio.run(played())
        stood = stands(ledger.entries, run_id)
        if ui is not None:
            ui.write(page_of(run_id, gathered.scenario.title, stood))
        if arguments.json:
            output.document({**_document(gathered, outcome, ledger, path), "waits": waits_of(stood)})
        else:
            tell_outcome(outcome)
            tell_work(run_id, stood, path)
    finally:
        ledger.close()
    return DONE if not outcome.failed else exit_for(outcome.failed[0])


def _explore(arguments: argparse.Namespace) -> int:
    """What ``licet explore`` is short for: the seed is the folder."""
    from .explore import run as explore

    if arguments.mcp is not None:
        raise ConfigurationError("this scenario reads files in this process, which no server does for it; drop --mcp")
    if arguments.ui is not None:
        raise ConfigurationError("this scenario shows no page; drop --ui, licet explore --report FILE keeps its report")
    path = "." if arguments.seed is None else arguments.seed
    given = {"path": path, "full": False, "report": None, "json": arguments.json, "ledger": arguments.ledger}
    of_a_model = dict.fromkeys(("model", "max_calls", "max_tokens", "max_seconds"))
    return explore(argparse.Namespace(**given, **of_a_model))


def _document(gathered: "Gathered", outcome: "Outcome", ledger: "Ledger", path: Path) -> dict[str, Any]:
    import json

    from ..agents.scenario.journal import OPENED
    from ..model.event import problem_of_kind
    from .played import failed_of

    entries = list(ledger.entries(outcome.run_id))
    opened = next(entry for entry in entries if entry.kind == OPENED)  # what grants expand to may stand before it
    return {
        "run": outcome.run_id,
        "scenario": gathered.scenario.name,
        "seed": json.loads(opened.body)["seed"],
        "stop": outcome.stop,
        "turns": outcome.turns,
        "calls": outcome.calls,
        "tokens": outcome.tokens,
        "events": [
            {
                "actor": entry.actor,
                "kind": entry.kind,
                "payload": json.loads(entry.body),
                "digest": f"sha256:{entry.digest.hex()}",
            }
            for entry in entries
            if not problem_of_kind(entry.kind)
        ],
        "failed": failed_of(outcome),
        "ledger": str(path),
    }


__all__ = ["configure", "run"]
