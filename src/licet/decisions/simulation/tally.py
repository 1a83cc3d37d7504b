"""What is kept of one action's values while they are drawn block by block."""

import hashlib
import math
from typing import TYPE_CHECKING

from .run import Figure, Option
from .tail import Tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOW = 0.05


class Tally:
    """Mean and variance (merged block by block), losses, draws in which it is best, both tails, and a running hash."""

    def __init__(self, action: str, total: int, block: int) -> None:
        self.action = action
        self.hash = hashlib.sha256()
        self._total = total
        self._count = self._losses = self._best = 0
        self._mean = self._squares = 0.0
        self._lowest, self._highest = Tail(total, _LOW, block), Tail(total, _LOW, block)

    def feed(self, values: "NDArray[np.float64]", best: int) -> None:
        """A block of finite values, and in how many of its draws the action is best."""
        import numpy as np

        count, mean = len(values), float(values.mean())
        away = values - mean
        away *= away
        squares = float(away.sum())  # a product of matrices would start threads for it
        apart, together = mean - self._mean, self._count + count
        self._mean += apart * count / together
        self._squares += squares + apart * apart * self._count * count / together
        self._count = together
        self._losses += int(np.count_nonzero(values < 0))
        self._best += best
        self._lowest.feed(values)
        self._highest.feed(-values)
        self.hash.update(np.ascontiguousarray(values, dtype="<f8").data)

    def option(self, unit: str) -> Option:
        """After the last block."""
        deviation = math.sqrt(self._squares / (self._total - 1)) if self._total > 1 else 0.0
        low, low_error = self._lowest.quantile()
        high, high_error = self._highest.quantile()
        return Option(
            action=self.action,
            expected_value=Figure(self._mean, unit, deviation / math.sqrt(self._total)),
            probability_of_loss=self._share(self._losses),
            p5_downside=Figure(low, unit, low_error),
            p95_upside=Figure(-high, unit, high_error),
            best=self._share(self._best),
        )

    def _share(self, count: int) -> Figure:
        """Its error is the binomial one after two more of either kind (Agresti and Coull): none of n is not certain."""
        near, many = (count + 2) / (self._total + 4), self._total + 4
        return Figure(count / self._total, "share", math.sqrt(near * (1 - near) / many))
