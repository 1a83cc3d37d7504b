"""Answers to calls that did not run, or did not end: a provider takes no conversation in which a call has none."""

from collections.abc import Iterator, Sequence

from ...errors import ConfigurationError
from ...model.call import Request
from ...model.names import canonical
from ...model.result import Effect, ToolResult
from ...runtime.run import Run

MOST_NAME = 320


def not_started(run: Run, request: Request, why: str) -> ToolResult:
    """Nothing of it was begun."""
    return _failure(run, request, "aborted", why, "none", "not_started")


def beyond_the_cap(run: Run, request: Request, most: int) -> ToolResult:
    """One more than a turn may hold: it was not even looked at."""
    told = f"a turn has at most {most} calls, and this one was not started; ask for it in the next"
    return _failure(run, request, "limit_exceeded", told, "none", "calls_per_turn")


def broken_off(run: Run, request: Request) -> ToolResult:
    """It was under way when its loop was ended."""
    return _failure(run, request, "aborted", "the run was ended while this call was under way", "unknown", "")


def unknown(run: Run, request: Request, why: str) -> ToolResult:
    """It may have done something, and is not started again."""
    return _failure(run, request, "effect_unknown", why, "unknown", "record_incomplete")


def rest(
    run: Run, requests: Sequence[Request], results: Sequence[ToolResult | None], begun: set[int], why: str
) -> Iterator[ToolResult]:
    """The results that there are, and for every other call why there is none."""
    for place, request in enumerate(requests):
        result = results[place] if place < len(results) else None
        if result is None:
            result = broken_off(run, request) if place in begun else not_started(run, request, why)
        yield result


def _failure(run: Run, request: Request, code: str, text: str, effect: Effect, reason: str) -> ToolResult:
    try:
        name = canonical(request.tool)
    except ConfigurationError:
        name = str(request.tool)[:MOST_NAME]
    metadata = {"reason": reason} if reason else {}
    call_id = request.call_id or f"{run.id}:"
    return ToolResult(call_id, name, False, {}, text, code, effect, 0.0, metadata, b"{}", run.fence)


__all__ = ["beyond_the_cap", "broken_off", "not_started", "rest", "unknown"]
