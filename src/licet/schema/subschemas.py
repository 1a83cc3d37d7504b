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


class Subschema(NamedTuple):
    """``path`` leads from the holder; ``member`` is the one property it is about, or empty: any property or item."""

    path: tuple[str | int, ...]
    schema: dict[str, Any]
    reach: Reach
    member: str = ""


_HOLDS_ONE = {
    **dict.fromkeys(("not", "if", "then", "else"), Reach.HERE),
    **dict.fromkeys(
        (
            "items",
            "additionalItems",
            "unevaluatedItems",
            "contains",
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
        ),
        Reach.BELOW,
    ),
    "contentSchema": Reach.APART,
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
            yield Subschema((keyword,), held, _HOLDS_ONE[keyword])
        elif isinstance(held, list) and keyword in _HOLDS_MANY:
            for index, item in enumerate(held):
                if isinstance(item, dict):
                    yield Subschema((keyword, index), item, _HOLDS_MANY[keyword])
        elif isinstance(held, dict) and keyword in _HOLDS_NAMED:
            for name, member in held.items():
                if isinstance(member, dict):
                    about = name if keyword == "properties" else ""
                    yield Subschema((keyword, name), member, _HOLDS_NAMED[keyword], about)
