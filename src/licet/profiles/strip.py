"""A schema without the fields that no model may see, wherever a schema can name them."""

from collections.abc import Mapping
from typing import Any

from ..model.json_object import JsonObject
from .fields import Fields

_POINTS = ("$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$id", "pattern")
"""Keywords whose text is no prose: one that mentions a field goes as a whole."""

_IMPOSSIBLE: Mapping[str, Any] = {"not": {}}
"""In place of a schema that allowed nothing but a field's name."""


def stripped(schema: Mapping[str, Any], fields: Fields) -> JsonObject:
    """The same schema, the same object where it names none.

    It goes by what stands there, not by a list of keywords, so that a keyword of tomorrow hides nothing. Members that
    are called like a field go, with all below them: properties, definitions, members of defaults, constants, examples.
    Items that are a field's name go from lists: required, enum, dependentRequired. A pattern or a reference that
    mentions one goes. Of texts the sentences go that mention one.
    """
    held = JsonObject.of(schema)
    plain = held.copy()
    told = _without(plain, fields)
    return held if told == plain else JsonObject(told)


def _without(value: Any, fields: Fields) -> Any:
    if isinstance(value, dict):
        return _members(value, fields)
    if isinstance(value, list):
        return [_without(item, fields) for item in value if not _is_name(item, fields)]
    return fields.unmentioned(value) if isinstance(value, str) else value


def _members(value: dict[str, Any], fields: Fields) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, held in value.items():
        if fields.is_one(key) or (key in _POINTS and isinstance(held, str) and fields.is_mentioned(held)):
            continue
        if key == "const" and _is_name(held, fields):
            return dict(_IMPOSSIBLE)
        if key == "patternProperties" and isinstance(held, dict):
            held = {pattern: below for pattern, below in held.items() if not fields.is_mentioned(pattern)}
        without = _without(held, fields)
        if key == "enum" and without == [] and held:
            return dict(_IMPOSSIBLE)
        told[key] = without
    return told


def _is_name(value: Any, fields: Fields) -> bool:
    return isinstance(value, str) and fields.is_one(value)


__all__ = ["stripped"]
