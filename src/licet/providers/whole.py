"""A whole answer as it came over HTTP, read strictly: of two members of one name none counts."""

from typing import Any

from ..errors import AnswerError
from ..schema.canonical import NotJson, parse

MOST_BYTES = 64 * 1024 * 1024


def whole(content: bytes) -> dict[str, Any]:
    """The object that a body is.

    Raises:
        AnswerError: it is no strict JSON, or no object.
    """
    try:
        found = parse(content, limit_bytes=MOST_BYTES)
    except NotJson as exc:
        raise AnswerError(f"the provider's answer is no strict JSON: {exc}") from None
    if not isinstance(found, dict):
        raise AnswerError(f"the provider's answer is JSON, and no object but {type(found).__name__}")
    return found


__all__ = ["MOST_BYTES", "whole"]
