"""What differs between clients of the handshake era and of the stateless era, 2026-07-28 and later."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model.result import ToolResult

COMPLETE = {"resultType": "complete"}
UNCACHED = {"ttlMs": 0, "cacheScope": "private"}
"""What a client may see depends on who it is and on this moment: nobody keeps it."""

MISSING_CAPABILITY = -32021
QUESTION = "approval"
"""The key of the one question that a call may ask."""

NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}
"""Accepting is the answer: there is nothing to fill in, and nothing that a client may fill in by itself."""


def listing(tools: list[dict[str, Any]], *, modern: bool) -> dict[str, Any]:
    """The result of tools/list."""
    return {"tools": tools, **COMPLETE, **UNCACHED} if modern else {"tools": tools}


def called(result: dict[str, Any], *, modern: bool) -> dict[str, Any]:
    """The result of tools/call. Before 2026-07-28 structured content is an object; the text beside it says the same."""
    if modern:
        return {**result, **COMPLETE}
    if isinstance(result.get("structuredContent", {}), dict):
        return result
    return {part: value for part, value in result.items() if part != "structuredContent"}


def asking(text: str, state: str) -> dict[str, Any]:
    """The result, in the stateless era, of a call that waits for a word of the client's user."""
    form = {"mode": "form", "message": text, "requestedSchema": NO_FIELDS}
    question = {"method": "elicitation/create", "params": form}
    return {"resultType": "input_required", "inputRequests": {QUESTION: question}, "requestState": state}


def accepted(responses: Any) -> bool:
    """Whether a request that comes back with ``inputResponses`` brings a yes."""
    said = responses.get(QUESTION) if isinstance(responses, dict) else None
    return isinstance(said, dict) and said.get("action") == "accept"


def missing_capability(result: "ToolResult") -> Any:
    """The one error of an upstream that is handed on as it is: its client lacks something, and nothing ran. Or None."""
    cause = None if result.cause is None else result.cause.__cause__  # what the connection's own error came from
    error = getattr(cause, "error", None)
    return error if getattr(error, "code", None) == MISSING_CAPABILITY else None


__all__ = ["NO_FIELDS", "accepted", "asking", "called", "listing", "missing_capability"]
