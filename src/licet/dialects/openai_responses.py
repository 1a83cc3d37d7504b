"""OpenAI's Responses: a flat list of items, where reasoning goes back with what followed it.

``strict`` is always said, because the service tries it where it is not. Custom tools and namespaces are never offered,
so a call of one is a call of no tool. Every item but messages, reasoning and calls is something that the provider ran.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import Ended, HostedItem, Said, Usage
from ..model.tool import Offered, ToolSpec
from .call import Call, Calls
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import an_object, count_in, no_answer, objects, refuse_error, text_in, word_in
from .history import Answered, Speech, Step
from .lower.forms import OPENAI_RESPONSES, OPENAI_STRICT
from .offer import Declared, Offer, Wire
from .responses_pieces import ResponsePieces
from .shown import shown
from .turn import ANY_ID, CallIds

NAME = "openai_responses"

MOST_TOOLS = 128
"""In one request. The service answers more with an error 400, ``array_above_max_length``."""

_CALL_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}", re.ASCII)
_RUN_HERE = ("function", "custom", "namespace", "computer", "local_shell", "shell", "apply_patch")
"""How the types of tools begin that whoever calls them runs."""

_CALLS = {"function_call": "", "custom_tool_call": "custom"}
_SAYS = ("message", "reasoning", "compaction", *_CALLS)
"""Types of items that tell of nothing that was run."""

_STATES = ("in_progress", "completed", "incomplete")
_PHASES = ("commentary", "final_answer")


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


def _declare(tool: Declared) -> dict[str, Any]:
    declared: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description:
        declared["description"] = tool.description
    return {**declared, "parameters": tool.schema, "strict": tool.strict}


def _problem(declared: Mapping[str, Any]) -> str | None:
    kind = declared.get("type")
    if not isinstance(kind, str) or not kind:
        return "its declaration has no type"
    return f"{kind!r} is not run by the provider" if kind.startswith(_RUN_HERE) else None


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    sent: list[dict[str, Any]] = []
    instructions: list[str] = []
    for step in steps:
        if step.kind in ("turn", "results"):
            sent.extend(step.content)
        elif step.kind == "system" and not sent:
            instructions.append(step.content)
        else:
            sent.append({"role": step.kind, "content": step.content})
    body: dict[str, Any] = {"input": sent}
    if instructions:
        body["instructions"] = "\n\n".join(instructions)
    tools = offer.tools
    return {**body, "tools": tools} if tools else body


def _spoken(text: str, calls: Sequence[Call]) -> list[dict[str, Any]] | None:
    said = [{"role": "assistant", "content": text}] if text else []
    return [*said, *map(_function_call, calls)] or None


def _function_call(call: Call) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call.asked.id, "name": call.asked.name, "arguments": call.text}


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    return [
        {
            "type": "custom_tool_call_output" if asked.kind == "custom" else "function_call_output",
            "call_id": asked.id,
            "output": shown(result),
        }
        for asked, result in answered
    ]


def _renamed(content: list[dict[str, Any]], ids: Sequence[str]) -> list[dict[str, Any]]:
    own = iter(ids)
    return [{**item, "call_id": next(own)} if item.get("type") in _CALLS else item for item in content]


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    answer = an_object(response, NAME, "the answer")
    refuse_error(answer, NAME)
    status = answer.get("status")
    if status not in (None, "completed", "incomplete"):
        no_answer(NAME, f"the answer is not complete: its status is {word_in(status) or 'unknown'}")
    read = objects(answer.get("output"), NAME, "output")
    calls = Calls(offer, _ids())
    parts = [part for item in read if item.get("type") == "message" for part in _parts(item)]
    kept = [item for item in (_item(calls, raw) for raw in read) if item is not None]
    refusal = "".join(text_in(part.get("refusal")) for part in parts if part.get("type") == "refusal")
    return said(
        _SPEECH,
        "".join(text_in(part.get("text")) for part in parts if part.get("type") == "output_text") or refusal,
        calls,
        content=_without_loose_reasoning(kept) or None,
        ended="refused" if refusal else _ended(status, answer.get("incomplete_details")),
        hosted=[_hosted(offer, item) for item in read if item.get("type") not in _SAYS],
        usage=Usage(count_in(answer.get("usage"), "input_tokens"), count_in(answer.get("usage"), "output_tokens")),
        within_call=bool(read) and read[-1].get("type") in _CALLS,
    )


def _parts(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return objects(item.get("content") or [], NAME, "the content of a message")


def _item(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """An item as the provider takes it back; None: it does not."""
    kind = raw.get("type")
    if not isinstance(kind, str):
        no_answer(NAME, "an item of the output has no type")
    if kind in _CALLS:
        return _call(calls, raw, kind)
    if kind == "message":
        return _message(raw)
    if kind == "reasoning":
        return _reasoning(raw)
    return {key: member for key, member in raw.items() if member is not None}


def _reasoning(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """What cannot go back whole does not go back."""
    summary, content = raw.get("summary"), raw.get("content") or []
    if (
        not text_in(raw.get("id"))
        or not _are_texts(summary, "summary_text")
        or not _are_texts(content, "reasoning_text")
    ):
        return None
    kept = {"id": raw["id"], "type": "reasoning", "summary": summary}
    kept |= {"content": content} if content else {}
    kept |= {"encrypted_content": raw["encrypted_content"]} if text_in(raw.get("encrypted_content")) else {}
    return kept | _state(raw)


def _are_texts(parts: object, kind: str) -> bool:
    return isinstance(parts, list) and all(
        isinstance(part, Mapping) and part.get("type") == kind and isinstance(part.get("text"), str) for part in parts
    )


def _state(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": raw["status"]} if raw.get("status") in _STATES else {}


def _call(calls: Calls, raw: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A function that stands in a namespace is none that was offered."""
    namespace = raw.get("namespace")
    sort = _CALLS[kind] or ("" if namespace is None else "in a namespace")
    given = raw.get("input") if _CALLS[kind] else raw.get("arguments")
    call = calls.add(raw.get("name"), given, raw.get("call_id"), kind=sort)
    kept: dict[str, Any] = {"type": kind, "call_id": call.asked.id, "name": call.asked.name}
    kept |= {"input": text_in(given)} if _CALLS[kind] else {"arguments": call.text, **_state(raw)}
    kept |= {key: raw[key] for key in ("id", "namespace") if text_in(raw.get(key))}
    return kept | ({"caller": raw["caller"]} if isinstance(raw.get("caller"), Mapping) else {})


def _message(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    parts = [part for part in map(_part, _parts(raw)) if part is not None]
    if not parts:
        return None
    if not text_in(raw.get("id")) or not _state(raw):
        return {"role": "assistant", "content": "".join(part["text"] for part in parts)}
    kept = {"id": raw["id"], "type": "message", "role": "assistant", "content": parts, **_state(raw)}
    return kept | ({"phase": raw["phase"]} if raw.get("phase") in _PHASES else {})


def _part(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    if raw.get("type") != "output_text" or not text_in(raw.get("text")):
        return None
    notes = raw.get("annotations")
    whole = isinstance(notes, list) and all(isinstance(note, Mapping) for note in notes)
    return {"type": "output_text", "text": raw["text"], "annotations": notes if whole else []}


def _without_loose_reasoning(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The service refuses reasoning without the item that it led to."""
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


def _ended(status: object, details: object) -> Ended:
    if status != "incomplete":
        return "done"
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return "refused" if reason == "content_filter" else "length"


def _hosted(offer: Offer, item: Mapping[str, Any]) -> HostedItem:
    kind = text_in(item.get("type"))
    begins = "mcp" if kind.startswith("mcp_") else kind.removesuffix("_output").removesuffix("_call")
    label = item.get("server_label")
    for name, declared in offer.hosted.items():
        if text_in(declared.get("type")).startswith(begins) and (
            begins != "mcp" or label == declared.get("server_label")
        ):
            return HostedItem(name, kind, text_in(item.get("id")))
    return HostedItem(None, kind, text_in(item.get("id")))


def _ids() -> CallIds:
    return CallIds(_CALL_ID, own=ANY_ID)


_SPEECH = Speech(NAME, _spoken, _answers, _renamed, _ids)
_WIRE = Wire(NAME, OPENAI_RESPONSES, _declare, OPENAI_STRICT, problem=_problem, most_tools=MOST_TOOLS)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, ResponsePieces)

__all__ = ["MOST_TOOLS", "NAME", "compile"]
