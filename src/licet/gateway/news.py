"""What reaches a client that waits for its call: progress in order, a question, the end."""

import asyncio
from collections import deque

Report = tuple[float, float | None, str | None]

MOST_REPORTS = 64
"""Kept for a client that reads slowly. Older ones are dropped, the newest never."""


class News:
    """Told from any thread, read on the loop that made it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._any = asyncio.Event()
        self._reports: deque[Report] = deque(maxlen=MOST_REPORTS)

    def report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """How far the call is, from whatever thread the tool says it on."""
        self._loop.call_soon_threadsafe(self._reported, (progress, total, message))

    def stir(self) -> None:
        """Something else is worth a look."""
        self._any.set()

    async def come(self) -> None:
        """Wait until there is something that was not looked at."""
        await self._any.wait()
        self._any.clear()

    def reports(self) -> list[Report]:
        """What was reported since the last look."""
        told = list(self._reports)
        self._reports.clear()
        return told

    def _reported(self, report: Report) -> None:
        self._reports.append(report)
        self._any.set()


__all__ = ["News", "Report"]
