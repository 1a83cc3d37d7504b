"""The plan of a decision: options, risk and rationale from stored runs, put together for somebody to read.

Nothing is executed and nothing is stored.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from ..model.json_object import JsonObject
from .error import DecisionError
from .fit import fitted
from .simulation.arguments import RECOMMEND
from .simulation.recommend import Estimate, estimates
from .simulation.run import Option, Run

MAX_RUNS = 16
MAX_CONTEXT = 4_000
"""Characters of what a caller adds in words."""

_RECOMMEND = RECOMMEND["properties"]
PLAN = JsonObject(
    {
        "type": "object",
        "description": "Give run_ids of simulations, or actions as recommend takes them.",
        "properties": {
            "run_ids": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 128},
                "minItems": 1,
                "maxItems": MAX_RUNS,
                "uniqueItems": True,
            },
            "actions": _RECOMMEND["actions"],
            "unit": _RECOMMEND["unit"],
            "context": {"type": "string", "maxLength": MAX_CONTEXT},
        },
        "additionalProperties": False,
    }
)
"""The schema of ``plan_decision``."""


class RunStore(Protocol):
    """Where finished runs are kept, tenant by tenant."""

    def get(self, tenant: str, run_id: str) -> Run | None:
        """The run of this id, if it is this tenant's; None for an id that is unknown or another's."""
        ...


class _Choice(NamedTuple):
    """An option of a plan, wherever its figures come from."""

    action: str
    expected: float
    unit: str
    document: dict[str, Any]


def plan_decision(tenant: str, arguments: Mapping[str, Any], runs: RunStore) -> dict[str, Any]:
    """``{options, recommended_action, risk, rationale, run_ids, executes, context?}``.

    ``recommended_action`` is that of the highest expected value, or null where the options have several units, or where
    the only option is not expected to gain. ``risk`` is of the recommended option; null without a run behind it.
    ``executes`` is false: a plan starts nothing.

    Raises:
        DecisionError: ``invalid_arguments``; ``run_not_found`` (404), alike for another tenant's; with actions, as
            ``recommend`` does.
    """
    told = fitted(PLAN, arguments, where="plan_decision")
    if ("run_ids" in told) == ("actions" in told):
        raise DecisionError("invalid_arguments", "plan_decision: give run_ids or actions, one of the two")
    if "actions" in told:
        choices = [_estimated(one) for one in estimates(told)]
    elif "unit" in told:
        raise DecisionError("invalid_arguments", "plan_decision: the unit of a run is its own; leave it out")
    else:
        choices = [
            _simulated(option, run_id) for run_id in told["run_ids"] for option in _run(tenant, run_id, runs).options
        ]
    chosen, why = _chosen(choices)
    plan: dict[str, Any] = {
        "options": [one.document for one in choices],
        "recommended_action": chosen.action if chosen else None,
        "risk": chosen.document.get("risk") if chosen else None,
        "rationale": why,
        "run_ids": told.get("run_ids", []),
        "executes": False,
    }
    if "context" in told:
        plan["context"] = told["context"]
    return plan


def _run(tenant: str, run_id: str, runs: RunStore) -> Run:
    run = runs.get(tenant, run_id)
    if run is None:
        raise DecisionError("run_not_found", "there is no such run; give the run_id that simulate answered", status=404)
    return run


def _simulated(option: Option, run_id: str) -> _Choice:
    figures = option.document()
    risk = {name: figures[name] for name in ("probability_of_loss", "p5_downside", "p95_upside")}
    document = {
        "action": option.action,
        "run_id": run_id,
        "expected_value": figures["expected_value"],
        "share_best": figures["best"],
        "risk": risk,
    }
    return _Choice(option.action, option.expected_value.value, option.expected_value.unit, document)


def _estimated(one: Estimate) -> _Choice:
    return _Choice(one.action, one.expected_value.value, one.expected_value.unit, one.document())


def _chosen(choices: list[_Choice]) -> tuple[_Choice | None, str]:
    units = sorted({one.unit for one in choices})
    if len(units) > 1:
        return None, f"The options are in different units ({', '.join(units)}), so none is above another."
    best = max(choices, key=lambda one: one.expected)
    figure = best.document["expected_value"]
    said = f"{figure['value']:.6g} {best.unit} (standard error {figure['standard_error']:.3g} {best.unit})"
    if len(choices) == 1:
        if best.expected <= 0:
            return None, f"The only option, {best.action}, is expected to bring {said}: nothing speaks for it."
        return best, f"The only option, {best.action}, is expected to bring {said}."
    return best, f"Of {len(choices)} options, {best.action} has the highest expected value: {said}."
