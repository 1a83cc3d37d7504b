"""JSON types: that of a value, and those that two schemas allow at once."""

from typing import Any


def type_of(value: Any) -> str:
    """The type of a JSON value, an integer's being ``integer``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return kinds[type(value)]


def in_both(one: Any, other: Any) -> Any:
    """The types that both values of ``type`` allow; None if there is none."""
    first = one if isinstance(one, list) else [one]
    second = other if isinstance(other, list) else [other]
    both = [kind for kind in first if kind in second or (kind == "integer" and "number" in second)]
    both += [kind for kind in second if kind == "integer" and "number" in first and kind not in both]
    return None if not both else both[0] if len(both) == 1 else both


__all__ = ["in_both", "type_of"]
