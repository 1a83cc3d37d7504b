"""What a schema surely says of a value, read from the schema alone: no validator is asked.

``permitted`` leaves out only types that cannot fit, ``built`` gives only values that must fit. Between the two lies
what this module does not understand, and nothing is claimed there.
"""

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

_NOTES = {"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly", "$comment"}
_UNDERSTOOD = _NOTES | {
    "$schema", "$defs", "definitions", "$ref", "type", "enum", "const", "anyOf", "oneOf",
    "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
    "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}  # fmt: skip
_SAMPLES: tuple[tuple[str, Any], ...] = (("string", "x"), ("integer", 1), ("number", 1.5), ("boolean", True))
_DEEPEST = 12
_LONGEST = 4096
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_FOREIGN = "żółć 漢字 العربية 🙂 e\u0301 ﬁ"


class Unsure(Exception):  # noqa: N818 - no error: nothing is known
    """No value can be made of which it is certain that it fits."""


class Schemas:
    """One document: where its references lead, and values for its parts."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        older = str(root.get("$schema", "2020-12"))
        self.known_draft = "2020-12" in older or "2019-09" in older

    def plain(self, schema: Any, depth: int = 0) -> Any:
        """The schema with a reference at its top replaced by what it names. Raises Unsure: it leads nowhere known."""
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            return schema
        if depth > _DEEPEST or not self.known_draft:
            raise Unsure
        beside = {key: value for key, value in schema.items() if key != "$ref" and key not in _NOTES}
        named = self.plain(self._named(schema["$ref"]), depth + 1)
        if not beside:
            return named
        raise Unsure

    def _named(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise Unsure
        found: Any = self._root
        for token in reference[2:].split("/"):
            name = token.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                raise Unsure
            found = found[name]
        return found

    def permitted(self, schema: Any, depth: int = 0) -> frozenset[str]:
        """Every type that a fitting value may have, and perhaps some more."""
        if schema is False:
            return frozenset()
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return ALL_TYPES
        if "$ref" in schema:
            try:
                return self.permitted(self._named(str(schema["$ref"])), depth + 1)
            except Unsure:
                return ALL_TYPES
        types = ALL_TYPES
        if "type" in schema:
            named = schema["type"]
            types &= frozenset([named] if isinstance(named, str) else named)
            types |= frozenset({"integer"} if "number" in types else ())
        if isinstance(schema.get("enum"), list):
            types &= frozenset().union(*map(types_of, schema["enum"]))
        if "const" in schema:
            types &= types_of(schema["const"])
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                types &= frozenset().union(*(self.permitted(branch, depth + 1) for branch in schema[word]))
        for part in schema.get("allOf", ()):
            types &= self.permitted(part, depth + 1)
        return types

    def built(self, schema: Any, pick: random.Random, *, full: bool | None = None, depth: int = 0) -> Any:
        """A value that fits. ``full`` gives every optional property or none; None leaves it to chance.

        Raises:
            Unsure: the schema says something that is not understood here, or nothing fits it.
        """
        schema = self.plain(schema)
        if schema is True:
            return pick.choice(["anything", 7, True, [], {}])
        if not isinstance(schema, Mapping) or depth > _DEEPEST or not schema.keys() <= _UNDERSTOOD:
            raise Unsure
        if "const" in schema or "enum" in schema:
            return self._listed(schema, pick)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self._branch(schema, word, pick, full, depth)
        if "type" not in schema:
            types = sorted(_implied(schema))
        else:
            types = [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
        return _BUILDERS[pick.choice(types)](self, schema, pick, full, depth)

    def guessed(self, schema: Any, depth: int = 0) -> Any:
        """A value of a permitted type, with every property that it may have; whether it fits is not known."""
        with suppress(Unsure):
            schema = self.plain(schema)
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return "anything"
        types = self.permitted(schema)
        if "object" in types and isinstance(properties := schema.get("properties", {}), Mapping):
            return {name: self.guessed(part, depth + 1) for name, part in properties.items()}
        if "array" in types:
            items = schema.get("items", True)
            return [] if isinstance(items, list) else [self.guessed(items, depth + 1)]
        return next((sample for name, sample in _SAMPLES if name in types), None)

    def _listed(self, schema: Mapping[str, Any], pick: random.Random) -> Any:
        if schema.keys() - _NOTES - {"type", "enum", "const"} or {"enum", "const"} <= schema.keys():
            raise Unsure
        value = schema["const"] if "const" in schema else pick.choice(schema["enum"])
        kinds = types_of(value)
        if "type" in schema and not kinds & self.permitted({"type": schema["type"]}):
            raise Unsure
        return value

    def _branch(self, schema: Mapping[str, Any], word: str, pick: random.Random, full: bool | None, depth: int) -> Any:
        if schema.keys() - _NOTES - {word, "$schema", "$defs", "definitions"}:
            raise Unsure
        branches = list(schema[word])
        if word == "oneOf":  # exactly one may fit: certain only where no type fits two
            types = [self.permitted(branch) for branch in branches]
            if len(frozenset().union(*types)) != sum(map(len, types)):
                raise Unsure
        pick.shuffle(branches)
        for branch in branches:
            try:
                return self.built(branch, pick, full=full, depth=depth + 1)
            except Unsure:
                continue
        raise Unsure

    def _object(self, schema: Mapping[str, Any], pick: random.Random, full: bool | None, depth: int) -> Any:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not set(required) <= properties.keys():
            raise Unsure
        made = {}
        for name, part in properties.items():
            if name in required:
                made[name] = self.built(part, pick, full=full, depth=depth + 1)
            elif full or (full is None and pick.random() < 0.5):
                try:
                    made[name] = self.built(part, pick, full=full, depth=depth + 1)
                except Unsure:  # it may be left out, so it is
                    continue
        return made

    def _array(self, schema: Mapping[str, Any], pick: random.Random, full: bool | None, depth: int) -> Any:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + 2)
        if not isinstance(least, int) or not isinstance(most, int) or least > min(most, 64):
            raise Unsure
        count = max(least, min(most, 1)) if full is None or full else least
        if isinstance(schema.get("items"), list):  # the tuples of older drafts
            raise Unsure
        return [self.built(schema.get("items", True), pick, full=full, depth=depth + 1) for _ in range(count)]


def types_of(value: Any) -> frozenset[str]:
    """The JSON types of a value: a whole number is an integer and a number."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number"})
    if isinstance(value, str):
        return frozenset({"string"})
    return frozenset({"array"} if isinstance(value, list) else {"object"})


def _implied(schema: Mapping[str, Any]) -> set[str]:
    """A type that fits a schema without ``type``: one whose keywords it has, or any."""
    if schema.keys() & {"properties", "required", "additionalProperties"}:
        return {"object"}
    if schema.keys() & {"items", "minItems", "maxItems"}:
        return {"array"}
    if schema.keys() & {"minLength", "maxLength"}:
        return {"string"}
    if schema.keys() & {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}:
        return {"integer"}
    return {"null", "boolean", "integer", "string"}


def _string(schemas: Schemas, schema: Mapping[str, Any], pick: random.Random, full: bool | None, depth: int) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength", _LONGEST)
    if not isinstance(least, int) or not isinstance(most, int) or least > min(most, _LONGEST):
        raise Unsure
    length = pick.choice([least, min(most, _LONGEST), max(least, min(most, 8))])
    alphabet = pick.choice([_LETTERS, _FOREIGN])
    return "".join(pick.choice(alphabet) for _ in range(length))


def _integer(schemas: Schemas, schema: Mapping[str, Any], pick: random.Random, full: bool | None, depth: int) -> int:
    low, high = bounds(schema)
    least = -(2**53) if low is None else low
    most = 2**53 if high is None else high
    if least > most:
        raise Unsure
    middle = min(max(least, 1), most)
    return pick.choice([least, most, middle] if low is not None or high is not None else [0, 1, -1, 42])


def bounds(schema: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The least and the largest whole number that fits. Raises Unsure: a bound is no number, or an enormous one."""
    low: int | None = None
    high: int | None = None
    for word, value in schema.items():
        if word not in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 2**53:
            raise Unsure
        if word in ("minimum", "exclusiveMinimum"):
            least = -int(-value // 1) if word == "minimum" else int(value // 1) + 1
            low = least if low is None else max(low, least)
        else:
            most = int(value // 1) if word == "maximum" else -int(-value // 1) - 1
            high = most if high is None else min(high, most)
    return low, high


_Builder = Callable[[Schemas, Mapping[str, Any], random.Random, bool | None, int], Any]
_BUILDERS: Mapping[str, _Builder] = {
    "null": lambda schemas, schema, pick, full, depth: None,
    "boolean": lambda schemas, schema, pick, full, depth: pick.random() < 0.5,
    "integer": _integer,
    "number": _integer,
    "string": _string,
    "array": Schemas._array,
    "object": Schemas._object,
}
