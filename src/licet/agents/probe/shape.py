"""What a schema surely says of a value, read from the schema alone: no validator is asked.

``permitted`` leaves out only types that cannot fit; ``fitting`` gives only values that must fit. Between the two lies
what is not understood here, and nothing is claimed of it.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

NOTES = frozenset(
    {"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly", "$comment"}
)
"""Keywords that refuse nothing."""

DEEPEST = 12
"""Levels of a schema that are followed."""

_SAMPLES: tuple[tuple[str, Any], ...] = (("string", "x"), ("integer", 1), ("number", 1.5), ("boolean", True))


class Unsure(Exception):  # noqa: N818 - no error: nothing is known
    """Of this part of a schema nothing is certain."""


class Schemas:
    """One document, and where its references lead."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        draft = str(root.get("$schema", "2020-12"))
        self._known_draft = "2020-12" in draft or "2019-09" in draft

    def plain(self, schema: Any, depth: int = 0) -> Any:
        """The schema with a reference at its top replaced by what it names.

        Raises:
            Unsure: it leads out of the document, in a circle, or stands beside other keywords, which drafts read
                differently.
        """
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            return schema
        if depth > DEEPEST or not self._known_draft or schema.keys() - NOTES - {"$ref"}:
            raise Unsure
        return self.plain(self._named(schema["$ref"]), depth + 1)

    def permitted(self, schema: Any, depth: int = 0) -> frozenset[str]:
        """Every type that a fitting value may have, and perhaps some more."""
        if schema is False:
            return frozenset()
        if not isinstance(schema, Mapping) or depth > DEEPEST:
            return ALL_TYPES
        if "$ref" in schema:
            try:
                return self.permitted(self._named(schema["$ref"]), depth + 1)
            except Unsure:
                return ALL_TYPES
        types = ALL_TYPES
        if "type" in schema:
            types &= named_types(schema["type"])
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

    def guessed(self, schema: Any, depth: int = 0) -> Any:
        """A value of a permitted type, with every property that it may have; whether it fits is not known."""
        with suppress(Unsure):
            schema = self.plain(schema)
        if not isinstance(schema, Mapping) or depth > DEEPEST:
            return "anything"
        types = self.permitted(schema)
        if "object" in types and isinstance(properties := schema.get("properties", {}), Mapping):
            return {name: self.guessed(part, depth + 1) for name, part in properties.items()}
        if "array" in types:
            items = schema.get("items", True)
            return [] if isinstance(items, list) else [self.guessed(items, depth + 1)]
        return next((sample for name, sample in _SAMPLES if name in types), None)

    def _named(self, reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise Unsure
        found: Any = self._root
        for token in reference[2:].split("/"):
            name = token.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                raise Unsure
            found = found[name]
        return found


def named_types(word: Any) -> frozenset[str]:
    """What the keyword ``type`` lets in: a number may be whole."""
    types = frozenset([word] if isinstance(word, str) else word)
    return types | {"integer"} if "number" in types else types


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
