"""The loop of an agent: a model asks for calls, the corridor answers, until it asks for none."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from ..errors import ConfigurationError
from ..model.call import Request
from ..model.result import ToolResult
from ..model.tool import ModelTool
from ..ports import Message, Model
from ..runtime.run import Run

_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,63}", re.ASCII)
"""Ids that are kept as they are; any other, as some providers make them, becomes its digest."""

Stop = Literal["done", "max_turns", "refusals", "input_required"]


class Drive(Protocol):
    """What drives a workflow: ``workflow.Driver``."""

    @property
    def waits_for(self) -> object | None:
        """What somebody has to answer before it goes on."""
        ...

    def apply(self, results: Iterable[ToolResult]) -> None:
        """Apply the commands that a turn's calls gave."""
        ...

    def corrected(self, results: Iterable[ToolResult]) -> Iterable[ToolResult]:
        """The same results, where a command that could not be applied is no success."""
        ...


class Outcome(NamedTuple):
    """How a loop ended. ``calls`` counts every answered call, ``refused`` and ``failed`` those that gave no value."""

    text: str
    stop: Stop
    turns: int
    calls: int
    refused: int
    failed: int
    conversation: tuple[Message, ...]


async def loop(
    model: Model,
    run: Run,
    tools: list[ModelTool],
    task: str,
    *,
    max_turns: int = 64,
    refusals_per_turn: int = 100,
    drive: Drive | None = None,
    before: Sequence[Message] = (),
    progress: Callable[[int, ToolResult], None] | None = None,
) -> Outcome:
    """Let the model work on a task. Only ``Message.calls`` are calls: text that looks like one starts nothing.

    A model's own call ids are kept apart from the ledger's: the same id twice in a run is the same call, and is
    answered from its record or refused. A turn with more than ``refusals_per_turn`` refusals ends the loop. With
    ``drive`` the commands of a turn are applied at its end, and a question to somebody pauses the loop; ``before`` is
    what was said until then.

    Raises:
        ConfigurationError: ``max_turns`` is below 1.
    """
    if max_turns < 1:
        raise ConfigurationError(f"max_turns is at least 1, not {max_turns}")
    conversation = [*before, Message("user", task)]
    turns = calls = refused = failed = 0
    stop: Stop = "max_turns"
    text = ""
    for _ in range(max_turns):
        said = await model.respond(conversation, tools)
        conversation.append(said)
        text = said.text
        if not said.calls:
            stop = "done"
            break
        turns += 1
        async with run.turn() as turn:
            results = await run.batch(tuple(_own(run, request) for request in said.calls))
        if drive is not None:
            drive.apply(results)
            results = list(drive.corrected(results))
        conversation.append(Message("tool", results=tuple(results)))
        for result in results:
            calls += 1
            refused += not result.success and result.effect == "none"
            failed += not result.success and result.effect != "none"
            if progress is not None:
                progress(calls, result)
        if turn.refusals >= refusals_per_turn:
            stop = "refusals"
            break
        if drive is not None and drive.waits_for is not None:
            stop = "input_required"
            break
    return Outcome(text, stop, turns, calls, refused, failed, tuple(conversation))


def _own(run: Run, request: Request) -> Request:
    """A model chooses ids that are its own conversation's; on the ledger they are the run's, spelt as its ids are."""
    said = request.call_id
    if said is None:
        return request
    if not _PLAIN.fullmatch(said):
        said = "sha256:" + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return request._replace(call_id=f"{run.id}:{said}")
