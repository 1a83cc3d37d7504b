"""Strict JSON, looked at piece by piece: what a value says in plain types, or where it is not JSON.

This is the slow way. ``canonical`` comes here only for what its fast way does not prove.
"""

import json
import math
import re
from enum import Enum
from typing import Any

from .pointer import legible, place, pointer

MAX_DEPTH = 64
"""Containers inside each other."""

LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 64) - 1

_PLAIN_TYPES = "dict, list, str, int, float, bool or None"
_INSTEAD: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bytes, bytearray, memoryview), "text, such as base64"),
    ((set, frozenset), "a list"),
)
_SCALARS, _ARRAYS, _CONTAINERS = (str, int, float), (list, tuple), (dict, list, tuple)
_SHOWN_KEYS = (int, float, bool, bytes, type(None))
_TOKEN = re.compile(rb'"(?:[^"\\]+|\\.?)*"?|[\[{]|[\]}]', re.DOTALL)

_Path = tuple[str | int, ...]


class NotJson(ValueError):  # noqa: N818 - it names what the value is
    """Not strict JSON. ``pointer`` says where (empty: the root), ``problem`` what is wrong and what to use instead."""

    def __init__(self, pointer: str, problem: str) -> None:
        super().__init__(f"{problem} (at {place(pointer)})")
        self.pointer = pointer
        self.problem = problem


class _Twice:
    """Stands in place of an object that holds a key twice."""

    def __init__(self, key: str) -> None:
        self.key = key


def plain(value: Any, path: _Path = ()) -> Any:
    """The same value in plain types. Raises NotJson: it, or something in it, cannot be said in JSON.

    A value is taken for what its type is, whatever it says of itself.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if issubclass(kind, Enum) and not issubclass(kind, _SCALARS):
        raise _refusal(path, "a member of an enum is not JSON; use its .value")
    if issubclass(kind, str):
        return _plain_text(value, path)
    if issubclass(kind, int):
        number = int.__int__(value)
        if not LEAST_INTEGER <= number <= MOST_INTEGER:
            raise _refusal(path, "the integer needs more than 64 bits; use text")
        return number
    if issubclass(kind, float):
        real = float.__float__(value)
        if not math.isfinite(real):
            raise _refusal(path, f"{real!r} is not JSON; use a finite number or null")
        return real
    if issubclass(kind, _CONTAINERS) and len(path) >= MAX_DEPTH:
        raise _refusal(path, f"nested deeper than {MAX_DEPTH} levels; use a flatter value")
    if issubclass(kind, dict):
        return _plain_members(value, path)
    if issubclass(kind, _ARRAYS):
        items = list.__iter__(value) if issubclass(kind, list) else tuple.__iter__(value)
        return [item if _is_plain(item) else plain(item, (*path, index)) for index, item in enumerate(items)]
    if kind is _Twice:
        raise _refusal((*path, value.key), "the key stands twice in one object; use each key once")
    instead = next((instead for kinds, instead in _INSTEAD if issubclass(kind, kinds)), _PLAIN_TYPES)
    raise _refusal(path, f"a value of type {legible(kind.__qualname__)} is not JSON; use {instead}")


def read(data: bytes) -> Any:
    """The value of a text in UTF-8. Raises NotJson: the text is not strict JSON."""
    refuse_depth(data)
    try:
        value = json.loads(data.decode(), object_pairs_hook=_members, parse_int=_integer)
    except json.JSONDecodeError as exc:
        raise NotJson("", f"not JSON: {exc.msg}, line {exc.lineno} column {exc.colno}; use strict JSON") from None
    return plain(value)


def _plain_members(members: dict[Any, Any], path: _Path) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, value in dict.items(members):
        if not issubclass(type(key), str) or issubclass(type(key), Enum):
            shown = repr(key) if type(key) in _SHOWN_KEYS else f"of type {type(key).__qualname__}"
            raise _refusal(path, f"the key {legible(shown, 40)} is not text; use text keys")
        name = _plain_text(key, path)
        if name in told:  # two keys of a subclass that only claims to differ
            raise _refusal((*path, name), "the key stands twice in one object; use each key once")
        told[name] = value if _is_plain(value) else plain(value, (*path, name))
    return told


def _is_plain(value: Any) -> bool:
    """Whether a value is one of the plain scalars, as most are; not of every such value."""
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if kind is int:
        return bool(LEAST_INTEGER <= value <= MOST_INTEGER)
    return value is None or kind is bool or (kind is float and math.isfinite(value))


def _plain_text(text: str, path: _Path) -> str:
    try:
        str.encode(text)
    except UnicodeEncodeError:
        raise _refusal(path, "the text holds half of a surrogate pair; use whole characters") from None
    return str.__str__(text)


def _refusal(path: _Path, problem: str) -> NotJson:
    return NotJson(pointer(path), problem)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Twice:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            return _Twice(key)
        members[key] = value
    return members


def _integer(digits: str) -> int:
    # A longer one is out of range whatever its digits are, and reading them all takes quadratic time.
    return int(digits) if len(digits) <= 20 else MOST_INTEGER + 1


def refuse_depth(data: bytes) -> None:
    """Before a parser recurses into it. Raises NotJson: the text, or this beginning of one, is nested too deep."""
    depth = 0
    for token in _TOKEN.finditer(data):
        if token[0] in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotJson("", f"nested deeper than {MAX_DEPTH} levels at byte {token.start()}; use a flatter value")
        elif token[0] in b"]}":
            depth -= 1
