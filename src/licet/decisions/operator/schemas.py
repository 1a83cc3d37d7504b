"""What each action of the operator's interface takes."""

from typing import Any

from ...model.json_object import JsonObject
from .desk import MOST_PATIENCE_S

_TEXT = {"type": "string", "minLength": 1, "maxLength": 128}
_EXECUTION: dict[str, Any] = {
    "tenant": _TEXT,
    "decision_id": _TEXT,
    "webhook_url": {"type": "string", "minLength": 1, "maxLength": 2048},
    "timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 60},
    "metadata": {"type": "object"},
    "force": {"type": "boolean"},
    "override_safety": {"type": "boolean"},
}
_NAMED = ("tenant", "decision_id", "webhook_url")


def _closed(properties: dict[str, Any], required: tuple[str, ...]) -> JsonObject:
    return JsonObject(
        {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    )


_ANSWER = _closed({"plan_hash": _TEXT, "nonce": _TEXT}, ("plan_hash", "nonce"))

ACTIONS = {
    "keys": _closed({}, ()),
    "enable": _closed({"key_id": _TEXT, "enabled": {"type": "boolean"}}, ("key_id", "enabled")),
    "execute": _closed(_EXECUTION, _NAMED),
    "propose": _closed(
        {
            **_EXECUTION,
            "expires_in_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_PATIENCE_S},
        },
        _NAMED,
    ),
    "approve": _ANSWER,
    "reject": _ANSWER,
    "execute_plan": _closed({"plan_hash": _TEXT}, ("plan_hash",)),
}
"""By name, as ``POST /v1/NAME`` takes them."""

__all__ = ["ACTIONS"]
