"""What a schema says of the names that a valid value can hold."""

from collections.abc import Mapping
from typing import Any

_SCALARS = frozenset(("string", "integer", "number", "boolean", "null"))
_SECRET_STARTS = ("passw", "secret", "token", "api", "auth", "cookie", "cred", "private")


def names_are_plain(schema: Mapping[str, Any]) -> bool:
    """Whether every value that fits is a flat object of declared scalars, none under a name that sounds secret.

    Such arguments need no look for secrets before they go on the ledger. False is always safe.
    """
    properties = schema.get("properties")
    if schema.get("additionalProperties") is not False or not isinstance(properties, dict):
        return False
    if schema.keys() & {"patternProperties", "allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if"}:
        return False
    return all(
        isinstance(below, dict)
        and isinstance(below.get("type"), str)
        and below["type"] in _SCALARS
        and not any(start in name.lower() for start in _SECRET_STARTS)
        for name, below in properties.items()
    )
