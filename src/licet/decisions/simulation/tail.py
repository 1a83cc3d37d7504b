"""The lowest values of a long stream, for its exact quantile, in a bounded buffer."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Tail:
    """What is needed for the quantile ``share`` (at most one half) of ``total`` values, fed block by block.

    Holds about ``1.5 x share x total`` float64 values and one block more.
    """

    def __init__(self, total: int, share: float, block: int) -> None:
        import numpy as np

        self._position = share * (total - 1)
        self._reach = math.sqrt(total * share * (1 - share))
        self._kept = min(total, math.ceil(self._position + self._reach) + 2)
        self._buffer = np.empty(min(total, self._kept + max(block, self._kept // 2)))
        self._held = 0
        self._bound = math.inf

    def feed(self, values: "NDArray[np.float64]") -> None:
        """At most ``block`` finite values."""
        if self._bound < math.inf:
            values = values[values < self._bound]
        if self._held + len(values) > len(self._buffer):
            self._settle()
        self._buffer[self._held : self._held + len(values)] = values
        self._held += len(values)

    def quantile(self) -> tuple[float, float]:
        """The quantile, interpolated linearly between neighbours, and its standard error.

        The error is half the distance of the values that lie one standard error of the rank below and above it.
        """
        import numpy as np

        lowest = np.sort(self._buffer[: self._held])[: self._kept]

        def at(position: float) -> float:
            position = min(max(position, 0.0), len(lowest) - 1.0)
            below = math.floor(position)
            above = min(below + 1, len(lowest) - 1)
            return float(lowest[below] + (lowest[above] - lowest[below]) * (position - below))

        error = (at(self._position + self._reach) - at(self._position - self._reach)) / 2
        return at(self._position), error

    def _settle(self) -> None:
        """Only the lowest stay."""
        if self._held > self._kept:
            held = self._buffer[: self._held]
            held.partition(self._kept - 1)
            self._held = self._kept
            self._bound = float(held[self._kept - 1])
