"""Eight tools with every kind of argument, which do nothing but say so."""

from typing import Any

from licet.catalog import Tool
from licet.model.context import CallContext
from licet.model.tool import ToolCapability, ToolSpec

_TIME = {
    "type": "object",
    "properties": {
        "hour": {"type": "integer", "minimum": 0, "maximum": 23},
        "minute": {"type": "integer", "minimum": 0, "maximum": 59},
    },
    "required": ["hour", "minute"],
    "additionalProperties": False,
}
_NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "maxItems": 3},
    },
    "required": ["name"],
    "additionalProperties": False,
}
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def _object(properties: dict[str, Any], *required: str, **rest: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **rest,
    }


_PERSON = _object({"name": {"type": "string", "maxLength": 60}, "team": {"type": "string", "maxLength": 30}}, "name")
_CHANNEL = _object(
    {"kind": {"const": "channel"}, "channel": {"enum": ["general", "random", "help"]}}, "kind", "channel"
)
_DIRECT = _object({"kind": {"const": "person"}, "person": {"type": "string", "maxLength": 40}}, "kind", "person")
_FILTER = _object(
    {
        "field": {"enum": ["author", "year", "language"]},
        "op": {"enum": ["=", "<", ">"]},
        "value": {"oneOf": [{"type": "string", "maxLength": 40}, {"type": "integer", "minimum": 0, "maximum": 3000}]},
    },
    "field",
    "op",
    "value",
)
_CORNER = {"type": "integer", "minimum": 0, "maximum": 4095}

SURFACE: dict[str, tuple[str, dict[str, Any]]] = {
    "create_ticket": (
        "Open a ticket for a fault.",
        _object(
            {
                "title": {"type": "string", "minLength": 3, "maxLength": 80},
                "priority": {"enum": ["low", "normal", "high"]},
                "labels": {"type": "array", "items": {"enum": ["bug", "docs", "speed"]}, "maxItems": 3},
                "assignee": _PERSON,
            },
            "title",
            "priority",
        ),
    ),
    "resize_image": (
        "Change the size of a picture.",
        _object(
            {
                "width": {"type": "integer", "minimum": 1, "maximum": 4096},
                "height": {"type": "integer", "minimum": 1, "maximum": 4096},
                "mode": {"enum": ["fit", "fill", "stretch"]},
                "crop": _object({"x": _CORNER, "y": _CORNER}, "x", "y"),
            },
            "width",
            "height",
        ),
    ),
    "send_message": (
        "Send a message to a channel or to one person.",
        _object(
            {"to": {"oneOf": [_CHANNEL, _DIRECT]}, "body": {"type": "string", "minLength": 1, "maxLength": 200}},
            "to",
            "body",
        ),
    ),
    "search_books": (
        "Search the library.",
        _object(
            {
                "query": {"type": "string", "maxLength": 80},
                "filters": {"type": "array", "items": _FILTER, "maxItems": 2},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            },
            "query",
        ),
    ),
    "set_schedule": (
        "Say when the heating is on.",
        _object(
            {
                "days": {
                    "type": "array",
                    "items": {"enum": _DAYS},
                    "minItems": 1,
                    "maxItems": 7,
                    "uniqueItems": True,
                },
                "start": {"$ref": "#/$defs/Time"},
                "end": {"$ref": "#/$defs/Time"},
            },
            "start",
            "end",
            **{"$defs": {"Time": _TIME}},
        ),
    ),
    "plan_menu": (
        "Put a menu of several levels together.",
        _object({"root": {"$ref": "#/$defs/Node"}}, "root", **{"$defs": {"Node": _NODE}}),
    ),
    "convert_money": (
        "Change an amount from one currency into another.",
        _object(
            {
                "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000},
                "source": {"enum": ["EUR", "USD", "JPY"]},
                "target": {"enum": ["EUR", "USD", "JPY"]},
                "note": {"type": ["string", "null"], "maxLength": 40},
                "steps": {"type": "integer", "minimum": 5, "maximum": 100, "multipleOf": 5},
            },
            "amount",
            "source",
            "target",
        ),
    ),
    "tag_file": (
        "Attach tags with their weights to a file.",
        _object(
            {
                "path": {"type": "string", "pattern": "^[^\\x00]+$", "maxLength": 80},
                "tags": {
                    "type": "object",
                    "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 10},
                    "maxProperties": 3,
                },
                "public": {"type": "boolean"},
            },
            "path",
        ),
    ),
}
"""Name, description and schema of each."""


class Counting:
    """A transport that counts what reaches it."""

    kind = "counting"
    wants_context = False

    def __init__(self) -> None:
        self.reached = 0

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        self.reached += 1
        return {"done": True}


def tools(transport: Counting) -> list[Tool]:
    """All of them over one transport."""
    capability = ToolCapability(read_only=True, idempotent=True)
    return [
        Tool(ToolSpec(name=name, description=told, input_schema=schema, capabilities=capability), transport)
        for name, (told, schema) in SURFACE.items()
    ]


__all__ = ["SURFACE", "Counting", "tools"]
