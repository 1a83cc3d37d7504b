"""What a handler may know of its call."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..workspace.workspace import Workspace


class _Holder(Protocol):
    """Whoever makes the workspace when it is first needed: the run."""

    @property
    def workspace(self) -> "Workspace": ...


class CallContext:
    """Injected into a parameter annotated with this class, and absent from the tool's schema.

    ``deadline`` is in seconds of the monotonic clock, or None for a tool without a timer.
    """

    __slots__ = ("_holder", "call_id", "deadline", "run")

    def __init__(self, call_id: str, run: str, deadline: float | None, holder: _Holder) -> None:
        self.call_id = call_id
        self.run = run
        self.deadline = deadline
        self._holder = holder

    @property
    def workspace(self) -> "Workspace":
        """Files under the policy of this run, by directory handle. Raises PathViolation: the policy is ``none``."""
        return self._holder.workspace
