"""An expression over NumPy arrays: one operation of NumPy for each node, on columns of draws."""

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

from ..expression import Name, Node, Number, Operation, fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST = 1e150
"""Beyond it, a square overflows, and with it a variance."""


def evaluate(node: Node, columns: "Mapping[str, NDArray[np.float64]]", count: int) -> "NDArray[np.float64]":
    """``count`` values, float64, one for each draw.

    Follows IEEE 754 and stops at nothing: a division by zero, a logarithm of what is not positive and an overflow give
    infinities and NaN, which the caller has to look for.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        values = fold(node, lambda one, values: _applied(one, values, columns))
        return np.asarray(values, dtype=np.float64) if np.ndim(values) else np.full(count, float(values))


def undefined(values: "NDArray[np.float64]") -> int:
    """How many of the values are no number up to ``LARGEST``."""
    import numpy as np

    return len(values) - int(np.count_nonzero(np.abs(values) <= LARGEST))


def _applied(node: Node, values: list[Any], columns: Mapping[str, Any]) -> Any:
    import numpy as np

    match node:
        case Number(value):
            return np.float64(value)
        case Name(name):
            return columns[name]
        case Operation("min" | "max" as named, _):
            return reduce(_operations()[named], values)
        case Operation(named, _):
            return _operations()[named](*values)


@lru_cache(maxsize=1)
def _operations() -> dict[str, Callable[..., Any]]:
    import numpy as np

    return {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "**": operator.pow,
        "negative": operator.neg,
        "<": lambda a, b: np.less(a, b) + 0.0,
        "<=": lambda a, b: np.less_equal(a, b) + 0.0,
        ">": lambda a, b: np.greater(a, b) + 0.0,
        ">=": lambda a, b: np.greater_equal(a, b) + 0.0,
        "==": lambda a, b: np.equal(a, b) + 0.0,
        "!=": lambda a, b: np.not_equal(a, b) + 0.0,
        "if": lambda condition, then, otherwise: np.where(condition != 0, then, otherwise),
        "min": np.minimum,
        "max": np.maximum,
        "abs": np.abs,
        "sqrt": np.sqrt,
        "exp": np.exp,
        "log": np.log,
        "floor": np.floor,
        "ceil": np.ceil,
    }
