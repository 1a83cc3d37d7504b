"""Whether a call's arguments fit the schema of its tool."""

from collections.abc import Mapping
from typing import Any

from ..model.json_object import JsonObject
from ..schema.canonical import NotJson, freeze
from ..schema.validate import compile
from .error import DecisionError

MAX_BYTES = 1024 * 1024
"""Of the arguments of one call, as JSON."""


def fitted(schema: JsonObject, arguments: Mapping[str, Any], *, where: str) -> Any:
    """A fresh copy of the arguments, of plain types.

    Raises:
        DecisionError: ``invalid_arguments``: they are not strict JSON of at most ``MAX_BYTES``, or do not fit; the
            message names the place and does not repeat the value.
    """
    try:
        _, copy = freeze(dict(arguments), limit_bytes=MAX_BYTES)
    except NotJson as problem:
        raise DecisionError("invalid_arguments", f"{where}: {problem}") from None
    if problems := compile(schema, where=where).errors(copy, limit=3):
        told = "; ".join(f"{one.pointer or 'the arguments'}: {one.message}" for one in problems)
        raise DecisionError("invalid_arguments", f"{where}: {told}")
    return copy
