"""``licet runs``: the runs on a ledger, or what one came to and its calls."""

import argparse
from typing import TYPE_CHECKING, Any

from . import configured
from .exits import DONE
from .quantity import count

if TYPE_CHECKING:
    from ..ledger.run import RunSummary
    from ..model.workflow import State
    from .output import Cell
    from .story import Told

_SHOWN = 200
"""Characters of arguments that a terminal shows."""

_STYLES = {"completed": "green", "refused": "yellow", "failed": "red", "abandoned": "red", "unknown": "bold magenta"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", nargs="?", help="a run's id, the beginning of it, or last: show its calls"
    )
    parser.add_argument("--limit", metavar="N", type=count, help="at most the newest N runs")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger to read")
    configured.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from .configured import ledger_to_read
    from .records import known_run, opened

    with opened(ledger_to_read(arguments, arguments.ledger, arguments.run)) as records:
        runs = records.runs()
        if arguments.run is None:
            return _list(runs[-arguments.limit :] if arguments.limit else runs, as_json=arguments.json)
        run_id = known_run(runs, arguments.run)
        from .story import calls_of

        calls = calls_of(records.entries(run_id))
        from .work_view import workflow_of

        workflow = workflow_of(records.entries(run_id))
    return _show(next(run for run in runs if run.run_id == run_id), calls, workflow, as_json=arguments.json)


def _list(runs: "list[RunSummary]", *, as_json: bool) -> int:
    from . import output
    from .moment import moment

    if as_json:
        output.document([run._asdict() for run in runs])
        return DONE
    rows = [
        (
            output.Styled(run.run_id, "bold"),
            run.actor,
            moment(run.started_us),
            str(run.calls),
            _count(run.refused, "refused"),
            _count(run.failed, "failed"),
            _count(run.unknown, "unknown"),
            output.Styled("rolled back", "blue") if run.rolled_back else "-",
        )
        for run in runs
    ]
    columns = ("run", "actor", "began", "calls", "refused", "failed", "unknown", "undone")
    output.table(columns, rows, whole=("run",))
    return DONE


def _show(run: "RunSummary", calls: "list[Told]", workflow: "State | str | None", *, as_json: bool) -> int:
    from . import output, work_view
    from .moment import moment

    if as_json:
        listed = [_document(call) for call in calls]
        output.document({**run._asdict(), "workflow": work_view.document(workflow), "calls": listed})
        return DONE
    undone = "; rolled back since" if run.rolled_back else ""
    output.line(f"run {run.run_id}, by {run.actor}, began {moment(run.started_us)}{undone}")
    if workflow is not None:
        work_view.draw(workflow)
    if output.on_terminal():
        for call in calls:
            _card(call)
    else:
        rows = [(*_cells(call), _arguments(call)) for call in calls]
        output.table(("call", "tool", "outcome", "reason", "took", "arguments"), rows)
    if run.unknown:
        output.say(
            "licet: a call without an end is under way, or nobody knows what it did: licet ledger settle CALL ..."
        )
    return DONE


def _card(call: "Told") -> None:
    """A call in two lines; of long arguments only the beginning, the whole stands in ``ledger show``."""
    from .output import Styled, styled_line

    call_id, tool, outcome, reason, took = _cells(call)
    styled_line(call_id, "  ", tool, "  ", outcome, f"  {reason}  {took}")
    arguments = _arguments(call)
    shown = arguments if len(arguments) <= _SHOWN else f"{arguments[:_SHOWN]} ..."
    styled_line(Styled(shown, "dim"), indent=4)


def _cells(call: "Told") -> "tuple[Cell, Cell, Cell, str, str]":
    from .moment import duration
    from .output import Styled

    return (
        call.call_id,
        Styled(_name(call.tool), "bold"),
        Styled(call.outcome + (", undone" if call.undone else ""), _STYLES.get(call.outcome, "cyan")),
        call.reason or call.code or "-",
        duration(call.duration_us),
    )


def _arguments(call: "Told") -> str:
    from .output import json_text

    return "-" if call.arguments is None else json_text(call.arguments)


def _count(number: int, outcome: str) -> "Cell":
    from .output import Styled

    return Styled(str(number), _STYLES[outcome] if number else "dim")


def _name(tool: str) -> str:
    from ..model.names import short

    return short(tool) or "-"


def _document(call: "Told") -> dict[str, Any]:
    return {
        "call": call.call_id,
        "tool": _name(call.tool),
        "arguments": call.arguments,
        "outcome": call.outcome,
        "code": call.code or None,
        "reason": call.reason or None,
        "at_us": call.at_us,
        "duration_us": call.duration_us,
        "note": call.note or None,
        "undone": call.undone,
    }


__all__ = ["configure", "run"]
