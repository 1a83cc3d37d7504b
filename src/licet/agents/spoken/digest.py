"""One digest over everything that a model was sent, made of what a ledger holds and nothing that it may not hold.

What a ledger seals under a key of its process, or cuts, is left out on both sides: nobody could compute it again.
"""

import hashlib
import re

import orjson

from ...ledger.redact import redact
from ...model.result import ToolResult

EMPTY = ""

LIMIT_BYTES = 64 * 1024
"""Of an output, as a ledger keeps it."""

_NO_KEY = b"\0" * 32
_SEALED = re.compile(rb'"hmac-sha256:[0-9a-f]{64}"')


def digest_of_result(result: ToolResult) -> str:
    """Of what a model was told of one call."""
    if result.success:
        return digest_of_output(result.json)
    return digest_of_failure(result.code or "error", result.effect, result.reason)


def digest_of_output(data: bytes) -> str:
    """``data`` is canonical JSON: an output, or what a ledger holds of it."""
    shown = redact(data, key=_NO_KEY, limit_bytes=LIMIT_BYTES)
    if shown.startswith(b'{"truncated":{"bytes":'):
        shown = shown[: shown.index(b",")]
    elif b'"hmac-sha256:' in shown:
        shown = _SEALED.sub(b'""', shown)
    return _hashed(b"output\0" + shown)


def digest_of_failure(code: str, effect: str, reason: str) -> str:
    return _hashed(orjson.dumps([code, effect, reason]))


def sent_after(sent: str, *parts: bytes) -> str:
    """The digest once these parts were sent too, each framed by its length."""
    framed = b"".join(b"%d:%b" % (len(part), part) for part in (sent.encode(), *parts))
    return _hashed(framed)


def _hashed(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


__all__ = ["EMPTY", "digest_of_failure", "digest_of_output", "digest_of_result", "sent_after"]
