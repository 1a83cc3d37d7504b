"""Anthropic's messages: blocks, results first in one message of the user, errors marked by ``is_error``.

Thinking goes back as it came, with its signature. What the provider runs itself stands between as ``server_tool_use``
and ``*_tool_result``; ``pause_turn`` wants the turn back unchanged.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import Ended, HostedItem, Said, Usage
from ..model.tool import Offered, ToolSpec
from . import blocks
from .anthropic_pieces import MessagePieces
from .call import Call, Calls
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import an_object, count_in, no_answer, objects, refuse_error, text_in
from .history import Answered, Speech, Step
from .lower.forms import ANTHROPIC, ANTHROPIC_STRICT
from .offer import Declared, Offer, Wire
from .shown import shown
from .turn import CallIds

NAME = "anthropic"

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_ENDS: Mapping[str, Ended] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "paused",
    "refusal": "refused",
}
_RUN_HERE = ("custom", "bash_", "text_editor_", "computer_", "browser_", "memory_")
"""How the types of tools begin that the provider defines, and whoever calls it runs."""

_SAYS = ("text", "thinking", "redacted_thinking", "container_upload", "compaction")
"""Types of blocks that tell of no tool."""

_PARTS_OF = {"bash_code_execution": "code_execution", "text_editor_code_execution": "code_execution"}


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
    declared["input_schema"] = tool.schema
    return {**declared, "strict": True} if tool.strict else declared


def _problem(declared: Mapping[str, Any]) -> str | None:
    kind = declared.get("type")
    if not isinstance(kind, str) or not kind:
        return "its declaration has no type"
    if kind.startswith(_RUN_HERE):
        return f"{kind!r} is not run by the provider"
    wanted = "mcp_server_name" if kind == "mcp_toolset" else "name"
    return None if text_in(declared.get(wanted)) else f"its declaration has no {wanted}"


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    system, sent = blocks.messages(steps, _text_block)
    tools = offer.tools
    body: dict[str, Any] = {"messages": sent if tools else blocks.without_calls(sent, _told, _text_block)}
    if system:
        body["system"] = system
    return {**body, "tools": tools} if tools else body


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _told(block: Mapping[str, Any]) -> str | None:
    if block.get("type") == "tool_use":
        return f"(called {block['name']} with {json.dumps(block['input'])})"
    return str(block["content"][0]["text"]) if block.get("type") == "tool_result" else None


def _spoken(text: str, calls: Sequence[Call]) -> list[dict[str, Any]] | None:
    said = [_text_block(text)] if text.strip() else []
    return [*said, *map(_tool_use, calls)] or None


def _tool_use(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.asked.id, "name": call.asked.name, "input": call.arguments}


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    results = [
        {
            "type": "tool_result",
            "tool_use_id": asked.id,
            "is_error": not result.success,
            "content": [_text_block(shown(result))],
        }
        for asked, result in answered
    ]
    return [{"role": "user", "content": results}] if results else []


def _renamed(content: list[dict[str, Any]], ids: Sequence[str]) -> list[dict[str, Any]]:
    own = iter(ids)
    return [{**block, "id": next(own)} if block["type"] == "tool_use" else block for block in content]


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    answer = an_object(response, NAME, "the answer")
    refuse_error(answer, NAME)
    read = objects(answer.get("content"), NAME, "content")
    if not text_in(answer.get("stop_reason")):
        no_answer(NAME, "the answer was cut: it has no stop_reason")
    calls = Calls(offer, _ids())
    kept = [block for block in (_block(calls, raw) for raw in read) if block is not None]
    usage = answer.get("usage")
    read_tokens = count_in(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return said(
        _SPEECH,
        "".join(text_in(block.get("text")) for block in read if block.get("type") == "text"),
        calls,
        content=kept or None,
        ended=_ENDS.get(answer["stop_reason"], "done"),
        hosted=_hosted(offer, read),
        usage=Usage(read_tokens, count_in(usage, "output_tokens")),
        within_call=bool(read) and read[-1].get("type") == "tool_use",
    )


def _block(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """A block as the provider takes it back; None: it does not."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        no_answer(NAME, "a block of content has no type")
    if kind == "tool_use":
        used = _tool_use(calls.add(raw.get("name"), raw.get("input"), raw.get("id")))
        return used | {"caller": raw["caller"]} if isinstance(raw.get("caller"), Mapping) else used
    said = {
        "text": text_in(raw.get("text")).strip(),
        "thinking": isinstance(raw.get("thinking"), str) and text_in(raw.get("signature")),
        "redacted_thinking": text_in(raw.get("data")),
    }
    return _kept(raw) if said.get(kind, True) else None


def _kept(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: member for key, member in raw.items() if member is not None}


def _hosted(offer: Offer, read: Sequence[Mapping[str, Any]]) -> list[HostedItem]:
    """Each use once. A result is one of its own only if its use stands in no block before, as after a pause."""
    items: list[HostedItem] = []
    uses: set[str] = set()
    for block in read:
        kind = text_in(block.get("type"))
        if kind in _SAYS or kind == "tool_use":
            continue
        if kind.endswith("_tool_result") and text_in(block.get("tool_use_id")) in uses:
            continue
        own = text_in(block.get("id")) or text_in(block.get("tool_use_id"))
        uses.add(own)
        items.append(HostedItem(_explained(offer, kind, block), text_in(block.get("name")) or kind, own))
    return items


def _explained(offer: Offer, kind: str, block: Mapping[str, Any]) -> str | None:
    server = text_in(block.get("server_name"))
    used = text_in(block.get("name")) if kind == "server_tool_use" else kind.removesuffix("_tool_result")
    for name, declared in offer.hosted.items():
        if kind.startswith("mcp_tool_"):
            explains = declared.get("type") == "mcp_toolset" and server in ("", declared.get("mcp_server_name"))
        else:
            own = text_in(declared.get("name"))
            explains = own == _PARTS_OF.get(used, used) or (used == "tool_search" and own.startswith("tool_search_"))
        if explains:
            return name
    return None


def _ids() -> CallIds:
    return CallIds(_CALL_ID, "toolu_{:.24}".format)


_SPEECH = Speech(NAME, _spoken, _answers, _renamed, _ids)
_WIRE = Wire(NAME, ANTHROPIC, _declare, ANTHROPIC_STRICT, problem=_problem)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, MessagePieces)

__all__ = ["NAME", "compile"]
