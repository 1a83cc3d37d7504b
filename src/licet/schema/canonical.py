"""Strict JSON in and out: one value, one text.

Strict means: finite numbers, text keys, no key twice, no lone surrogates, integers from -2^63 to 2^64-1, containers
at most 64 deep. ``orjson`` alone is not strict: it writes NaN as null, takes UUIDs and enums, keeps the last of two
equal keys and reads a large integer as a float. Each function here takes the fast way first and proves that nothing
of the kind happened; only what the proof does not cover is looked at piece by piece.
"""

import hashlib
from typing import Any

import orjson

from .strict import MAX_DEPTH, NotJson, plain, read

OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
"""How canonical bytes are written: sorted keys, UTF-8, no white space."""

_CONTAINERS = frozenset((dict, list, tuple))
_SHALLOW = 2 * MAX_DEPTH  # bytes: each container takes two


def freeze(value: object, *, limit_bytes: int) -> tuple[bytes, Any]:
    """The canonical bytes of a value, and a fresh copy of it that shares nothing with it.

    Tuples are arrays. A subclass of a plain type is taken by its plain value; an enum without one is refused.

    Raises:
        NotJson: the value is not strict JSON, or its text is longer than ``limit_bytes``.
    """
    try:
        data = orjson.dumps(value, None, OPTIONS)
        copy = orjson.loads(data)
        # What comes back equal was not changed on the way: NaN would be null, and a UUID text.
        proven = copy == value and (len(data) <= _SHALLOW or not (_may_be_deep(data) and _is_deep(copy)))
    except (TypeError, ValueError):
        proven = False
    if not proven:
        data = orjson.dumps(plain(value), None, OPTIONS)
        copy = orjson.loads(data)
    if len(data) > limit_bytes:
        raise NotJson("", f"{len(data)} bytes of JSON; use at most {limit_bytes}")
    return data, copy


def thaw(data: bytes) -> Any:
    """The value of canonical bytes, fresh."""
    return orjson.loads(data)


def parse(text: str | bytes, *, limit_bytes: int) -> Any:
    """The value of a JSON text in UTF-8.

    Raises:
        NotJson: the text is not strict JSON, or is longer than ``limit_bytes``.
    """
    data = _utf8(text, limit_bytes)
    try:
        value = orjson.loads(data)
        again = orjson.dumps(value)
    except ValueError:
        return read(data)
    # Every member writes a colon. Without \u escapes no colon of a text is hidden, so equally many colons mean that no
    # member was dropped; and a large integer that became a float is written with an exponent.
    told_all = again.count(b":") == data.count(b":") and b"\\u" not in data and b"e+" not in again
    if told_all and not (_may_be_deep(again) and _is_deep(value)):
        return value
    return read(data)


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


__all__ = ["OPTIONS", "NotJson", "digest", "freeze", "parse", "thaw"]
