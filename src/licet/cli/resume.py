"""``licet resume``: answer what a run asked, or let one go on that ended in between."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, FOUND, REFUSED, exit_for

if TYPE_CHECKING:
    from pathlib import Path

    from ..agents.work.earlier import Begun
    from ..agents.work.resume import Resumed
    from ..agents.work.waiting import Answer

_EPILOG = """The work goes on in this process, under the manifests and grants of now. What you say is data to whoever
reads it. 0 it went on; 1 the ledger is damaged; 3 this is no answer to what is asked"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's id, the beginning of it, or last")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the answer; without it nothing may be asked")
    parser.add_argument(
        "--participant", metavar="ID", default="operator", help="who answers; operator if not said, which is you"
    )
    parser.add_argument("--question", metavar="NONCE", default="", help="which question, if several are open")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger that the run stands on")
    parser.add_argument("--ui", metavar="FILE", help="draw the pages that were shown into this file, as static HTML")
    parser.add_argument("--json", action="store_true", help="one JSON document, at the end")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    """Let it go on, once.

    Raises:
        ConfigurationError: there is no such run, who worked on it is not there any more, or a call has no end.
        LedgerUnavailableError: no ledger, no work.
    """
    from ..agents.work.earlier import begun, whole_of
    from ..agents.work.waiting import Answer
    from ..agents.workflow import NotAppliedError, ReplayError
    from ..ledger.verify import verify_file
    from .configured import ledger_of_run
    from .person import person
    from .records import exists, known_run, opened

    path = ledger_of_run(arguments.run, arguments.ledger)
    exists(path)
    with opened(path) as records:
        named = known_run(records.runs(), arguments.run)
        run_id = whole_of(records.entries(named), named)
    output.say(f"run {run_id}")
    found = verify_file(path)
    if not found.ok:  # what the entries say decides what is done
        output.say(f"licet: nothing was resumed: entry {found.seq} of {path} is broken: {found.problem}")
        return FOUND
    with opened(path) as records:
        known = begun(records.entries(run_id), run_id)
    given = (arguments.participant, arguments.text, arguments.question, person())
    answer = None if arguments.text is None else Answer(*given)
    try:
        return _resumed(arguments, path, run_id, known, answer)
    except NotAppliedError as exc:
        output.say(f"licet: refused ({exc.reason}), nothing was resumed: {exc}")
        return REFUSED
    except ReplayError as exc:
        output.say(f"licet: nothing was resumed: the ledger does not lead where it says: {exc}")
        return FOUND


def _resumed(arguments: argparse.Namespace, path: "Path", run_id: str, known: "Begun", answer: "Answer | None") -> int:
    import asyncio
    from pathlib import Path

    from ..agents.explore.exploration import SCENARIO
    from ..agents.work.resume import resume
    from ..ledger import open_ledger
    from ..ledger.seen import SeenLedger
    from ..project.scenario import FOLDER
    from ..project.shelf import ENDING, Shelf
    from .played import page_of, tell_outcome, tell_work
    from .playing import Playing
    from .report_file import ReportFile
    from .run_view import RunView

    shelf = Shelf(Path.cwd(), state.folder())
    if known.scenario == SCENARIO and not shelf.has_own(f"{FOLDER}/{SCENARIO}{ENDING}"):
        return _explored(arguments, path, run_id, known)
    playing = Playing(shelf)
    if known.folder and known.folder != playing.folder:  # its agent would read another project
        raise ConfigurationError(f"the run {run_id} began in {known.folder}, and this is {playing.folder}; go there")
    gathered = playing.gather(known.scenario)
    ui = None if arguments.ui is None else ReportFile(arguments.ui, "--ui")
    ledger = SeenLedger(open_ledger(path), RunView(gathered.scenario, quietly=arguments.json).see)

    async def resumed() -> "Resumed":
        async with playing.registry(ledger, pins=known.skills) as registry:
            return await resume(gathered, registry, run_id, answer, handlers=playing.handlers, model=playing.model)

    try:
        done = asyncio.run(resumed())
    finally:
        ledger.close()
    if ui is not None:
        ui.write(page_of(run_id, gathered.scenario.title, done.stands))
    if arguments.json:
        _document(run_id, path, done)
    else:
        tell_outcome(done.outcome)
        tell_work(run_id, done.stands, path)
    failed = done.outcome.failed
    return exit_for(failed[0]) if failed else DONE


def _explored(arguments: argparse.Namespace, path: "Path", run_id: str, known: "Begun") -> int:
    """Go on with an exploration of a large model.

    Raises:
        ConfigurationError: none explored, or it has ended; an answer was given, and nobody asked.
    """
    from .explored import go_on

    if arguments.text is not None or arguments.ui is not None:
        raise ConfigurationError("an exploration asks nobody and shows no page; leave out TEXT and --ui")
    return go_on(run_id, path, known.seed, as_json=arguments.json)


def _document(run_id: str, path: "Path", done: "Resumed") -> None:
    from .played import failed_of, waits_of

    outcome = done.outcome
    output.document(
        {
            "run": run_id,
            "stop": outcome.stop,
            "turns": outcome.turns,
            "calls": outcome.calls,
            "tokens": outcome.tokens,
            "waits": waits_of(done.stands),
            "events": [{"kind": event.kind, "actor": event.actor, "payload": event.payload} for event in done.events],
            "failed": failed_of(outcome),
            "ledger": str(path),
        }
    )


__all__ = ["configure", "run"]
