"""Ollama's own chat, as raw HTTP takes it: calls have no ids, and results are paired by name and order.

Its Python SDK deletes most of a schema before it is sent; the body made here goes over HTTP as it is. Chunks are the
lines of the answer, with whole calls in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import Said, Usage
from ..model.tool import Offered, ToolSpec
from . import chat
from .call import Call, Calls
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import an_object, count_in, no_answer, objects, refuse_error, text_in
from .history import Answered, Speech, Step
from .lower.forms import OLLAMA
from .offer import Offer, Wire
from .shown import shown

NAME = "ollama"


def compile(tools: Iterable[ToolSpec | Offered], *, chosen: Mapping[str, str] = NONE_CHOSEN) -> Compiled:
    """What this dialect makes of some tools. ``chosen`` are your own wire names, by canonical name.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return compiled(_DIALECT, tools, chosen)


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    body: dict[str, Any] = {"messages": chat.messages(steps)}
    tools = offer.tools
    return {**body, "tools": tools} if tools else body


def _spoken(text: str, calls: Sequence[Call]) -> dict[str, Any] | None:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [_wire_call(call) for call in calls]
    return message if text or calls else None


def _wire_call(call: Call) -> dict[str, Any]:
    return {"function": {"name": call.asked.name, "arguments": call.arguments}}


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    return [{"role": "tool", "tool_name": asked.name, "content": shown(result)} for asked, result in answered]


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    answer = an_object(response, NAME, "the answer")
    refuse_error(answer, NAME)
    if answer.get("done") is not True:
        no_answer(NAME, "the answer was cut: it says nowhere that it is done")
    message = an_object(answer.get("message"), NAME, "message")
    text, thinking = text_in(message.get("content")), text_in(message.get("thinking"))
    calls = Calls(offer, None)
    held = [_call(calls, raw) for raw in objects(message.get("tool_calls") or [], NAME, "message.tool_calls")]
    content: dict[str, Any] = {"role": "assistant", "content": text}
    content |= {"thinking": thinking} if thinking else {}
    content |= {"tool_calls": held} if held else {}
    return said(
        _SPEECH,
        text,
        calls,
        content=content if text or held else None,
        ended="length" if answer.get("done_reason") == "length" else "done",
        usage=Usage(count_in(answer, "prompt_eval_count"), count_in(answer, "eval_count")),
        within_call=bool(held),
    )


def _call(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any]:
    function = chat.part(raw.get("function"))
    return _wire_call(calls.add(function.get("name"), function.get("arguments")))


class _Lines:
    """Puts the lines of a streamed answer together."""

    def __init__(self) -> None:
        self._text: dict[str, list[str]] = {"content": [], "thinking": []}
        self._calls: list[Any] = []
        self._last: Mapping[str, Any] | None = None

    def feed(self, event: Mapping[str, Any]) -> str:
        line = an_object(event, NAME, "a line")
        refuse_error(line, NAME)
        if self._last is not None:
            no_answer(NAME, "a piece came after the end of the answer")
        message = line.get("message")
        message = {} if message is None else an_object(message, NAME, "message")
        for key, pieces in self._text.items():
            piece = message.get(key)
            if not isinstance(piece, str | None):
                no_answer(NAME, f"a piece of {key} is no text")
            pieces.append(piece or "")
        self._calls.extend(objects(message.get("tool_calls") or [], NAME, "message.tool_calls"))
        if line.get("done") is True:
            self._last = line
        return self._text["content"][-1]

    def whole(self) -> Mapping[str, Any]:
        if self._last is None:
            no_answer(NAME, "the answer was cut: it says nowhere that it is done")
        message = {key: "".join(pieces) for key, pieces in self._text.items()}
        return {**self._last, "message": {**message, "tool_calls": self._calls}}


_SPEECH = Speech(NAME, _spoken, _answers)
_WIRE = Wire(NAME, OLLAMA, chat.declare, problem=lambda declared: "no tool is run by the provider")
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, _Lines)

__all__ = ["NAME", "compile"]
