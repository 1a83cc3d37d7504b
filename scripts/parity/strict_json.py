"""Strict JSON that knows what ``json.loads`` forgets: keys that stand twice, and how numbers are written."""

import json
from typing import Any, NamedTuple

MOST_DEPTH = 64


class Number(NamedTuple):
    """A number as it is written: the contract holds none, and languages disagree about them."""

    written: str


class NotStrictError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parsed(text: str) -> Any:
    """The value of strict JSON. Raises NotStrictError: ``not_json`` or ``duplicate_key``."""
    twice = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        held = dict(pairs)
        twice = twice or len(held) != len(pairs) or "__proto__" in held
        return held

    def constant(name: str) -> Any:
        raise ValueError(name)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant
        )
        deep = depth(value) > MOST_DEPTH
    except (ValueError, RecursionError):
        raise NotStrictError("not_json") from None
    if deep:
        raise NotStrictError("not_json")
    if twice:
        raise NotStrictError("duplicate_key")
    return value


def depth(value: Any) -> int:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(depth, below), default=0)
