"""A recommendation without a simulation: moments in closed form, or a small sample that the answer names."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..error import DecisionError
from ..expression import Node, names
from ..fit import fitted
from .arguments import RECOMMEND
from .distribution import Distribution
from .evaluate import evaluate, undefined
from .polynomial import moments
from .run import Figure
from .scenario import MAX_VARIABLES, UNIT, label, objective, variables

POINTS = 1_024
"""Of a sample, at most; the same points at every call."""

CLOSED_FORM = "closed_form"
SAMPLE = "sample"


class Estimate(NamedTuple):
    """What one action is expected to bring, in the objective's unit. The standard error of a closed form is zero."""

    action: str
    expected_value: Figure
    standard_deviation: float
    method: str

    def document(self) -> dict[str, Any]:
        unit = self.expected_value.unit
        return {
            "action": self.action,
            "expected_value": self.expected_value._asdict(),
            "standard_deviation": {"value": self.standard_deviation, "unit": unit},
            "method": self.method,
            "points": POINTS if self.method == SAMPLE else 0,
        }


def recommend(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """``{recommended_action, ranking, method, points, rationale}`` of ``arguments`` (``RECOMMEND`` is their schema).

    ``ranking`` begins with the highest expected value. ``method`` is ``closed_form`` where every action has exact
    moments, else ``sample``. There is no run, so nothing can be logged with its numbers.

    Raises:
        DecisionError: as ``simulate`` does, but for ``simulation_too_large`` and ``simulation_stopped``.
    """
    ranking = estimates(fitted(RECOMMEND, arguments, where="recommend"))
    first, second = ranking[0], ranking[1]
    sampled = any(one.method == SAMPLE for one in ranking)
    how = f"a sample of {POINTS} points" if sampled else "moments in closed form"
    return {
        "recommended_action": first.action,
        "ranking": [one.document() for one in ranking],
        "method": SAMPLE if sampled else CLOSED_FORM,
        "points": POINTS if sampled else 0,
        "rationale": f"{first.action} has the highest expected value, {first.expected_value}, before {second.action} "
        f"with {second.expected_value}; from {how}, without a simulation.",
    }


def estimates(told: Mapping[str, Any]) -> list[Estimate]:
    """The actions of fitted arguments, the highest expected value first; equals stay in their order."""
    unit = label(told.get("unit", UNIT), where="the unit")
    if sum(len(one["variables"]) for one in told["actions"]) > MAX_VARIABLES:
        raise DecisionError("invalid_variable", f"the actions have more than {MAX_VARIABLES} variables; use fewer")
    found: dict[str, Estimate] = {}
    for one in told["actions"]:
        name = label(one["name"], where="the name of an action")
        if name in found:
            raise DecisionError("invalid_arguments", f"the action {name} stands there twice; name each once")
        known = variables(one["variables"], where=name)
        found[name] = _estimate(name, objective(one["objective"], known, where=f"the objective of {name}"), known, unit)
    return sorted(found.values(), key=lambda one: -one.expected_value.value)


def _estimate(action: str, gained: Node, known: Mapping[str, Distribution], unit: str) -> Estimate:
    exact = moments(gained, known)
    if exact is not None:
        return Estimate(action, Figure(exact.mean, unit, 0.0), math.sqrt(exact.variance), CLOSED_FORM)
    mean, deviation = _sampled(action, gained, known)
    return Estimate(action, Figure(mean, unit, deviation / math.sqrt(POINTS)), deviation, SAMPLE)


def _sampled(action: str, gained: Node, known: Mapping[str, Distribution]) -> tuple[float, float]:
    import numpy as np

    used = names(gained)
    columns = {}
    for (name, law), child in zip(known.items(), np.random.SeedSequence(0).spawn(len(known)), strict=True):
        if name in used:
            columns[name] = law.draw(np.random.Generator(np.random.PCG64(child)), POINTS)
    values = evaluate(gained, columns, POINTS)
    if undefined(values):
        raise DecisionError(
            "objective_undefined",
            f"the objective of {action} has no finite value somewhere; write it so that it is defined everywhere",
        )
    return float(values.mean()), float(values.std(ddof=1))
