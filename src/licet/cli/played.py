"""What came of a scenario that was played: how it ended, what it waits for, what it showed."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from ..agents.scenario.stage import Outcome
    from ..agents.work.waiting import Stands

_ENDS = {
    "quiet": "nobody has anything left to do",
    "input_required": "somebody was asked, and has not answered yet",
}


def tell_outcome(outcome: "Outcome") -> None:
    """How much a run used, why it ended, and what came to nothing."""
    from . import output

    counts = (
        _count(outcome.turns, "turn"),
        _count(outcome.events, "event"),
        _count(outcome.calls, "call"),
        _count(outcome.tokens, "token"),
    )
    ended = _ENDS.get(outcome.stop, f"{outcome.stop} is reached")
    output.styled_line(output.Styled(f"{', '.join(counts)}; {ended}", "dim"))
    for error in outcome.failed:
        output.say(f"licet: {error.code}: {error}")


def failed_of(outcome: "Outcome") -> list[dict[str, Any]]:
    """What came to nothing, for a program."""
    return [
        {"code": error.code, "reason": getattr(error, "reason", ""), "message": str(error)} for error in outcome.failed
    ]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def tell_work(run_id: str, stood: "Stands | None", ledger: "Path") -> None:
    """What came of a run's task, or what is waited for, and the line that answers it."""
    import shlex

    from . import output
    from .configured import ledger_here
    from .output import Styled

    result = None if stood is None else stood.found.state.tasks[0].result
    if result:
        output.line()
        for text in result.splitlines():
            output.line(text)
    waits = () if stood is None else stood.waits
    for _, asked in waits:
        output.styled_line(Styled(f"{asked.participant} is asked", "bold yellow"), f"  {asked.text}")
        for option in asked.options:
            output.styled_line(Styled(option, "bold"), indent=4)
        words = ["licet", "resume", run_id, asked.options[0] if asked.options else "TEXT"]
        if asked.participant != "operator":
            words += ["--participant", asked.participant]
        if len(waits) > 1:
            words += ["--question", asked.nonce[:8]]
        if ledger != ledger_here(quietly=True):
            words += ["--ledger", str(ledger)]
        output.styled_line(Styled("answer it with  ", "dim"), shlex.join(words), indent=4)


def waits_of(stood: "Stands | None") -> list[dict[str, Any]]:
    """The open questions, for a program."""
    from dataclasses import asdict

    waits = () if stood is None else stood.waits
    return [{"run": one.run_id, **asdict(one.question)} for one in waits]


def page_of(run_id: str, title: str, stood: "Stands | None") -> str:
    """What a run and its sub-tasks showed, as one HTML document."""
    from ..agents.page.draw import page
    from ..agents.page.surface import surfaces

    parts = () if stood is None else stood.parts.values()
    shown = [one for part in parts for one in surfaces(part.state.surfaces)]
    return page(title, shown, f"Shown in the run {run_id}. Nothing on this page acts.")


__all__ = ["failed_of", "page_of", "tell_outcome", "tell_work", "waits_of"]
