"""What does not go on the ledger in clear: values under names that sound secret, and more than a limit of anything.

This is a net, not a proof: only names are looked at, never what a text says.
"""

import hmac
from functools import cache
from hashlib import sha256
from typing import Any

import orjson

SECRET_WORDS = frozenset(
    {
        "api-key",
        "api_key",
        "apikey",
        "authorization",
        "cookie",
        "credential",
        "passw",
        "private_key",
        "secret",
        "token",
    }
)
"""The rule, if you name no other: a value is redacted where its name holds one of these, in whatever case."""

MOST_SECRETS = 2_000
"""Values that are sealed one by one."""

MOST_OBJECTS, MOST_MEMBERS = 10_000, 25_000
"""Of a long text in which each secret is looked for."""

START_BYTES = 4096
"""How much of a value that is too long stays readable."""


_CONTAINERS = frozenset((dict, list))

_LONG_BYTES = 64 * 1024

_KELVIN = b"\xe2\x84\xaa"
"""U+212A, the only letter beyond ASCII whose lower case is one letter of it."""


def redact(data: bytes, *, key: bytes, limit_bytes: int, words: frozenset[str] = SECRET_WORDS) -> bytes:
    """Canonical JSON in, canonical JSON out; the same object if there is nothing to hide and nothing to cut.

    A value under a secret name becomes ``{"redacted": "hmac-sha256:..."}``, the HMAC of its canonical JSON under
    ``key``: equal values can be told, guessed ones cannot be confirmed without the key. Bytes that hold such a word are
    redacted as a whole if they are no JSON, or so much of it that to find each secret would hold up other calls. What
    is then longer than ``limit_bytes`` becomes
    ``{"truncated": {"bytes", "sha256", "start"}}`` of the redacted text.
    """
    lower = data.lower()
    if not data.isascii():
        if not _is_utf8(data):
            return _packed(_redacted(data, key))
        lower = lower.replace(_KELVIN, b"k")
    if words is not SECRET_WORDS or may_hold_secrets(lower):
        data = _without_secrets(data, key, words)
    return data if len(data) <= limit_bytes else _start_of(data, limit_bytes)


def may_hold_secrets(lower: bytes) -> bool:
    """Whether a text in lower case holds the beginning of a secret word. Written out: it is asked for every entry."""
    if len(lower) > _LONG_BYTES:
        return _beginnings().search(lower) is not None
    return (
        b"passw" in lower
        or b"secret" in lower
        or b"token" in lower
        or b"api" in lower
        or b"auth" in lower
        or b"cookie" in lower
        or b"cred" in lower
        or b"private" in lower
    )


@cache
def _beginnings() -> Any:
    """The same as one expression, which reads a long text once, whatever letters it is full of."""
    import re2

    return re2.compile(b"passw|secret|token|api|auth|cookie|cred|private")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _without_secrets(data: bytes, key: bytes, words: frozenset[str]) -> bytes:
    if len(data) > _LONG_BYTES and (data.count(b"{") > MOST_OBJECTS or data.count(b'":') > MOST_MEMBERS):
        return _packed(_redacted(data, key))
    try:
        value = orjson.loads(data)
        found = _hide(value, key, words)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # no JSON, or deeper than any that licet lets in
        return _packed(_redacted(data, key))
    if found > MOST_SECRETS:
        return _packed(_redacted(data, key))
    return _packed(value) if found else data


def _hide(value: Any, key: bytes, words: frozenset[str]) -> int:
    """Replace what stands under secret names, in place; how many there were, or at least one too many."""
    found = 0
    level: list[Any] = [value]
    while level and found <= MOST_SECRETS:
        below: list[Any] = []
        for part in level:
            if type(part) is list:
                below += [item for item in part if type(item) in _CONTAINERS]
            elif type(part) is dict:
                found += _hide_members(part, key, words, MOST_SECRETS + 1 - found)
                below += [held for held in part.values() if type(held) in _CONTAINERS]
        level = below
    return found


def _hide_members(members: dict[str, Any], key: bytes, words: frozenset[str], most: int) -> int:
    names = "\n".join(members).lower()
    if not any(word in names for word in words):
        return 0
    found = 0
    for name, held in members.items():
        if found < most and any(word in name.lower() for word in words):
            members[name] = _redacted(_packed(held), key)
            found += 1
    return found


def _redacted(held: bytes, key: bytes) -> dict[str, str]:
    return {"redacted": f"hmac-sha256:{hmac.digest(key, held, 'sha256').hex()}"}


def _start_of(data: bytes, limit_bytes: int) -> bytes:
    start = data[: min(START_BYTES, limit_bytes)].decode(errors="ignore")
    return _packed({"truncated": {"bytes": len(data), "sha256": sha256(data).hexdigest(), "start": start}})


def _packed(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


__all__ = ["SECRET_WORDS", "START_BYTES", "redact"]
