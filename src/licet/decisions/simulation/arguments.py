"""What ``simulate`` and ``recommend`` take, as JSON Schemas."""

from typing import Any

from ...model.json_object import JsonObject
from .distribution import KINDS, MAX_OUTCOMES
from .scenario import MAX_ACTIONS, MAX_VARIABLES

_NUMBERS = {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": MAX_OUTCOMES}
_LABEL = {"type": "string", "minLength": 1, "maxLength": 64}
_VARIABLE: dict[str, Any] = {
    "type": "object",
    "description": "Triangular with low, mode and high, uniform with low and high, or any distribution.",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 64},
        "low": {"type": "number"},
        "high": {"type": "number"},
        "mode": {"type": "number"},
        "distribution": {
            "type": "object",
            "description": "Parameters: triangular low, mode, high; uniform low, high; normal mean, sd; lognormal mu, "
            "sigma of the logarithm; discrete values, probabilities.",
            "properties": {
                "kind": {"enum": list(KINDS)},
                "parameters": {
                    "type": "object",
                    "additionalProperties": {"anyOf": [{"type": "number"}, _NUMBERS]},
                    "maxProperties": 3,
                },
            },
            "required": ["kind", "parameters"],
            "additionalProperties": False,
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}
_VARIABLES = {"type": "array", "items": _VARIABLE, "minItems": 1, "maxItems": MAX_VARIABLES}
_OBJECTIVE = {
    "type": "string",
    "description": "What is gained in one draw: numbers, names of variables, + - * / **, a comparison, a if c else b, "
    "min, max, abs, sqrt, exp, log, floor, ceil.",
    "minLength": 1,
}
_UNIT = {**_LABEL, "description": "The unit of the objective, such as EUR."}

SIMULATE = JsonObject(
    {
        "type": "object",
        "properties": {
            "variables": _VARIABLES,
            "objective": {
                "description": "One expression; or one for each action that is compared, by the action's name.",
                "anyOf": [
                    _OBJECTIVE,
                    {
                        "type": "object",
                        "additionalProperties": _OBJECTIVE,
                        "minProperties": 1,
                        "maxProperties": MAX_ACTIONS,
                    },
                ],
            },
            "n_simulations": {"type": "integer", "minimum": 1, "description": "Times variables at most 100,000,000."},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
            "unit": _UNIT,
        },
        "required": ["variables", "objective", "n_simulations"],
        "additionalProperties": False,
    }
)
RECOMMEND = JsonObject(
    {
        "type": "object",
        "properties": {
            "actions": {
                "type": "array",
                "minItems": 2,
                "maxItems": MAX_ACTIONS,
                "items": {
                    "type": "object",
                    "properties": {"name": _LABEL, "variables": _VARIABLES, "objective": _OBJECTIVE},
                    "required": ["name", "variables", "objective"],
                    "additionalProperties": False,
                },
            },
            "unit": _UNIT,
        },
        "required": ["actions"],
        "additionalProperties": False,
    }
)
