"""What is known of one request while it is under way."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

Purpose = Literal["connect", "list", "call"]

Listener = Callable[[float, float | None, str | None], None]
"""Takes how far a call is, of how much, and a word on it."""


class Fault(NamedTuple):
    """What went wrong, as the transport saw it. ``reason`` is a stable word, ``told`` is for people."""

    reason: str
    told: str
    unsent: bool = False
    """It is certain that nothing reached the server."""
    session_lost: bool = False
    """The server no longer knows this connection."""


class Errand:
    """One request and what became of it. The transport finds it in ``CURRENT`` and writes down what it saw."""

    __slots__ = ("answer", "answered", "arguments", "fault", "purpose", "sent")

    def __init__(self, purpose: Purpose, arguments: dict[str, Any] | None = None) -> None:
        self.purpose: Purpose = purpose
        self.arguments = arguments
        self.sent = False
        """A byte of it may have reached the server."""
        self.answered = False
        """The server itself answered, with a result or an error."""
        self.answer: dict[str, Any] | None = None
        """The result as it came, below the models of the SDK."""
        self.fault: Fault | None = None


CURRENT: ContextVar[Errand | None] = ContextVar("CURRENT", default=None)
"""The errand that the code which runs now serves; the SDK carries it to where bytes are written."""
