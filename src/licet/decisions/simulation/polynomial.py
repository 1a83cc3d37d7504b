"""Mean and variance of a polynomial of independent variables, exactly, from their raw moments."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from ..expression import Name, Node, Number, Operation, fold
from .distribution import Distribution
from .evaluate import LARGEST

MAX_TERMS = 64
MAX_DEGREE = 4
"""Of one variable in one term."""

Powers = tuple[tuple[str, int], ...]
"""The variables of a term and their degrees, in the order of their names."""
Polynomial = dict[Powers, float]
"""The terms and their factors; the constant is the term without variables."""


class Moments(NamedTuple):
    """Of an objective, in its unit; the variance in its square."""

    mean: float
    variance: float


def moments(objective: Node, variables: Mapping[str, Distribution]) -> Moments | None:
    """The moments in closed form; None: the objective is no polynomial within the limits, or they are not finite."""
    try:
        terms = fold(objective, _polynomial)
        if terms is None:
            return None
        square = _product(terms, terms, MAX_TERMS**2, 2 * MAX_DEGREE)
        if square is None:
            return None
        mean, second = _expectation(terms, variables), _expectation(square, variables)
    except OverflowError:
        return None
    variance = second - mean * mean
    if not (abs(mean) <= LARGEST and math.isfinite(variance)):
        return None
    # What is left of a difference of nearly equal numbers may be below zero, by no more than their rounding.
    return Moments(mean, variance if variance > 1e-12 * abs(second) else max(variance, 0.0))


def _expectation(terms: Polynomial, variables: Mapping[str, Distribution]) -> float:
    return math.fsum(
        factor * math.prod(variables[name].moment(degree) for name, degree in powers)
        for powers, factor in terms.items()
    )


def _polynomial(node: Node, made: list[Polynomial | None]) -> Polynomial | None:
    match node:
        case Number(value):
            return {(): value}
        case Name(name):
            return {((name, 1),): 1.0}
        case Operation("negative", _):
            return _scaled(made[0], -1.0)
        case Operation("+" | "-" as sign, _):
            return _sum(made[0], _scaled(made[1], 1.0 if sign == "+" else -1.0))
        case Operation("*", _):
            return _product(made[0], made[1])
        case Operation("/", _):
            divisor = made[1]
            if divisor is None or divisor.keys() != {()} or divisor[()] == 0:
                return None
            return _scaled(made[0], 1 / divisor[()])
        case Operation("**", (_, Number(value))) if value in range(1, MAX_DEGREE + 1):
            power = made[0]
            for _ in range(int(value) - 1):
                power = _product(power, made[0])
            return power
    return None


def _scaled(terms: Polynomial | None, factor: float) -> Polynomial | None:
    return None if terms is None else {powers: factor * value for powers, value in terms.items()}


def _sum(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    if left is None or right is None:
        return None
    total = dict(left)
    for powers, value in right.items():
        total[powers] = total.get(powers, 0.0) + value
    return total if len(total) <= MAX_TERMS else None


def _product(
    left: Polynomial | None, right: Polynomial | None, most: int = MAX_TERMS, degree: int = MAX_DEGREE
) -> Polynomial | None:
    if left is None or right is None:
        return None
    total: Polynomial = {}
    for one, factor in left.items():
        for other, value in right.items():
            degrees = dict(one)
            for name, more in other:
                degrees[name] = degrees.get(name, 0) + more
            if degrees and max(degrees.values()) > degree:
                return None
            powers = tuple(sorted(degrees.items()))
            total[powers] = total.get(powers, 0.0) + factor * value
    return total if len(total) <= most else None
