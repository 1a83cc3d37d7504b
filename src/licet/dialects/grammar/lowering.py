"""A registered schema as what a grammar can hold: few keywords, and a bound on everything that is written.

What comes out is JSON Schema again, of these shapes only: ``enum``; ``anyOf``; ``$ref`` into ``$defs``; a text with
its greatest length; an integer or a number with its bounds; ``boolean``; ``null``; an array of one kind of items or of
a fixed row of them; an object with named properties and no others; an object with any names and one kind of values.
"""

from collections.abc import Callable
from typing import Any

from ...schema.canonical import NotJson
from ...schema.strict import plain
from ..loss import Loss
from .bounds import Bounds
from .origin import REFERENCES, Origin
from .together import together
from .typed import HELD, SIZES, Typed

MOST_PARTS = 20_000
"""Schemas looked at for one tool, each as often as it is reached."""

_SILENT = frozenset({"$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs"})
_SILENT |= {"definitions", "description", "default", "type"}
_SCALARS = ("string", "number", "boolean", "null")
_ALL = ("object", "array", *_SCALARS)
_TELLING = (
    ("object", ("properties", "required", "additionalProperties", "patternProperties", "maxProperties")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")),
    ("string", ("pattern", "minLength", "maxLength", "format")),
    ("number", (*SIZES, "multipleOf")),
)
_TOLD = ("pattern", "format", "multipleOf", "uniqueItems", "default")
"""Said in the description, for the model to go by."""

_ANY = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]}


class TooManyPartsError(ValueError):
    """The schema unfolds to more than a grammar should hold."""


class Lowering:
    """Lowers one tool's schema under one set of bounds. ``definitions`` and ``losses`` are there once it did.

    ``name`` gives a fresh name for a definition, from the word that the schema has for it.
    """

    def __init__(self, tool: str, root: dict[str, Any], bounds: Bounds, name: Callable[[str], str]) -> None:
        self.losses: set[Loss] = set()
        self.definitions: dict[str, dict[str, Any]] = {}
        self._tool = tool
        self._origin = Origin(root)
        self._bounds = bounds
        self._typed_as = Typed(bounds, self._lower, self._lose)
        self._name = name
        self._entered: dict[tuple[str, int], dict[str, Any] | None] = {}
        self._parts = 0

    def arguments(self) -> dict[str, Any] | None:
        """The whole schema. None: nothing that fits it can be written.

        Raises:
            TooManyPartsError: it unfolds too far.
        """
        return self._lower(self._origin.root, self._bounds.levels)

    # --- which form ---

    def _lower(self, schema: Any, levels: int) -> dict[str, Any] | None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise TooManyPartsError
        if not isinstance(schema, dict):
            return self._lower(dict(_ANY), levels) if schema is True else None
        reference = next((key for key in REFERENCES if isinstance(schema.get(key), str)), None)
        if reference is not None:
            return self._referred(schema, reference, levels)
        if "allOf" in schema:
            return self._all(schema, levels)
        union = next((key for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), None)
        if union is not None:
            return self._union(schema, union, levels)
        if "const" in schema or "enum" in schema:
            return self._values(schema)
        return self._typed(schema, levels)

    def _referred(self, schema: dict[str, Any], keyword: str, levels: int) -> dict[str, Any] | None:
        found = self._origin.follow(schema[keyword])
        rest = self._without(schema, keyword)
        if found is None:
            self._lose(schema, keyword, "any text, number, true, false or null")
            return self._lower(together([_ANY, rest], self._origin, self._lose), levels)
        place, target = found
        if self._origin.returns(place, target):
            if levels == 0:
                self._lose(schema, keyword, f"at most {self._bounds.levels} deep")
                return None
            levels -= 1
        if any(key not in _SILENT for key in rest):
            return self._lower(together([target, rest], self._origin, self._lose), levels)
        if (place, levels) not in self._entered:
            self._entered[place, levels] = self._defined(place, self._lower(target, levels))
        made = self._entered[place, levels]
        return None if made is None else self._described(dict(made), schema)

    def _defined(self, place: str, lowered: dict[str, Any] | None) -> dict[str, Any] | None:
        """A reference to it, where it is more than a word."""
        if lowered is None or not lowered.keys() & {"properties", "items", "prefixItems", "anyOf", "enum"}:
            return lowered
        name = self._name(place.rpartition("/")[2])
        self.definitions[name] = lowered
        return {"$ref": f"#/$defs/{name}"}

    def _all(self, schema: dict[str, Any], levels: int) -> dict[str, Any] | None:
        parts: list[Any] = [self._without(schema, "allOf")]
        waiting = list(reversed(schema["allOf"]))
        while waiting:
            part = waiting.pop()
            self._parts += 1
            if self._parts > MOST_PARTS:
                raise TooManyPartsError
            keyword = next((key for key in REFERENCES if isinstance(part, dict) and key in part), None)
            found = None if keyword is None else self._origin.follow(part[keyword])
            if keyword is None or found is None:
                parts.append(part)
                continue
            if self._origin.returns(*found):
                if levels == 0:
                    self._lose(part, keyword, f"at most {self._bounds.levels} deep")
                    return None
                levels -= 1
            waiting += [self._without(part, keyword), found[1]]
        return self._lower(together(parts, self._origin, self._lose), levels)

    def _union(self, schema: dict[str, Any], keyword: str, levels: int) -> dict[str, Any] | None:
        rest = self._without(schema, keyword)
        bare = not any(key not in _SILENT or key == "type" for key in rest)
        ways: list[dict[str, Any]] = []
        for branch in schema[keyword]:
            whole = branch if bare else together([rest, branch], self._origin, self._lose)
            lowered = self._lower(whole, levels)
            if lowered is not None and lowered not in ways:
                ways.append(lowered)
        if not ways:
            return None
        if keyword == "oneOf" and len(ways) > 1:
            self._lose(schema, keyword, "anyOf")
        return self._described(dict(ways[0]) if len(ways) == 1 else {"anyOf": ways}, schema)

    # --- values ---

    def _values(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        values = schema["enum"] if "const" not in schema else [schema["const"]]
        if "const" in schema and "enum" in schema:
            values = [value for value in values if value in schema["enum"]]
        types = _listed(schema["type"]) if "type" in schema else None
        kept = [value for value in values if (types is None or _has_type(value, types)) and _is_json(value)]
        self._drop(schema, frozenset({"enum", "const"}))
        return self._described({"enum": kept}, schema) if kept else None

    def _typed(self, schema: dict[str, Any], levels: int) -> dict[str, Any] | None:
        types = _listed(schema["type"]) if "type" in schema else self._guessed(schema)
        if "number" in types:
            types = [name for name in types if name != "integer"]
        ways = [way for name in types if name in HELD and (way := self._typed_as.of(name, schema, levels)) is not None]
        self._drop(schema, frozenset().union(*(HELD[name] for name in types if name in HELD)))
        if not ways:
            return None
        return self._described(ways[0] if len(ways) == 1 else {"anyOf": ways}, schema)

    def _guessed(self, schema: dict[str, Any]) -> list[str]:
        """The types of a schema without one: that which its other words are about, or any scalar."""
        for name, telling in _TELLING:
            if not schema.keys().isdisjoint(telling):
                return [name]
        self._lose(schema, "type", "any text, number, true, false or null")
        return list(_SCALARS)

    # --- what is told ---

    def _without(self, schema: dict[str, Any], keyword: str) -> dict[str, Any]:
        rest = {key: value for key, value in schema.items() if key != keyword}
        return self._origin.put_together(rest, {key: self._origin.at(schema, key) for key in rest})

    def _described(self, lowered: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
        """With what the schema says of itself, and what of it only words can hold."""
        words = [schema["description"]] if isinstance(schema.get("description"), str) else []
        if "description" in lowered:
            return lowered
        words += (f"{key}: {schema[key]}" for key in _TOLD if isinstance(schema.get(key), str | int | float))
        return {**lowered, "description": " ".join(" ".join(words).split())} if any(words) else lowered

    def _drop(self, schema: dict[str, Any], held: frozenset[str]) -> None:
        for key in schema.keys() - held - _SILENT:
            if key == "uniqueItems" and (schema[key] is not True or schema.get("maxItems", 2) <= 1):
                continue
            self._lose(schema, key, "in the description" if key in _TOLD else "dropped")

    def _lose(self, schema: dict[str, Any], keyword: str, became: str) -> None:
        self.losses.add(Loss(self._tool, self._origin.at(schema, keyword), keyword, became))


def _listed(types: Any) -> list[str]:
    return list(types) if isinstance(types, list) else [types]


def _is_json(value: Any) -> bool:
    try:
        plain(value)
    except NotJson:
        return False
    return True


def _has_type(value: Any, types: list[str]) -> bool:
    match value:
        case None:
            return "null" in types
        case bool():
            return "boolean" in types
        case int():
            return "integer" in types or "number" in types
        case float():
            return "number" in types or ("integer" in types and value.is_integer())
        case str():
            return "string" in types
        case dict():
            return "object" in types
    return "array" in types


__all__ = ["Lowering", "TooManyPartsError"]
