"""Where a JSON Schema holds other schemas, and how a value reaches them."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, NamedTuple


class Reach(Enum):
    """What a subschema is applied to."""

    HERE = auto()
    """The same value."""
    BELOW = auto()
    """Members or items of the value."""
    APART = auto()
    """Nothing, unless something refers to it."""


ANY_PROPERTY, ANY_ITEM = ".", "["


class Subschema(NamedTuple):
    """``path`` leads from the holder. ``member`` is what of a value it is about, if it is about what is below.

    That is any property (``.``), one property (``.name``), any item (``[``) or one item (``[0``).
    """

    path: tuple[str | int, ...]
    schema: dict[str, Any]
    reach: Reach
    member: str = ""


_HOLDS_ONE = {
    **dict.fromkeys(("not", "if", "then", "else"), (Reach.HERE, "")),
    **dict.fromkeys(("items", "additionalItems", "unevaluatedItems", "contains"), (Reach.BELOW, ANY_ITEM)),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "propertyNames"), (Reach.BELOW, ANY_PROPERTY)),
    "contentSchema": (Reach.APART, ""),
}
_HOLDS_MANY = {
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), Reach.HERE),
    **dict.fromkeys(("prefixItems", "items"), Reach.BELOW),
}
_HOLDS_NAMED = {
    **dict.fromkeys(("dependentSchemas", "dependencies"), Reach.HERE),
    **dict.fromkeys(("properties", "patternProperties"), Reach.BELOW),
    **dict.fromkeys(("$defs", "definitions"), Reach.APART),
}


def subschemas(schema: dict[str, Any]) -> Iterator[Subschema]:
    """The schemas directly inside a schema, in the order of their keywords; ``true`` and ``false`` are left out."""
    for keyword, held in schema.items():
        if isinstance(held, dict) and keyword in _HOLDS_ONE:
            reach, member = _HOLDS_ONE[keyword]
            yield Subschema((keyword,), held, reach, member)
        elif isinstance(held, list) and keyword in _HOLDS_MANY:
            reach = _HOLDS_MANY[keyword]
            for index, item in enumerate(held):
                if isinstance(item, dict):
                    yield Subschema((keyword, index), item, reach, f"{ANY_ITEM}{index}" if reach is Reach.BELOW else "")
        elif isinstance(held, dict) and keyword in _HOLDS_NAMED:
            one = ANY_PROPERTY + "{}" if keyword == "properties" else ANY_PROPERTY
            for name, inner in held.items():
                if isinstance(inner, dict):
                    yield Subschema((keyword, name), inner, _HOLDS_NAMED[keyword], one.format(name))
