"""Mistral's chat completions: OpenAI's shape with ids of nine letters and digits, and results that name their tool.

Arguments may be an object or text, content a list of chunks. The order of roles is fixed (mistral-common, validation of
messages): nothing of the system follows an assistant, so that comes first, and nothing of the user a result, so a word
of the assistant stands between.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import HostedItem, Said, Usage
from ..model.tool import Offered, ToolSpec
from . import chat
from .call import Call, Calls
from .chat_pieces import ChatPieces
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import count_in
from .history import Answered, Speech, Step
from .lower.forms import MISTRAL
from .offer import Offer, Wire
from .shown import shown
from .turn import CallIds

NAME = "mistral"

_CALL_ID = re.compile(r"[A-Za-z0-9]{9}", re.ASCII)
_BETWEEN = {"role": "assistant", "content": "..."}


def compile(tools: Iterable[ToolSpec | Offered], *, chosen: Mapping[str, str] = NONE_CHOSEN) -> Compiled:
    """What this dialect makes of some tools. ``chosen`` are your own wire names, by canonical name.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return compiled(_DIALECT, tools, chosen)


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    system = [step for step in steps if step.kind == "system"]
    sent = chat.messages(system)
    for message in chat.messages([step for step in steps if step.kind != "system"]):
        if sent and sent[-1]["role"] == "tool" and message["role"] == "user":
            sent.append(dict(_BETWEEN))
        sent.append(message)
    tools = offer.tools
    return {"messages": sent, "tools": tools} if tools else {"messages": sent}


def _spoken(text: str, calls: Sequence[Call]) -> dict[str, Any] | None:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = chat.tool_calls(calls)
    return message if text or calls else None


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": asked.id, "name": asked.name, "content": shown(result)}
        for asked, result in answered
    ]


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    choice, message = chat.choice(response, NAME)
    written = message.get("content")
    text = chat.text_of(written)
    chunks = [chunk for chunk in written if isinstance(chunk, Mapping)] if isinstance(written, list) else []
    calls = Calls(offer, _ids())
    content: dict[str, Any] = {"role": "assistant", "content": chunks or text}
    held = [_call(calls, raw) for raw in chat.calls_in(message, NAME)]
    if held:
        content["tool_calls"] = held
    usage = response.get("usage")
    return said(
        _SPEECH,
        text,
        calls,
        content=content if text or chunks or held else None,
        ended=chat.ended(choice.get("finish_reason")),
        hosted=_hosted(choice, chunks),
        usage=Usage(count_in(usage, "prompt_tokens"), count_in(usage, "completion_tokens")),
        within_call=bool(held),
    )


def _call(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any]:
    function = chat.part(raw.get("function"))
    return chat.function_call(calls.add(function.get("name"), function.get("arguments"), chat.call_id(raw.get("id"))))


def _hosted(choice: Mapping[str, Any], chunks: Sequence[Mapping[str, Any]]) -> list[HostedItem]:
    """What shows that the provider ran something, which is never offered here."""
    items = [HostedItem(None, "messages")] if choice.get("messages") else []
    return items + [HostedItem(None, "tool_reference") for chunk in chunks if chunk.get("type") == "tool_reference"]


def _problem(declared: Mapping[str, Any]) -> str:
    return "what the provider runs is not told of in its answers"


def _ids() -> CallIds:
    return CallIds(_CALL_ID, "{:.9}".format)


_SPEECH = Speech(NAME, _spoken, _answers, chat.renamed, _ids)
_WIRE = Wire(NAME, MISTRAL, chat.declare, problem=_problem)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, lambda: ChatPieces(NAME))

__all__ = ["NAME", "compile"]
