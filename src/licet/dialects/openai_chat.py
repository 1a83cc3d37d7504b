"""OpenAI's chat completions, and what speaks like them: vLLM, llama.cpp, Ollama's compatible door and others.

Results carry no mark of an error: a failed one says so in its text. Custom tools are never offered, so a call of one
is a call of no tool. The deprecated ``function_call`` is read as a call without an id.
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
from .foreign import count_in, text_in, word_in
from .history import Answered, Speech, Step
from .lower.forms import OPENAI_CHAT, OPENAI_STRICT
from .offer import Offer, Wire
from .shown import shown
from .turn import ANY_ID, CallIds

NAME = "openai_chat"

MOST_TOOLS = 128
"""In one request. The service answers more with an error 400, ``array_above_max_length``; its reference says "a max of
128 functions are supported".
"""

_CALL_ID = re.compile(r"[A-Za-z0-9_.:-]{1,40}", re.ASCII)
"""The service refuses longer ones, and made none of those."""


def compile(
    tools: Iterable[ToolSpec | Offered],
    *,
    chosen: Mapping[str, str] = NONE_CHOSEN,
    most_tools: int | None = MOST_TOOLS,
) -> Compiled:
    """What this dialect makes of some tools. ``chosen`` are your own wire names, by canonical name.

    ``most_tools`` is how many one request holds, the first ones; None: as many as there are, for a server that speaks
    this wire and takes more.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    if most_tools == MOST_TOOLS:
        return compiled(_DIALECT, tools, chosen)
    return compiled(_DIALECT._replace(wire=_WIRE._replace(most_tools=most_tools)), tools, chosen)


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    body: dict[str, Any] = {"messages": chat.messages(steps)}
    tools = offer.tools
    return {**body, "tools": tools} if tools else body


def _spoken(text: str, calls: Sequence[Call]) -> dict[str, Any] | None:
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = chat.tool_calls(calls)
    return message if text or calls else None


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    return [{"role": "tool", "tool_call_id": asked.id, "content": shown(result)} for asked, result in answered]


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    choice, message = chat.choice(response, NAME)
    text, refusal = chat.text_of(message.get("content")), text_in(message.get("refusal"))
    calls = Calls(offer, _ids())
    content = _spoken(text, ()) or {"role": "assistant", "content": None}
    held = [_call(calls, raw) for raw in chat.calls_in(message, NAME)]
    if held:
        content["tool_calls"] = held
        if reasoning := text_in(message.get("reasoning_content")):
            content["reasoning_content"] = reasoning  # servers that give it want it back while calls are answered
    return said(
        _SPEECH,
        text or refusal,
        calls,
        content=content if text or held else None,
        ended="refused" if refusal else chat.ended(choice.get("finish_reason")),
        hosted=_hosted(offer, message.get("annotations")),
        usage=_usage(response.get("usage")),
        within_call=bool(held),
    )


def _call(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any]:
    said_id = chat.call_id(raw.get("id"))
    if raw.get("type") == "custom" or ("custom" in raw and "function" not in raw):
        custom = chat.part(raw.get("custom"))
        call = calls.add(custom.get("name"), text_in(custom.get("input")), said_id, kind="custom")
        written = {"name": call.asked.name, "input": text_in(custom.get("input"))}
        return {"id": call.asked.id, "type": "custom", "custom": written}
    function = chat.part(raw.get("function"))
    return chat.function_call(calls.add(function.get("name"), function.get("arguments"), said_id))


def _hosted(offer: Offer, annotations: object) -> list[HostedItem]:
    """Citations of pages show that a search was run, and nothing else of the answer does."""
    kinds = (
        [word_in(item.get("type")) for item in annotations if isinstance(item, Mapping)]
        if isinstance(annotations, list)
        else []
    )
    if "url_citation" not in kinds:
        return []
    explains = (name for name, declared in offer.hosted.items() if "search" in text_in(declared.get("type")))
    return [HostedItem(next(explains, None), "url_citation")]


def _usage(usage: object) -> Usage:
    return Usage(count_in(usage, "prompt_tokens"), count_in(usage, "completion_tokens"))


def _ids() -> CallIds:
    return CallIds(_CALL_ID, own=ANY_ID)


_SPEECH = Speech(NAME, _spoken, _answers, chat.renamed, _ids)
_WIRE = Wire(NAME, OPENAI_CHAT, chat.declare, OPENAI_STRICT, problem=chat.problem, most_tools=MOST_TOOLS)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, lambda: ChatPieces(NAME))

__all__ = ["MOST_TOOLS", "NAME", "compile"]
