"""``licet replay``: the state of a workflow, and what a model was sent, again from the ledger alone."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import configured, output
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..agents.spoken.retold import Retold
    from ..agents.workflow.replay import Replayed
    from ..model.entry import Entry

_EPILOG = """No model is asked and no tool is called: what they said stands on the ledger.
0 every digest is the one that was noted; 1 one is not"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's id, the beginning of it, or last")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger to read")
    configured.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    from ..agents.spoken.retold import retold_by_agent
    from ..agents.workflow.replay import ReplayError, replay
    from .configured import ledger_to_read
    from .records import known_run, opened

    with opened(ledger_to_read(arguments, arguments.ledger, arguments.run)) as records:
        run_id = known_run(records.runs(), arguments.run)
        try:
            replayed = replay(map(_as_written, records.entries(run_id)))
            told = retold_by_agent(map(_as_written, records.entries(run_id)))
        except ReplayError as exc:
            if arguments.json:
                output.document({"run": run_id, "same": False, "seq": exc.seq, "kind": exc.kind, "problem": str(exc)})
            else:
                output.styled_line(output.Styled("different", "bold red"), f"  {exc}")
            return FOUND
    if replayed is None and not told:
        raise ConfigurationError(
            f"no workflow began in the run {run_id}, and no model's words are kept; licet runs {run_id} shows its calls"
        )
    if arguments.json:
        state = {} if replayed is None else {**_counts(replayed), "state": replayed.state.document()}
        output.document({"run": run_id, "same": True, **state, **_models(told)})
        return DONE
    if replayed is not None:
        _show(run_id, replayed)
    for agent, words in told.items():
        _show_words(run_id, agent, words)
    return DONE


def _as_written(entry: "Entry") -> "Entry":
    """The entry, if its digest is that of what it holds."""
    from ..agents.workflow.replay import ReplayError
    from ..ledger.chain import digest_of

    if digest_of(entry.kind, entry.actor, entry.body) != entry.digest:
        raise ReplayError(entry, "its digest is not that of what it holds")
    return entry


def _counts(replayed: "Replayed") -> dict[str, object]:
    return {"commands": replayed.commands, "compared": replayed.compared, "digest": replayed.state.digest()}


def _models(told: "Mapping[str, Retold]") -> dict[str, object]:
    """Each agent's words; where one alone asked a model, they stand under ``model`` too."""
    each = {agent: _words(words) for agent, words in told.items()}
    if not each:
        return {}
    return {"models": each, **({"model": next(iter(each.values()))} if len(each) == 1 else {})}


def _words(told: "Retold") -> dict[str, object]:
    calls = sum(len(turn.calls) for turn in told.turns)
    return {
        "name": told.model,
        "answers": told.answers,
        "calls": calls,
        "compared": told.compared,
        "sent": told.sent,
        "stop": told.stop,
    }


def _show_words(run_id: str, agent: str, told: "Retold") -> None:
    counts = (
        f"{agent}: {_counted(told.answers, 'answer')} of {told.model}, {_counted(told.compared, 'digest')} compared"
    )
    output.styled_line(output.Styled("the same", "bold green"), f"  run {run_id}: {counts}")
    output.line(f"sent {told.sent}")
    if not told.stop:
        output.line("it has no end yet")


def _show(run_id: str, replayed: "Replayed") -> None:
    state = replayed.state
    told = f"  run {run_id}: {_counted(replayed.commands, 'command')}, {_counted(replayed.compared, 'digest')} compared"
    output.styled_line(output.Styled("the same", "bold green"), told)
    output.line(f"state {state.digest()}")
    for task in state.tasks:
        who = task.agent or task.participant or "nobody"
        output.styled_line(output.Styled(task.name, "bold"), f"  {task.standing}, {who}")
    for step in state.plan:
        output.styled_line(step.name, f"  {'open' if step.output is None else 'done'}", indent=2)
    for asked in state.questions:
        told = "no answer yet" if asked.answer is None else asked.answer
        output.styled_line(f"{asked.participant}: {asked.text}  ", output.Styled(told, "dim"), indent=2)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


__all__ = ["configure", "run"]
