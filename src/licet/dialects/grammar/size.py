"""The greatest length of what a lowered schema lets a model write, in bytes of UTF-8."""

import json
from collections.abc import Mapping
from typing import Any

from .bounds import MOST_DECIMALS, MOST_DIGITS

_A_CHARACTER = 4  # bytes of UTF-8, and more than an escape takes
_A_NUMBER = 1 + MOST_DIGITS + 1 + MOST_DECIMALS
_SEPARATOR = 2  # ", " and ": "


def longest(schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> int:
    """Bytes of the longest JSON text. No definition leads back to itself."""
    return _Sizes(definitions).of(schema)


def text(value: Any) -> str:
    """A fixed value as it is written: as ``json.dumps`` does, which models have seen most."""
    return json.dumps(value, ensure_ascii=False)


class _Sizes:
    def __init__(self, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self._definitions = definitions
        self._known: dict[str, int] = {}

    def of(self, schema: Mapping[str, Any]) -> int:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if name not in self._known:
                self._known[name] = self.of(self._definitions[name])
            return self._known[name]
        if "anyOf" in schema:
            return max(map(self.of, schema["anyOf"]))
        if "enum" in schema:
            return max(_bytes(value) for value in schema["enum"])
        match schema["type"]:
            case "string":
                return 2 + _A_CHARACTER * int(schema["maxLength"])
            case "integer":
                return max(len(str(schema["minimum"])), len(str(schema["maximum"])))
            case "number":
                return _A_NUMBER
            case "array":
                return 2 + sum(_SEPARATOR + size for size in self._items(schema))
            case "object":
                return 2 + sum(self._members(schema))
        return len("false")

    def _items(self, schema: Mapping[str, Any]) -> list[int]:
        if "prefixItems" in schema:
            return [self.of(item) for item in schema["prefixItems"]]
        return [self.of(schema["items"])] * int(schema["maxItems"])

    def _members(self, schema: Mapping[str, Any]) -> list[int]:
        if "properties" in schema:
            named = schema["properties"].items()
            return [_bytes(name) + _SEPARATOR + self.of(below) + _SEPARATOR for name, below in named]
        name = 2 + _A_CHARACTER * int(schema["propertyNames"]["maxLength"])
        one = name + _SEPARATOR + self.of(schema["additionalProperties"]) + _SEPARATOR
        return [one] * int(schema["maxProperties"])


def _bytes(value: Any) -> int:
    return len(text(value).encode())


__all__ = ["longest", "text"]
