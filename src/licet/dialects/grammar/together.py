"""Several schemas that a value has to fit at once, as one."""

from collections.abc import Callable
from typing import Any

from .origin import Origin

Lost = Callable[[dict[str, Any], str, str], None]
"""Told of a schema, a keyword in it, and what became of that."""

_HIGHEST = frozenset({"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"})
_LOWEST = frozenset({"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"})
_SCHEMAS = frozenset({"items", "additionalProperties"})
_ANY_OF_THEM = frozenset({"description", "title", "default", "examples", "$schema", "$id", "$comment"})


def together(parts: list[Any], origin: Origin, lost: Lost) -> Any:
    """One schema for all of them; a keyword that cannot be said twice keeps its first word, and the other is lost."""
    if any(part is False for part in parts):
        return False
    schemas = [part for part in parts if isinstance(part, dict)]
    if len(schemas) == 1:
        return schemas[0]
    merged: dict[str, Any] = {}
    places: dict[str, str] = {}
    for part in schemas:
        for key, value in part.items():
            if key not in merged:
                merged[key], places[key] = value, origin.at(part, key)
            elif merged[key] != value:
                both = _both(key, merged[key], value)
                if both is None:
                    lost(part, key, "dropped: another one stands beside it")
                else:
                    merged[key] = both
    for part in schemas:
        _close(merged, part)
    return origin.put_together(merged, places)


def _close(merged: dict[str, Any], part: dict[str, Any]) -> None:
    """What one part says of members that it does not name holds for those that another part names."""
    extra = part.get("additionalProperties", True)
    if extra is True or "patternProperties" in part or "properties" not in merged:
        return
    named = part.get("properties", {})
    merged["properties"] = {
        name: below if name in named else False if extra is False else {"allOf": [below, extra]}
        for name, below in merged["properties"].items()
    }


def _both(key: str, one: Any, other: Any) -> Any:
    """What says both, or None. The first of two notes stands for both."""
    if key in _ANY_OF_THEM:
        return one
    if key in _HIGHEST:
        return max(one, other)
    if key in _LOWEST:
        return min(one, other)
    if key == "required":
        return list(dict.fromkeys([*one, *other]))
    if key == "enum":
        return [value for value in one if value in other]
    if key == "type":
        return _types(one, other)
    if key == "properties":
        return {name: _pair(one, other, name) for name in dict.fromkeys([*one, *other])}
    if key in ("$defs", "definitions"):
        return {**other, **one}
    if key == "allOf":
        return [*one, *other]
    if key in _SCHEMAS:
        return False if one is False or other is False else {"allOf": [one, other]}
    return None


def _pair(one: dict[str, Any], other: dict[str, Any], name: str) -> Any:
    if name in one and name in other and one[name] != other[name]:
        return {"allOf": [one[name], other[name]]}
    return one.get(name, other.get(name))


def _types(one: Any, other: Any) -> list[str]:
    first, second = (value if isinstance(value, list) else [value] for value in (one, other))
    kept = [name for name in first if name in second or (name == "integer" and "number" in second)]
    return kept + [name for name in second if name == "integer" and "number" in first and name not in kept]


__all__ = ["Lost", "together"]
