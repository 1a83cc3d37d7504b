"""The seven tools as a caller is told of them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..model.json_object import JsonObject
from ..profiles import shipped
from .execution.receipt import FIELDS
from .plan import PLAN
from .simulation.arguments import RECOMMEND, SIMULATE

EXECUTE = "execute_decision"
MAX_TEXT = 4_000
"""Characters of a rationale."""

_ID = {"type": "string", "minLength": 1, "maxLength": 128}
_NOTHING = JsonObject({"type": "object", "properties": {}, "additionalProperties": False})
_LOG = JsonObject(
    {
        "type": "object",
        "properties": {
            "chosen_action": {"type": "string", "minLength": 1, "maxLength": 256},
            "run_id": {
                **_ID,
                "description": "The simulation that it rests on; its confidence and risk are copied from there.",
            },
            "rationale": {"type": "string", "maxLength": MAX_TEXT},
        },
        "required": ["chosen_action"],
        "additionalProperties": False,
    }
)
_EXECUTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decision_id": {**_ID, "description": "What log_decision answered."},
        "webhook_url": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2048,
            "description": "An https URL at a host that the engine's operator allows.",
        },
        "timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 60},
        "metadata": {"type": "object", "description": "Handed on to the webhook as it is."},
    },
    "required": ["decision_id", "webhook_url"],
    "additionalProperties": False,
}
BREAK_GLASS: dict[str, Any] = {
    "force": {"type": "boolean", "description": "Execute once more what was delivered.", "default": False},
    "override_safety": {"type": "boolean", "description": "Pass over confidence and risk_floor.", "default": False},
}
"""Of the operator's interface. An engine whose file says ``break_glass_advertised`` shows them to every caller, so that
somebody can prove that an integration takes them away.
"""

_LOGGED = JsonObject(
    {
        "type": "object",
        "properties": {"decision_id": {"type": "string"}, "created_at": {"type": "string"}},
        "required": ["decision_id", "created_at"],
        "additionalProperties": False,
    }
)
_RECEIPT = JsonObject(
    {
        "type": "object",
        "properties": {
            **{name: {"type": "string"} for name in FIELDS},
            "execution_status": {"enum": ["delivered", "failed"]},
            "response_code": {"type": ["integer", "null"]},
            "safety_overridden": {"type": "boolean"},
        },
        "required": list(FIELDS),
        "additionalProperties": False,
    }
)


class Tool(NamedTuple):
    """``output_schema`` is None where an answer's members depend on the data."""

    name: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    read_only: bool
    idempotent: bool


def tools(query: JsonObject, *, break_glass: bool = False) -> Mapping[str, Tool]:
    """All seven, in the contract's order. ``query`` is what ``query_data`` takes of these datasets."""
    return {tool.name: tool for tool in _told(query, break_glass)}


def _told(query: JsonObject, break_glass: bool) -> Iterator[Tool]:
    execute = {**_EXECUTE, "properties": {**_EXECUTE["properties"], **(BREAK_GLASS if break_glass else {})}}
    inputs: dict[str, JsonObject] = {
        "get_contract": _NOTHING,
        "query_data": query,
        "simulate": SIMULATE,
        "recommend": RECOMMEND,
        "plan_decision": PLAN,
        "log_decision": _LOG,
        EXECUTE: JsonObject(execute),
    }
    outputs = {"log_decision": _LOGGED, EXECUTE: _RECEIPT}
    for name, known in shipped().tools.items():
        yield Tool(name, known.description, inputs[name], outputs.get(name), known.read_only, known.read_only)


__all__ = ["BREAK_GLASS", "EXECUTE", "Tool", "tools"]
