"""Schemas of one type, each with the bounds that a grammar needs."""

import math
from collections.abc import Callable
from typing import Any

from .bounds import MOST_CHARACTERS_OF_A_KEY, Bounds
from .numerals import integers_of, is_held, span_of
from .together import Lost

SIZES = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
HELD: dict[str, frozenset[str]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "unevaluatedProperties", "minProperties", "maxProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "additionalItems", "unevaluatedItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset(SIZES),
    "number": frozenset(SIZES),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords of each type that what comes out holds, or holds within its bounds."""

Lower = Callable[[Any, int], dict[str, Any] | None]


class Typed:
    """Lowers a schema as if it had one type. ``lower`` does that for what is inside it."""

    def __init__(self, bounds: Bounds, lower: Lower, lose: Lost) -> None:
        self._bounds = bounds
        self._lower = lower
        self._lose = lose

    def of(self, name: str, schema: dict[str, Any], levels: int) -> dict[str, Any] | None:
        """None: nothing of this type fits the schema, or nothing that can be written."""
        match name:
            case "object":
                return self._object(schema, levels)
            case "array":
                return self._array(schema, levels)
            case "string":
                return self._text(schema)
            case "integer":
                low, high = integers_of(schema)
                return {"type": "integer", "minimum": low, "maximum": high} if low <= high else None
            case "number":
                return self._number(schema)
        return {"type": name}

    def _text(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        if most is not None and most < least:
            return None
        bound = max(least, self._bounds.characters)
        if most is not None and most > bound:
            self._lose(schema, "maxLength", str(bound))
        return _sized({"type": "string"}, "Length", least, bound if most is None else min(most, bound))

    def _number(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        span = span_of(schema)
        if span.low > span.high:
            return None
        if not is_held(span):
            for key in SIZES:
                if key in schema:
                    self._lose(schema, key, "the whole numbers around it")
            low, high = math.floor(span.low), math.floor(span.high) + 1
            return {"type": "number", "minimum": low, "maximum": high}
        least = "exclusiveMinimum" if span.low_open else "minimum"
        most = "exclusiveMaximum" if span.high_open else "maximum"
        return {"type": "number", least: span.low, most: span.high}

    def _array(self, schema: dict[str, Any], levels: int) -> dict[str, Any] | None:
        items = schema.get("items", True)
        row = schema.get("prefixItems", [])
        if isinstance(items, list):  # up to draft 2019-09
            row, items = items, schema.get("additionalItems", True)
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if most is not None and most < least:
            return None
        if row:
            return self._row(row, items, max(least, min(len(row), len(row) if most is None else most)), levels)
        bound = max(least, self._bounds.items)
        if most is not None and most > bound:
            self._lose(schema, "maxItems", str(bound))
        lowered = self._lower(items, levels)
        if lowered is None:
            return None if least else {"type": "array", "items": {"type": "null"}, "minItems": 0, "maxItems": 0}
        return _sized({"type": "array", "items": lowered}, "Items", least, bound if most is None else min(most, bound))

    def _row(self, row: list[Any], items: Any, length: int, levels: int) -> dict[str, Any] | None:
        """As long as the schema demands, or as its row is."""
        lowered = [self._lower(row[place] if place < len(row) else items, levels) for place in range(length)]
        if any(one is None for one in lowered):
            return None
        return {"type": "array", "prefixItems": lowered, "items": False, "minItems": length, "maxItems": length}

    def _object(self, schema: dict[str, Any], levels: int) -> dict[str, Any] | None:
        properties, required = schema.get("properties", {}), list(dict.fromkeys(schema.get("required", [])))
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        if not properties and not required and "properties" not in schema:
            patterns = schema.get("patternProperties", {})
            extra = next(iter(patterns.values())) if patterns and extra is False else extra
            return self._map(schema, extra, levels)
        lowered: dict[str, Any] = {}
        for name in dict.fromkeys([*required, *properties]):
            one = self._lower(properties.get(name, extra), levels)
            if one is not None:
                lowered[name] = one
            elif name in required:
                return None
        if "additionalProperties" in schema and extra is not False:
            self._lose(schema, "additionalProperties", "false")
        if schema.get("minProperties", 0) > len(required):
            self._lose(schema, "minProperties", "dropped")
        if schema.get("maxProperties", len(lowered)) < len(lowered):
            self._lose(schema, "maxProperties", "dropped")
        return {"type": "object", "properties": lowered, "required": required, "additionalProperties": False}

    def _map(self, schema: dict[str, Any], extra: Any, levels: int) -> dict[str, Any] | None:
        """Members of any name. A grammar does not keep a name from being written twice."""
        least, most = schema.get("minProperties", 0), schema.get("maxProperties")
        values = None if extra is False else self._lower(extra, levels)
        if values is None or most == 0:
            return None if least else _closed()
        bound = max(least, self._bounds.members)
        told = f"at most {bound if most is None else min(most, bound)} members, a name perhaps twice"
        self._lose(schema, "additionalProperties" if "additionalProperties" in schema else "type", told)
        name = {"type": "string", "maxLength": min(MOST_CHARACTERS_OF_A_KEY, self._bounds.characters)}
        made = {"type": "object", "propertyNames": name, "additionalProperties": values}
        return _sized(made, "Properties", least, bound if most is None else min(most, bound))


def _closed() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _sized(schema: dict[str, Any], what: str, least: int, most: int) -> dict[str, Any]:
    return {**schema, **({f"min{what}": int(least)} if least else {}), f"max{what}": int(most)}


__all__ = ["HELD", "SIZES", "Lower", "Typed"]
