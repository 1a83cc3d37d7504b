"""One listing of a server's tools, for one turn."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Round:
    """Whoever of a turn comes first begins it; all of the turn wait for the same one.

    ``tools`` are the raw definitions by the server's own names, None for a name that was listed twice. ``checked`` are
    those that were found to be what was registered.
    """

    __slots__ = ("_task", "changes", "checked", "generation", "loop", "tools")

    def __init__(self, loop: asyncio.AbstractEventLoop, changes: int) -> None:
        self.loop = loop
        self.changes = changes
        self.generation = -1
        self.tools: dict[str, Any] = {}
        self.checked: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def begin(self, listing: Coroutine[Any, Any, None]) -> None:
        self._task = self.loop.create_task(listing)
        self._task.add_done_callback(_seen)

    async def done(self) -> None:
        """Raises what the listing raised."""
        assert self._task is not None
        if not self._task.done():
            await asyncio.shield(self._task)  # who is cancelled here does not take it from the others
        self._task.result()

    def is_over(self, generation: int, changes: int) -> bool:
        """Whether the server has to be asked again: it failed, is another one since, or said that its tools changed."""
        if self._task is None or not self._task.done():
            return False
        failed = self._task.cancelled() or self._task.exception() is not None
        return failed or self.generation != generation or self.changes != changes


def _seen(task: "asyncio.Task[None]") -> None:
    """What nobody waited for to the end is no error of its own."""
    if not task.cancelled():
        task.exception()
