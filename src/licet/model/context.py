"""What a handler may know of its call."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..workspace.workspace import Workspace
    from .workflow import TaskView

Listener = Callable[[float, float | None, str | None], None]
"""Takes how far a call is, of how much, and a word on it."""

PROGRESS: ContextVar[Listener | None] = ContextVar("PROGRESS", default=None)
"""Set it around a call to hear of its progress."""


class OwnTurn:
    """The turn of a call that stands in no other."""

    __slots__ = ("__weakref__",)


class _Holder(Protocol):
    """The run, as far as a handler may see it. It makes the workspace when that is first needed."""

    @property
    def workspace(self) -> "Workspace": ...

    @property
    def task(self) -> "TaskView | None": ...


class CallContext:
    """Injected into a parameter annotated with this class, and absent from the tool's schema.

    ``deadline`` is in seconds of the monotonic clock, or None for a tool without a timer. ``turn`` is one object for
    all calls of one iteration of a loop, and nobody else's.
    """

    __slots__ = ("_extend", "_holder", "_listener", "call_id", "deadline", "run", "turn")

    def __init__(
        self,
        call_id: str,
        run: str,
        deadline: float | None,
        holder: _Holder,
        *,
        turn: object = None,
        extend: Callable[[], float] | None = None,
    ) -> None:
        self.call_id = call_id
        self.run = run
        self.deadline = deadline
        self.turn = turn if turn is not None else OwnTurn()
        self._holder = holder
        self._extend = extend
        self._listener = PROGRESS.get()

    @property
    def workspace(self) -> "Workspace":
        """Files under the policy of this run, by directory handle. Raises PathViolation: the policy is ``none``."""
        return self._holder.workspace

    @property
    def task(self) -> "TaskView | None":
        """The task that the run works on; None outside a workflow."""
        return self._holder.task

    def __reduce__(self) -> str:
        raise TypeError("a CallContext refers to its run, which does not leave")

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Say how far the call is. It gets its timeout anew, within the limit for calls that go on and on."""
        if self._extend is not None:
            self.deadline = self._extend()
        if self._listener is not None:
            self._listener(progress, total, message)
