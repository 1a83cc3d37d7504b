"""What pydantic_ai validates a call's arguments with: strict JSON, and no guess at what is none."""

from typing import Any

from ...schema.canonical import NotJson, parse

UNREAD = "\N{REPLACEMENT CHARACTER}unread"
"""Under this name stands what cannot be read, until the corridor refuses it and the ledger has it."""

_LIMIT_BYTES = 1 << 20


class Reading:
    """In the place of a validator of pydantic_core's. It converts nothing, and fills in nothing."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> dict[str, Any]:
        """The object that a text says."""
        text = input if isinstance(input, str) else input.decode("utf-8", "replace")
        try:
            value = parse(text, limit_bytes=_LIMIT_BYTES)
        except NotJson:
            return {UNREAD: text}
        return value if isinstance(value, dict) else {UNREAD: text}

    def validate_python(
        self, input: Any, *, allow_partial: Any = None, context: Any = None, **_: Any
    ) -> dict[str, Any]:
        """A mapping as it is. What else is said today has names here: else each call would fill a dict with it."""
        return input if isinstance(input, dict) else {UNREAD: repr(input)}


READING = Reading()


def asked_for(arguments: dict[str, Any]) -> dict[str, Any] | str:
    """What the corridor is given: the arguments, or the text that could not be read."""
    text = arguments.get(UNREAD)
    return text if isinstance(text, str) else arguments


__all__ = ["READING", "UNREAD", "Reading", "asked_for"]
