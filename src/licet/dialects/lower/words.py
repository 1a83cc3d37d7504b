"""Keywords of JSON Schema in plain words, for the descriptions of wires that cannot hold them."""

from typing import Any

import orjson

MAX_WORDS = 1000
"""Characters that are said of one keyword."""

CUT = "..."

_PHRASES: dict[str, str] = {
    "minLength": "length at least {}",
    "maxLength": "length at most {}",
    "pattern": "matches the pattern {}",
    "format": "format {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minContains": "at least {} items that fit contains",
    "maxContains": "at most {} items that fit contains",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "default": "by default {}",
    "const": "always {}",
    "required": "required: {}",
    "not": "not what fits {}",
    "if": "if it fits {}",
    "then": "then it fits {}",
    "else": "otherwise it fits {}",
    "anyOf": "fits one or more of {}",
    "oneOf": "fits exactly one of {}",
    "allOf": "fits all of {}",
    "prefixItems": "items in this order: {}",
    "contains": "holds an item that fits {}",
    "propertyNames": "names of properties fit {}",
    "patternProperties": "properties by the pattern of their name: {}",
    "dependentRequired": "properties that are required with others: {}",
    "dependentSchemas": "with these properties it fits: {}",
    "contentEncoding": "encoded as {}",
    "contentMediaType": "holds {}",
    "contentSchema": "what it holds fits {}",
}
_FLAGS = {
    "uniqueItems": "no item twice",
    "deprecated": "deprecated",
    "readOnly": "read only",
    "writeOnly": "write only",
}
_REST = {
    "additionalProperties": "other properties fit {}",
    "unevaluatedProperties": "other properties fit {}",
    "items": "items fit {}",
    "additionalItems": "further items fit {}",
    "unevaluatedItems": "further items fit {}",
}
_BARE = frozenset(("pattern", "format", "contentEncoding", "contentMediaType"))


def said(keyword: str, value: Any) -> str | None:
    """One keyword in words; None if they would tell a model nothing: names, comments, keywords of nobody's standard."""
    if keyword == "enum" and isinstance(value, list):
        return _cut("one of " + ", ".join(map(_text, value)))
    if keyword == "examples" and isinstance(value, list):
        return _cut("such as " + ", ".join(map(_text, value)))
    if keyword == "type":
        return _cut(" or ".join(map(str, value)) if isinstance(value, list) else str(value))
    if keyword in _FLAGS:
        return _FLAGS[keyword] if value is True else None
    if keyword in _REST:
        if isinstance(value, bool):  # that nothing but what is named goes in is what a model takes for granted
            return "no further items" if value is False and keyword.lower().endswith("items") else None
        return _cut(_REST[keyword].replace("{}", _text(value)))
    phrase = _PHRASES.get(keyword)
    if phrase is None:
        return None
    shown = value if keyword in _BARE and isinstance(value, str) else _text(value)
    return _cut(phrase.replace("{}", shown))


def joined(description: str, words: list[str]) -> str:
    """A description with words at its end."""
    if not words:
        return description
    added = "; ".join(words)
    added = added[0].upper() + added[1:] + "."
    return f"{description}\n{added}" if description else added


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - len(CUT)] + CUT


__all__ = ["CUT", "MAX_WORDS", "joined", "said"]
