"""Makes values of which it is certain that they fit a schema."""

import random
from collections.abc import Mapping
from typing import Any

from .shape import DEEPEST, NOTES, Schemas, Unsure, named_types, types_of

_ABOUT_OBJECTS = {"properties", "required", "additionalProperties"}
_ABOUT_ARRAYS = {"items", "minItems", "maxItems"}
_ABOUT_STRINGS = {"minLength", "maxLength"}
_ABOUT_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_BESIDE = NOTES | {"$schema", "$defs", "definitions"}
_UNDERSTOOD = (
    _BESIDE
    | _ABOUT_OBJECTS
    | _ABOUT_ARRAYS
    | _ABOUT_STRINGS
    | _ABOUT_NUMBERS
    | {"$ref", "type", "enum", "const", "anyOf", "oneOf"}
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_FOREIGN = "żółć漢字العربية🙂ﬁe\u0301"
_LONGEST = 4096
_MOST_ITEMS = 64
_LARGEST = 2**53


class Fitting:
    """Values by lot. ``full`` gives every optional property or none; None leaves that to the lot too."""

    def __init__(self, schemas: Schemas, lot: random.Random, full: bool | None = None) -> None:
        self._schemas = schemas
        self._lot = lot
        self._full = full

    def value(self, schema: Any, depth: int = 0) -> Any:
        """A value that fits.

        Raises:
            Unsure: the schema says something that is not understood here, or nothing fits it.
        """
        schema = self._schemas.plain(schema)
        if schema is True:
            return self._lot.choice(["anything", 7, True, [], {}])
        if not isinstance(schema, Mapping) or depth > DEEPEST or not schema.keys() <= _UNDERSTOOD:
            raise Unsure
        if "const" in schema or "enum" in schema:
            return self._listed(schema)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self._branch(schema, word, depth)
        match self._lot.choice(_types(schema)):
            case "null":
                return None
            case "boolean":
                return self._lot.random() < 0.5
            case "integer" | "number":
                return self._number(schema)
            case "string":
                return self._string(schema)
            case "array":
                return self._array(schema, depth)
            case _:
                return self._object(schema, depth)

    def _listed(self, schema: Mapping[str, Any]) -> Any:
        if schema.keys() - NOTES - {"type", "enum", "const"} or {"enum", "const"} <= schema.keys():
            raise Unsure
        value = schema["const"] if "const" in schema else self._lot.choice(schema["enum"])
        if "type" in schema and not types_of(value) & named_types(schema["type"]):
            raise Unsure
        return value

    def _branch(self, schema: Mapping[str, Any], word: str, depth: int) -> Any:
        if schema.keys() - _BESIDE - {word}:
            raise Unsure
        branches = list(schema[word])
        if word == "oneOf":  # exactly one may fit: certain only where no type fits two
            types = [self._schemas.permitted(branch) for branch in branches]
            if len(frozenset().union(*types)) != sum(map(len, types)):
                raise Unsure
        self._lot.shuffle(branches)
        for branch in branches:
            try:
                return self.value(branch, depth + 1)
            except Unsure:
                continue
        raise Unsure

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not set(required) <= properties.keys():
            raise Unsure
        made = {}
        for name, part in properties.items():
            if name in required:
                made[name] = self.value(part, depth + 1)
            elif self._full or (self._full is None and self._lot.random() < 0.5):
                try:
                    made[name] = self.value(part, depth + 1)
                except Unsure:  # it may be left out, so it is
                    continue
        return made

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + 1)
        if least > min(most, _MOST_ITEMS) or isinstance(schema.get("items"), list):  # a list: tuples of older drafts
            raise Unsure
        count = least if self._full is False else max(least, min(most, 1))
        return [self.value(schema.get("items", True), depth + 1) for _ in range(count)]

    def _string(self, schema: Mapping[str, Any]) -> str:
        least, most = schema.get("minLength", 0), min(schema.get("maxLength", _LONGEST), _LONGEST)
        if least > most:
            raise Unsure
        length = self._lot.choice([least, most, max(least, min(most, 8))])
        alphabet = self._lot.choice([_LETTERS, _FOREIGN])
        return "".join(self._lot.choice(alphabet) for _ in range(length))

    def _number(self, schema: Mapping[str, Any]) -> int:
        low, high = _bounds(schema)
        if low > high:
            raise Unsure
        return self._lot.choice([low, high, min(max(low, 1), high)])


def _types(schema: Mapping[str, Any]) -> list[str]:
    """The types to choose from; without ``type``, one that the other keywords are about, or any that they are not."""
    if "type" in schema:
        return [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
    for words, name in (
        (_ABOUT_OBJECTS, "object"),
        (_ABOUT_ARRAYS, "array"),
        (_ABOUT_STRINGS, "string"),
        (_ABOUT_NUMBERS, "integer"),
    ):
        if schema.keys() & words:
            return [name]
    return ["null", "boolean", "integer", "string"]


def _bounds(schema: Mapping[str, Any]) -> tuple[int, int]:
    """The least and the largest whole number that fits. Raises Unsure: a bound is no number, or an enormous one."""
    low, high = -_LARGEST, _LARGEST
    for word in schema.keys() & _ABOUT_NUMBERS:
        bound = schema[word]
        if isinstance(bound, bool) or not isinstance(bound, int | float) or abs(bound) > _LARGEST:
            raise Unsure
        down, up = int(bound // 1), -int(-bound // 1)
        match word:
            case "minimum":
                low = max(low, up)
            case "exclusiveMinimum":
                low = max(low, down + 1)
            case "maximum":
                high = min(high, down)
            case _:
                high = min(high, up - 1)
    return low, high
