"""Amazon Bedrock's Converse: blocks with one key each, results of a turn in one message, errors marked by ``status``.

Roles alternate. A description is never empty. Calls and results are refused in a request that declares no tool: there
they are said as text. What the provider runs itself is a ``toolUse`` of the type ``server_tool_use``.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import Ended, HostedItem, Said, Usage
from ..model.tool import Offered, ToolSpec
from . import blocks
from .bedrock_pieces import ConversePieces
from .call import Call, Calls
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import an_object, count_in, no_answer, objects, text_in
from .history import Answered, Speech, Step
from .lower.forms import BEDROCK, BEDROCK_STRICT
from .offer import Declared, Offer, Wire
from .shown import shown
from .turn import CallIds

NAME = "bedrock"

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_SERVED = "server_tool_use"
_ENDS: Mapping[str, Ended] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refused",
    "content_filtered": "refused",
    "malformed_model_output": "refused",
    "malformed_tool_use": "refused",
}


def compile(tools: Iterable[ToolSpec | Offered], *, chosen: Mapping[str, str] = NONE_CHOSEN) -> Compiled:
    """What this dialect makes of some tools. ``chosen`` are your own wire names, by canonical name.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return compiled(_DIALECT, tools, chosen)


def _declare(tool: Declared) -> dict[str, Any]:
    declared: dict[str, Any] = {"name": tool.name}
    if tool.description:
        declared["description"] = tool.description
    declared["inputSchema"] = {"json": tool.schema}
    return {"toolSpec": {**declared, "strict": True} if tool.strict else declared}


def _problem(declared: Mapping[str, Any]) -> str | None:
    held = declared.get("systemTool")
    named = isinstance(held, Mapping) and isinstance(held.get("name"), str) and held["name"]
    return None if named and len(declared) == 1 else "its declaration is not {'systemTool': {'name': ...}}"


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    system, sent = blocks.messages(steps, _text_block)
    tools = offer.tools
    body: dict[str, Any] = {"messages": sent if tools else blocks.without_calls(sent, _told, _text_block)}
    if system:
        body["system"] = system
    return {**body, "toolConfig": {"tools": tools}} if tools else body


def _text_block(text: str) -> dict[str, Any]:
    return {"text": text}


def _told(block: Mapping[str, Any]) -> str | None:
    if "toolUse" in block:
        return f"(called {block['toolUse']['name']} with {json.dumps(block['toolUse']['input'])})"
    return str(block["toolResult"]["content"][0]["text"]) if "toolResult" in block else None


def _spoken(text: str, calls: Sequence[Call]) -> list[dict[str, Any]] | None:
    said = [_text_block(text)] if text.strip() else []
    return [*said, *map(_tool_use, calls)] or None


def _tool_use(call: Call) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call.asked.id, "name": call.asked.name, "input": call.arguments}}


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    results = [
        {
            "toolResult": {
                "toolUseId": asked.id,
                "status": "success" if result.success else "error",
                "content": [{"text": shown(result)}],
            }
        }
        for asked, result in answered
    ]
    return [{"role": "user", "content": results}] if results else []


def _renamed(content: list[dict[str, Any]], ids: Sequence[str]) -> list[dict[str, Any]]:
    own = iter(ids)
    return [
        {"toolUse": {**block["toolUse"], "toolUseId": next(own)}} if _is_call(block) else block for block in content
    ]


def _is_call(block: Mapping[str, Any]) -> bool:
    used = block.get("toolUse")
    return "toolUse" in block and not (isinstance(used, Mapping) and used.get("type") == _SERVED)


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    answer = an_object(response, NAME, "the answer")
    reason = text_in(answer.get("stopReason"))
    if not reason:
        no_answer(NAME, "the answer was cut: it has no stopReason")
    message = an_object(an_object(answer.get("output"), NAME, "output").get("message"), NAME, "output.message")
    read = objects(message.get("content"), NAME, "output.message.content")
    calls = Calls(offer, _ids())
    kept = [block for block in (_block(calls, raw) for raw in read) if block is not None]
    usage = answer.get("usage")
    return said(
        _SPEECH,
        "".join(map(_text_of, read)),
        calls,
        content=kept or None,
        ended=_ENDS.get(reason, "done"),
        hosted=_hosted(offer, read),
        usage=Usage(
            count_in(usage, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
            count_in(usage, "outputTokens"),
        ),
        within_call=bool(read) and _is_call(read[-1]),
    )


def _text_of(block: Mapping[str, Any]) -> str:
    cited = block.get("citationsContent")
    if isinstance(cited, Mapping) and isinstance(cited.get("content"), list):
        return "".join(text_in(piece.get("text")) for piece in cited["content"] if isinstance(piece, Mapping))
    return text_in(block.get("text"))


def _block(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """A block as the provider takes it back; None: it does not."""
    if _is_call(raw):
        used = raw["toolUse"] if isinstance(raw["toolUse"], Mapping) else {}
        return _tool_use(calls.add(used.get("name"), used.get("input"), used.get("toolUseId")))
    if "text" in raw:
        return {"text": raw["text"]} if text_in(raw["text"]).strip() else None
    if "reasoningContent" in raw:
        return _reasoning(raw["reasoningContent"])
    kept = {key: member for key, member in raw.items() if isinstance(member, Mapping)}
    return kept if len(kept) == 1 else None


def _reasoning(raw: object) -> dict[str, Any] | None:
    """What cannot go back whole does not go back."""
    held = raw if isinstance(raw, Mapping) else {}
    if isinstance(held.get("redactedContent"), bytes | str):
        return {"reasoningContent": {"redactedContent": held["redactedContent"]}}
    said = held.get("reasoningText")
    if not isinstance(said, Mapping) or not isinstance(said.get("text"), str):
        return None
    signature = said.get("signature")
    if not isinstance(signature, str | None):
        return None
    kept = {"text": said["text"]} | ({} if signature is None else {"signature": signature})
    return {"reasoningContent": {"reasoningText": kept}}


def _hosted(offer: Offer, read: Sequence[Mapping[str, Any]]) -> list[HostedItem]:
    """Each use once. A result is one of its own only if its use stands in no block before."""
    items: list[HostedItem] = []
    uses: set[str] = set()
    for block in read:
        kind = "toolResult" if "toolResult" in block else _SERVED
        held = block.get("toolResult") if "toolResult" in block else block.get("toolUse")
        if held is None or _is_call(block):
            continue
        inner = held if isinstance(held, Mapping) else {}
        own, name = text_in(inner.get("toolUseId")), text_in(inner.get("name"))
        if kind == "toolResult" and own in uses:
            continue
        uses.add(own)
        items.append(HostedItem(_explained(offer, name), name or kind, own))
    return items


def _explained(offer: Offer, used: str) -> str | None:
    declared = ((name, held.copy()["systemTool"]["name"]) for name, held in offer.hosted.items())
    return next((name for name, own in declared if own == used), None)


def _ids() -> CallIds:
    return CallIds(_CALL_ID, "tooluse_{:.24}".format)


_SPEECH = Speech(NAME, _spoken, _answers, _renamed, _ids)
_WIRE = Wire(NAME, BEDROCK, _declare, BEDROCK_STRICT, problem=_problem)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, ConversePieces)

__all__ = ["NAME", "compile"]
