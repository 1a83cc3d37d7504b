"""How a stage of the survey asks: it yields requests, gets their results, and sees nothing else of the project."""

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from ...model.call import Request
from ...model.result import ToolResult

T = TypeVar("T")

Requests = tuple[Request, ...]
Results = tuple[ToolResult, ...]
Asking = Generator[Requests, Results, T]
"""What asks with ``yield`` and ends with a T."""

CALLS_PER_TURN = 250


def ask(tool: str, **arguments: Any) -> Asking[ToolResult]:
    """One call."""
    (result,) = yield (Request(tool, arguments),)
    return result


def ask_all(tool: str, arguments: Iterable[dict[str, Any]]) -> Asking[list[ToolResult]]:
    """Many calls of one tool, answered in their order, some hundred a turn."""
    results: list[ToolResult] = []
    remaining: Iterator[dict[str, Any]] = iter(arguments)
    while turn := tuple(Request(tool, one) for one in islice(remaining, CALLS_PER_TURN)):
        results += yield turn
    return results
