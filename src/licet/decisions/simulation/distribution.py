"""The distributions of a variable: how one is drawn, and its raw moments in closed form."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..error import DecisionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_OUTCOMES = 1_000
"""Of one discrete distribution."""

_TOLERANCE = 1e-9
_LARGEST = 1e150
"""Parameters beyond it overflow when they are squared."""


class Distribution(NamedTuple):
    """``kind`` with its parameters, in this order:

    ``triangular`` low, mode, high; ``uniform`` low, high; ``normal`` mean, sd; ``lognormal`` mu, sigma (of the
    logarithm); ``discrete`` the values and then as many probabilities, which sum to 1.
    """

    kind: str
    parameters: tuple[float, ...]

    def draw(self, generator: "np.random.Generator", count: int) -> "NDArray[np.float64]":
        """``count`` independent draws, float64. Two draws of n are the same as one of 2n."""
        import numpy as np

        told = self.parameters
        match self.kind:
            case "triangular" if told[0] < told[2]:
                return generator.triangular(told[0], told[1], told[2], count)
            case "uniform" if told[0] < told[1]:
                return generator.uniform(told[0], told[1], count)
            case "normal":
                return generator.normal(told[0], told[1], count)
            case "lognormal":
                return generator.lognormal(told[0], told[1], count)
            case "discrete":
                values, shares = self.outcomes
                reached = np.cumsum(shares)[:-1]
                found: NDArray[np.float64] = np.asarray(values)[reached.searchsorted(generator.random(count), "right")]
                return found
        return np.full(count, told[0])

    @property
    def outcomes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The values and the probabilities of a discrete one."""
        half = len(self.parameters) // 2
        return self.parameters[:half], self.parameters[half:]

    def moment(self, order: int) -> float:
        """E[X^order]. Raises OverflowError where it is beyond a float."""
        told = self.parameters
        match self.kind:
            case "uniform":
                return _symmetric(told, order) / (order + 1)
            case (
                "triangular"
            ):  # the shadow of a triangle's uniform distribution, whose corners lie at low, mode and high
                return 2 * _symmetric(told, order) / ((order + 1) * (order + 2))
            case "normal":
                before, moment = 0.0, 1.0
                for k in range(1, order + 1):
                    before, moment = moment, told[0] * moment + (k - 1) * told[1] ** 2 * before
                return moment
            case "lognormal":
                return math.exp(order * told[0] + (order * told[1]) ** 2 / 2)
        return math.fsum(share * value**order for value, share in zip(*self.outcomes, strict=True))


def distribution(told: Mapping[str, Any], *, where: str) -> Distribution:
    """The distribution of ``{low, high, mode?}`` or of ``{distribution: {kind, parameters}}``.

    Raises:
        DecisionError: ``invalid_distribution``: parameters are missing, too many, in the wrong order or out of range.
    """
    if "distribution" in told:
        if extra := {"low", "high", "mode"} & told.keys():
            raise _refused(where, f"has a distribution and {sorted(extra)[0]}; give one of the two")
        kind, parameters = told["distribution"]["kind"], told["distribution"]["parameters"]
    elif "low" not in told or "high" not in told:
        raise _refused(where, "has no distribution; give low and high, or distribution{kind, parameters}")
    else:
        kind = "triangular" if "mode" in told else "uniform"
        parameters = {name: told[name] for name in ("low", "mode", "high") if name in told}
    if kind not in _READERS:
        raise _refused(where, f"is of no known kind; use {', '.join(_READERS)}")
    wanted, read = _READERS[kind]
    if set(parameters) != set(wanted):
        raise _refused(where, f"takes the parameters {', '.join(wanted)} for {kind}, each once and no other")
    return Distribution(kind, read([parameters[name] for name in wanted], where))


def _ordered(values: Sequence[Any], where: str) -> tuple[float, ...]:
    numbers = _numbers(values, where)
    if list(numbers) != sorted(numbers):
        raise _refused(where, "has bounds out of order; use low <= mode <= high")
    return numbers


def _spread(values: Sequence[Any], where: str) -> tuple[float, ...]:
    numbers = _numbers(values, where)
    if numbers[1] < 0:
        raise _refused(where, "has a negative spread; use zero or more")
    return numbers


def _logarithmic(values: Sequence[Any], where: str) -> tuple[float, ...]:
    numbers = _spread(values, where)
    if abs(numbers[0]) > 300 or numbers[1] > 20:
        raise _refused(where, "is too wide; mu is between -300 and 300 and sigma at most 20, both of the logarithm")
    return numbers


def _outcomes(values: Sequence[Any], where: str) -> tuple[float, ...]:
    if not all(isinstance(one, list | tuple) for one in values) or len(values[0]) != len(values[1]) or not values[0]:
        raise _refused(where, "needs values and probabilities as lists of one length, at least 1")
    if len(values[0]) > MAX_OUTCOMES:
        raise _refused(where, f"has {len(values[0])} outcomes; use at most {MAX_OUTCOMES}")
    outcomes, shares = _numbers(values[0], where), _numbers(values[1], where)
    if min(shares) < 0 or abs(math.fsum(shares) - 1) > _TOLERANCE:
        raise _refused(where, "has probabilities that are negative or do not sum to 1")
    return outcomes + shares


def _numbers(values: Sequence[Any], where: str) -> tuple[float, ...]:
    for one in values:
        if isinstance(one, bool) or not isinstance(one, int | float) or not abs(one) <= _LARGEST:
            raise _refused(where, f"has a parameter that is no finite number up to {_LARGEST:g}")
    return tuple(float(one) for one in values)


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Sequence[Any], str], tuple[float, ...]]]] = {
    "triangular": (("low", "mode", "high"), _ordered),
    "uniform": (("low", "high"), _ordered),
    "normal": (("mean", "sd"), _spread),
    "lognormal": (("mu", "sigma"), _logarithmic),
    "discrete": (("values", "probabilities"), _outcomes),
}
KINDS = tuple(_READERS)


def _symmetric(numbers: Sequence[float], order: int) -> float:
    """The complete homogeneous symmetric polynomial: the sum of all products of ``order`` of them, with repetition."""
    sums = [1.0] + [0.0] * order
    for number in numbers:
        for degree in range(1, order + 1):
            sums[degree] += number * sums[degree - 1]
    return sums[order]


def _refused(where: str, problem: str) -> DecisionError:
    return DecisionError("invalid_distribution", f"{where} {problem}")
