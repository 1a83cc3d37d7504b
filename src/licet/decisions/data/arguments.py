"""What ``query_data`` takes, as a JSON Schema: one query, or a batch of them."""

from typing import Any

from ...model.json_object import JsonObject
from .dataset import AGGREGATIONS

MAX_ROWS = 10_000
"""Of one answer."""

USUAL_ROWS = 1_000
MAX_BATCH = 16
MAX_LIST = 1_000
"""Values of one ``in``."""

VALUE = "value"
"""What the aggregate is called in ``order`` and in the answer."""

_NAME = {"type": "string", "minLength": 1, "maxLength": 200}
_SCALAR = {"type": ["string", "number", "boolean"], "maxLength": 1_000}
_QUERY: dict[str, Any] = {
    "dataset_id": _NAME,
    "metric": {**_NAME, "description": "A metric or a column; left out, rows are counted."},
    "aggregation": {"enum": list(AGGREGATIONS)},
    "group_by": {"type": "array", "items": _NAME, "maxItems": 8, "uniqueItems": True},
    "filter": {
        "type": "array",
        "description": "All of these hold. in and not_in take a list, between two values, is_null and not_null none.",
        "maxItems": 32,
        "items": {
            "type": "object",
            "properties": {
                "column": _NAME,
                "op": {
                    "enum": "eq ne lt le gt ge in not_in between contains is_null not_null".split(),
                },
                "value": {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR, "minItems": 1, "maxItems": MAX_LIST}]},
            },
            "required": ["column", "op"],
            "additionalProperties": False,
        },
    },
    "order": {
        "type": "array",
        "description": f"By grouped columns, or by {VALUE}.",
        "maxItems": 9,
        "items": {
            "type": "object",
            "properties": {"by": _NAME, "direction": {"enum": ["asc", "desc"]}},
            "required": ["by"],
            "additionalProperties": False,
        },
    },
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_ROWS},
}
_NEEDED = ["dataset_id", "aggregation"]
_ONE = {"type": "object", "properties": _QUERY, "required": _NEEDED, "additionalProperties": False}

QUERY = JsonObject(
    {
        "type": "object",
        "properties": {
            **_QUERY,
            "queries": {"type": "array", "items": _ONE, "minItems": 1, "maxItems": MAX_BATCH},
        },
        "additionalProperties": False,
        "oneOf": [
            {"required": _NEEDED, "not": {"required": ["queries"]}},
            {"required": ["queries"], "maxProperties": 1},
        ],
    }
)
"""The schema of ``query_data``."""
