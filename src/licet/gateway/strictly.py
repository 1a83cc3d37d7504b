"""What a client sends, as strict JSON. A parser that keeps the last of two equal keys must not decide what runs."""

import json
from typing import Any

from ..schema.canonical import NotJson, parse

MAX_MESSAGE = 8 << 20
"""Bytes of one message."""


def readable(message: bytes) -> bytes:
    """The message, for a parser that is not strict.

    The arguments of a call that are no strict JSON become a text that says what is wrong: so the call walks on, is
    refused for its arguments, and stands on the ledger. Anything else is left for the protocol's own errors.
    """
    try:
        parse(message, limit_bytes=MAX_MESSAGE)
    except NotJson as exc:
        return _told(message, exc)
    return message


def _told(message: bytes, problem: NotJson) -> bytes:
    try:
        request: Any = json.loads(message)
        if request["method"] != "tools/call" or not isinstance(request["params"], dict):
            return message
        request["params"]["arguments"] = f"not JSON: {problem}"
        return json.dumps(request).encode()
    except (ValueError, RecursionError, KeyError, TypeError):
        return message


__all__ = ["MAX_MESSAGE", "readable"]
