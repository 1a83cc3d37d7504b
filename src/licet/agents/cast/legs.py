"""A model at work with what its run may call now: where a skill changes that, it goes on with another offer."""

from collections.abc import Iterable, Sequence

from ...model.result import ToolResult
from ...ports import Message, Model
from ...runtime.run import Run
from ...runtime.runtime import Runtime
from ..loop import Drive, Outcome, Record, loop
from .offered import offered


async def legs(
    model: Model,
    run: Run,
    runtime: Runtime,
    task: str,
    *,
    max_turns: int,
    drive: Drive | None,
    before: Sequence[Message] = (),
    record: Record | None = None,
) -> Outcome:
    """The loop, as often as the grants of its run change, in one conversation and within ``max_turns`` in all.

    The counts of an outcome are those of the last leg, but for its turns.
    """
    told: str | None = task
    turns = 0
    while True:
        tools = await offered(runtime, run.principal)
        watched = None if drive is None else _SameOffer(drive, run)
        outcome = await loop(
            model, run, tools, told, max_turns=max_turns - turns, drive=watched, before=before, record=record
        )
        turns += outcome.turns
        outcome = outcome._replace(turns=turns)
        if drive is None or outcome.stop != "input_required" or drive.waits_for is not None:
            return outcome
        if turns >= max_turns:
            return outcome._replace(stop="max_turns")
        told, before = None, outcome.conversation


class _SameOffer:
    """A drive that pauses its loop too where the run may call something else than when it began."""

    def __init__(self, drive: Drive, run: Run) -> None:
        self._drive = drive
        self._run = run
        self._held = run.principal.grants

    @property
    def waits_for(self) -> object | None:
        if self._run.principal.grants != self._held:
            return self._held
        return self._drive.waits_for

    def apply(self, results: Iterable[ToolResult]) -> None:
        self._drive.apply(results)

    def corrected(self, results: Iterable[ToolResult]) -> Iterable[ToolResult]:
        return self._drive.corrected(results)


__all__ = ["legs"]
