"""The pause between the end of a connection and the next."""

import asyncio
import random

from .limits import McpLimits


class Backoff:
    """Doubled, with jitter, with each life in a row that was of no use. The loop of a connection keeps its time."""

    __slots__ = ("_failed", "_limits", "_not_before")

    def __init__(self, limits: McpLimits) -> None:
        self._limits = limits
        self._failed = 0
        self._not_before = 0.0

    @property
    def left_s(self) -> float:
        """Seconds until the next attempt."""
        return max(0.0, self._not_before - asyncio.get_running_loop().time())

    def ended(self) -> None:
        """A connection failed, or ended by itself."""
        self._failed += 1
        limits = self._limits
        pause_s = min(limits.most_pause_s, limits.least_pause_s * 2 ** min(self._failed - 1, 16))
        self._not_before = asyncio.get_running_loop().time() + pause_s * random.uniform(0.5, 1.0)

    def was_of_use(self) -> None:
        """Something was answered."""
        self._failed = 0

    def moved(self) -> None:
        """Another loop has another clock."""
        self._not_before = 0.0
