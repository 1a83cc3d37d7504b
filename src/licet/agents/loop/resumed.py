"""A conversation again, from its ledger: under the policy of now, and nothing unknown is started a second time."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ConfigurationError
from ...ledger.call import NOTHING
from ...model.call import Request
from ...model.result import ToolResult
from ...ports import Ledger, Message
from ...runtime.run import Run
from ..spoken.retold import Asked, Retold, Turn
from .loop import CALLS_PER_TURN
from .unanswered import beyond_the_cap, not_started, unknown

_SYNTHETIC = frozenset({"not_started", "calls_per_turn"})
"""Reasons of results that no call of the ledger stands behind."""

_UNFIT = frozenset({"length", "refused"})


async def resumed(told: Retold, run: Run, ledger: Ledger, *, calls_per_turn: int = CALLS_PER_TURN) -> list[Message]:
    """The conversation up to now: each call in it is answered, from its record where there is one.

    A call is judged anew, also one whose record is the answer: what was read once is shown to whoever still may read
    it. One that began and has no end is answered as unknown; of the last answer those are made that never began.

    Raises:
        ConfigurationError: the model's work is done, and there is nothing to go on with.
    """
    if told.turns and not told.turns[-1].calls and told.turns[-1].ended != "paused":
        raise ConfigurationError("the model ended this run with an answer; begin another run to ask for more")
    run.answers = max(run.answers, told.answers)
    conversation = [Message(role, text) for role, text in told.said]
    for turn in told.turns:
        conversation.append(_message(turn))
        if turn.calls:
            conversation.append(Message("tool", results=tuple(await _results(turn, run, ledger, calls_per_turn))))
    return conversation


def _message(turn: Turn) -> Message:
    ended: Any = turn.ended
    return Message("assistant", turn.text, tuple(asked.request for asked in turn.calls), ended=ended)


async def _results(turn: Turn, run: Run, ledger: Ledger, most: int) -> Sequence[ToolResult]:
    results: list[ToolResult | None] = [None] * len(turn.calls)
    for place, asked in enumerate(turn.calls):
        results[place] = _settled(asked, _noted(turn, place), place, turn, run, ledger, most)
    open_ = [place for place, result in enumerate(results) if result is None]
    requests = [turn.calls[place].request._replace(call_id=turn.calls[place].call) for place in open_]
    async with run.turn():
        walked = await run.batch(requests)
    for place, result in zip(open_, walked, strict=True):
        results[place] = result
    return [result for result in results if result is not None]


def _settled(
    asked: Asked, noted: Mapping[str, Any] | None, place: int, turn: Turn, run: Run, ledger: Ledger, most: int
) -> ToolResult | None:
    """The result of a call that does not walk the corridor again; None: it does."""
    request: Request = asked.request._replace(call_id=asked.call)
    if place >= most:
        return beyond_the_cap(run, request, most)
    if turn.ended in _UNFIT or (noted is not None and noted.get("reason") in _SYNTHETIC):
        return not_started(run, request, "it was not started, and is not started now")
    if turn.hosted and turn.results is None:
        return not_started(run, request, "it was not started, and is not started now")
    if asked.partly:
        if ledger.find(asked.call) == NOTHING:
            return not_started(run, request, "the ledger holds a part of its arguments only; ask for it again")
        return unknown(run, request, "the ledger holds a part of this call only; it is not started again")
    return None


def _noted(turn: Turn, place: int) -> Mapping[str, Any] | None:
    results = turn.results
    return results[place] if results is not None and place < len(results) else None


__all__ = ["resumed"]
