"""The shape of OpenAI's chat completions, which other providers took over: messages, choices, deltas."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.said import Ended
from .call import Call
from .foreign import an_object, no_answer, objects, refuse_error, text_in
from .history import Step
from .offer import Declared

_ENDS: Mapping[str, Ended] = {"length": "length", "model_length": "length", "content_filter": "refused"}


def declare(tool: Declared) -> dict[str, Any]:
    """``{"type": "function", "function": {...}}``, without an empty description, and ``strict`` only where it holds."""
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    function["parameters"] = tool.schema
    if tool.strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def problem(declared: Mapping[str, Any]) -> str | None:
    """What is wrong with a hosted tool's declaration."""
    kind = declared.get("type")
    if not isinstance(kind, str) or not kind:
        return "its declaration has no type"
    return f"{kind!r} is not run by the provider" if kind in ("function", "custom") else None


def messages(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The whole conversation as one list."""
    sent: list[dict[str, Any]] = []
    for step in steps:
        if step.kind == "results":
            sent.extend(step.content)
        elif step.kind == "turn":
            sent.append(step.content)
        else:
            sent.append({"role": step.kind, "content": step.content})
    return sent


def tool_calls(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Calls of functions, with their arguments as text."""
    return [function_call(call) for call in calls]


def function_call(call: Call) -> dict[str, Any]:
    function = {"name": call.asked.name, "arguments": call.text}
    return {"id": call.asked.id, "type": "function", "function": function}


def renamed(content: dict[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """The message with other ids for its calls."""
    calls = [{**call, "id": own} for call, own in zip(content["tool_calls"], ids, strict=True)]
    return {**content, "tool_calls": calls}


def choice(response: Mapping[str, Any], dialect: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The first choice of a whole answer, and its message. Raises AnswerError."""
    answer = an_object(response, dialect, "the answer")
    refuse_error(answer, dialect)
    choices = objects(answer.get("choices"), dialect, "choices")
    if not choices:
        no_answer(dialect, "the answer has no choices")
    first = choices[0]
    if first.get("finish_reason") == "error":
        no_answer(dialect, "the provider broke off with an error")
    return first, an_object(first.get("message"), dialect, "choices[0].message")


def calls_in(message: Mapping[str, Any], dialect: str) -> list[Mapping[str, Any]]:
    """The calls of a message, in order, with what older servers call ``function_call``. Raises AnswerError."""
    calls = objects(message.get("tool_calls") or [], dialect, "message.tool_calls")
    older = message.get("function_call")
    return [{"function": older}] if not calls and isinstance(older, Mapping) else calls


def part(value: object) -> Mapping[str, Any]:
    """The object inside a call; none at all is a call without name and arguments."""
    return value if isinstance(value, Mapping) else {}


def call_id(value: object) -> object:
    """One SDK writes ``null`` as text where a call has no id."""
    return None if value == "null" else value


def text_of(content: object) -> str:
    """The text of a message's content, which is text, or a list of parts."""
    if isinstance(content, list):
        parts = (item for item in content if isinstance(item, Mapping) and item.get("type") == "text")
        return "".join(text_in(item.get("text")) for item in parts)
    return text_in(content)


def ended(finish_reason: object) -> Ended:
    return _ENDS.get(finish_reason, "done") if isinstance(finish_reason, str) else "done"


__all__ = [
    "call_id",
    "calls_in",
    "choice",
    "declare",
    "ended",
    "function_call",
    "messages",
    "part",
    "problem",
    "renamed",
    "text_of",
    "tool_calls",
]
