"""What a schema says of the names that a valid value can hold."""

import re

from ..model.json_object import JsonObject
from .canonical import thaw

_SCALARS = frozenset(("string", "integer", "number", "boolean", "null"))
_SOUNDS_SECRET = re.compile("passw|secret|token|api|auth|cookie|cred|private", re.IGNORECASE)


def names_are_plain(schema: JsonObject) -> bool:
    """Whether every value that fits is a flat object of declared scalars, none under a name that sounds secret.

    Such arguments need no look for secrets before they go on the ledger. False is always safe.
    """
    said = thaw(schema.json)
    properties = said.get("properties")
    if said.get("additionalProperties") is not False or not isinstance(properties, dict):
        return False
    if said.keys() & {"patternProperties", "allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if"}:
        return False
    return all(
        isinstance(below, dict)
        and isinstance(below.get("type"), str)
        and below["type"] in _SCALARS
        and _SOUNDS_SECRET.search(name) is None
        for name, below in properties.items()
    )
