"""How a loop ended, and what drives one."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

from ...model.result import ToolResult
from ...model.said import Usage
from ...ports import Message

Stop = Literal[
    "done", "max_turns", "refusals", "input_required", "length", "refused", "hosted", "max_calls", "max_tokens",
    "max_seconds", "max_money",
]  # fmt: skip
"""``length``: the answer was cut at its limit. ``refused``: the provider or the model declined. ``hosted``: the
provider ran something itself that was not offered. ``max_...``: that bound is used up."""


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
    """How a loop ended. ``calls`` counts every answered call, ``refused`` and ``failed`` those that gave no value.

    ``usage`` is what the provider counted; ``money`` what that comes to, None where no price was given.
    """

    text: str
    stop: Stop
    turns: int
    calls: int
    refused: int
    failed: int
    conversation: tuple[Message, ...]
    usage: Usage = Usage()
    money: float | None = None


__all__ = ["Drive", "Outcome", "Stop"]
