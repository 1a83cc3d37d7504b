"""How a script works on a task: it yields what it asks for, gets the results, and ends with words."""

from asyncio import sleep
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from ...model.call import Request
from ...model.names import short
from ...model.result import ToolResult
from ...model.tool import Offered
from ...ports import Message
from ..workflow.standing import told

T = TypeVar("T")

Asking = Generator[tuple[Request, ...], tuple[ToolResult, ...], T]
"""What asks with ``yield`` and ends with a T."""

Plan = Callable[[dict[str, Any], frozenset[str]], Asking[str]]
"""Begins where a workflow stands; the names are those of the tools that are offered."""


class Scripted:
    """A ``Model`` without a model. Wherever the work stood still, its plan begins anew from what it is told of that."""

    def __init__(self, name: str, plan: Plan) -> None:
        self.name = f"script {name}, no model"
        self._plan = plan
        self._asking: Asking[str] | None = None

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next calls, or the last words."""
        await sleep(0)  # calls on the caller's thread never let the loop see that somebody interrupts
        try:
            if self._asking is None or conversation[-1].role == "user":
                self._asking = self._plan(told(conversation), frozenset(short(tool.name) for tool in tools))
                return Message("assistant", calls=next(self._asking))
            return Message("assistant", calls=self._asking.send(conversation[-1].results))
        except StopIteration as end:
            self._asking = None
            return Message("assistant", str(end.value))


def ask(tool: str, id: str, **arguments: Any) -> Asking[ToolResult]:
    """One call. The same id is the same call, in whatever process it is asked for again."""
    (result,) = yield (Request(tool, arguments, id),)
    return result


def ask_all(*requests: Request) -> Asking[tuple[ToolResult, ...]]:
    """Several calls in one turn, or none."""
    if not requests:  # a turn without a call is the last one
        return ()
    results = yield requests
    return results


def text_of(result: ToolResult) -> str:
    """The text of a file that was read; empty where it could not be."""
    text = result.output.get("text") if result.success and isinstance(result.output, dict) else None
    return text if isinstance(text, str) else ""


__all__ = ["Asking", "Scripted", "ask", "ask_all", "text_of"]
