"""Strict JSON in and out: one value, one text.

Strict means: finite numbers, text keys, no key twice, no lone surrogates, integers from -2^63 to 2^64-1, containers
at most 64 deep. ``orjson`` alone is not strict: it writes NaN as null, takes UUIDs and enums, keeps the last of two
equal keys and reads a large integer as a float. Each function here takes the fast way first and proves that nothing
of the kind happened; only what the proof does not cover is looked at piece by piece.
"""

import hashlib
import re
from typing import Any

import orjson

from .strict import LEAST_INTEGER, MAX_DEPTH, MOST_INTEGER, NotJson, plain, read, refuse_depth
from .weight import LIGHT_BYTES, refuse_heavy, refuse_heavy_text, without_texts

OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
"""How canonical bytes are written: sorted keys, UTF-8, no white space."""

_dumps = orjson.dumps
_READ_BYTES = 16 * 1024
"""Of a text that is looked at piece by piece, which takes a hundred times as long as to read it."""

_LONG_INTEGER = re.compile(rb"(?<![\w.+-])-?\d{19,}(?![\w.])")
_CONTAINERS = frozenset((dict, list, tuple))
SCALARS = frozenset((str, int, bool, type(None)))
"""The types whose values have one text each, and share nothing. A float is none of them: it may be NaN."""
_SHALLOW = 2 * MAX_DEPTH  # bytes: each container takes two


def freeze(value: object, *, limit_bytes: int) -> tuple[bytes, Any]:
    """The canonical bytes of a value, and a fresh copy of it that shares nothing with it.

    Tuples are arrays. A subclass of a plain type is taken by its plain value; an enum without one is refused.

    Raises:
        NotJson: the value is not strict JSON, has too many parts, or its text is longer than ``limit_bytes``.
    """
    flat = type(value) is dict and SCALARS.issuperset(map(type, value.values()))
    if not flat:
        refuse_heavy(value, limit_bytes)
    try:
        data = _dumps(value, None, OPTIONS)
    except (TypeError, ValueError):
        return _taken_apart(value, limit_bytes)
    if len(data) > limit_bytes or len(data) > LIGHT_BYTES:
        _refuse_long(data, limit_bytes)
    if flat:
        return data, value.copy()  # type: ignore[attr-defined]
    try:
        copy = orjson.loads(data)
    except ValueError:  # a Fragment may hold anything
        return _taken_apart(value, limit_bytes)
    # What comes back equal was not changed on the way: NaN would be null, and a UUID text.
    if copy != value or (len(data) > _SHALLOW and _may_be_deep(data) and _is_deep(copy)):
        return _taken_apart(value, limit_bytes)
    return data, copy


def freeze_text(text: str | bytes, *, limit_bytes: int) -> tuple[bytes, Any]:
    """The same of a JSON text in UTF-8.

    Raises:
        NotJson: the text is not strict JSON, has too many parts, or is longer than ``limit_bytes``.
    """
    value = parse(text, limit_bytes=limit_bytes)
    data = _dumps(value, None, OPTIONS)
    _refuse_long(data, limit_bytes)
    return data, value


def thaw(data: bytes) -> Any:
    """The value of canonical bytes, fresh."""
    return orjson.loads(data)


def parse(text: str | bytes, *, limit_bytes: int) -> Any:
    """The value of a JSON text in UTF-8.

    Raises:
        NotJson: the text is not strict JSON, or is longer than ``limit_bytes``.
    """
    data = _utf8(text, limit_bytes)
    if len(data) > LIGHT_BYTES:
        refuse_depth(data[:_READ_BYTES])
        refuse_heavy_text(data)
    try:
        value = orjson.loads(data)
    except ValueError as exc:
        return _read(data, exc)
    again = orjson.dumps(value)
    # Every member writes a colon, so equally many colons mean that no member was dropped. Those in texts are the same
    # on both sides, unless an escape hides one; then only those between the texts are counted.
    if (again.count(b":") != data.count(b":") or b"\\u" in data) and _members(again) != _members(data):
        return _read(data, None)
    if b"e+" in again and _has_long_integer(data):  # it was read as a float, which is written with an exponent
        return _read(data, None)
    if _may_be_deep(again) and _is_deep(value):
        return _read(data, None)
    return value


def digest(data: bytes) -> str:
    """``sha256:`` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _utf8(text: str | bytes, limit_bytes: int) -> bytes:
    if not isinstance(text, str | bytes):
        raise NotJson("", f"{type(text).__name__} is not JSON text; use str or bytes")
    if len(text) > limit_bytes:
        raise NotJson("", f"more than {limit_bytes} bytes of JSON; use at most so many")
    try:
        data = text.encode() if isinstance(text, str) else text
        data.decode()
    except UnicodeError:
        raise NotJson("", "the text is not UTF-8; use UTF-8 without lone surrogates") from None
    if len(data) > limit_bytes:
        raise NotJson("", f"{len(data)} bytes of JSON; use at most {limit_bytes}")
    return data


def _taken_apart(value: object, limit_bytes: int) -> tuple[bytes, Any]:
    """Of a value that has to be looked at piece by piece."""
    data = _dumps(plain(value), None, OPTIONS)
    _refuse_long(data, limit_bytes)
    return data, orjson.loads(data)


def _refuse_long(data: bytes, limit_bytes: int) -> None:
    if len(data) > limit_bytes:
        raise NotJson("", f"{len(data)} bytes of JSON; use at most {limit_bytes}")
    refuse_heavy_text(data)


def _read(data: bytes, problem: ValueError | None) -> Any:
    """Piece by piece, which tells what is wrong and where; of a long text only that something is."""
    if len(data) <= _READ_BYTES:
        return read(data)
    refuse_depth(data[:_READ_BYTES])
    if problem is None:
        raise NotJson("", "a key that stands twice, an integer beyond 64 bits, or too many levels; use plain JSON")
    raise NotJson("", f"not JSON: {problem}; use strict JSON")


def _members(data: bytes) -> int:
    return without_texts(data).count(b":")


def _has_long_integer(data: bytes) -> bool:
    """Whether an integer needs more than 64 bits."""
    for digits in _LONG_INTEGER.findall(without_texts(data)):
        if len(digits) > 20 or not LEAST_INTEGER <= int(digits) <= MOST_INTEGER:
            return True
    return False


def _may_be_deep(data: bytes) -> bool:
    """False if there are too few brackets for it; a bracket inside a text counts as one."""
    return len(data) > _SHALLOW and data.count(b"[") + data.count(b"{") > MAX_DEPTH


def _is_deep(value: Any) -> bool:
    """Whether containers stand inside each other more than ``MAX_DEPTH`` deep, found level by level."""
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) in _CONTAINERS
        ]
        if not level:
            return False
    return True


__all__ = ["OPTIONS", "SCALARS", "NotJson", "digest", "freeze", "freeze_text", "parse", "thaw"]
