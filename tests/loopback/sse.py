"""Server-sent events, as the providers frame them."""

import json
from collections.abc import Mapping
from typing import Any


def data(value: Mapping[str, Any] | str) -> bytes:
    """One event that has no name."""
    return f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()


def event(value: Mapping[str, Any]) -> bytes:
    """One event named after its type."""
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode()


def halves(text: str) -> list[str]:
    """A text in two pieces, one if it has no two."""
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


__all__ = ["data", "event", "halves"]
