"""Gemini's ``generateContent``: parts of contents, ids that may be missing and are echoed where they are not.

A part goes back with its ``thoughtSignature``. A result is an object: ``output``, or ``error``. What the provider runs
itself stands in parts (``executableCode``, ``toolCall``) or beside them (``groundingMetadata``). Keys are those of the
REST interface, as its SDK writes them with ``by_alias``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import Ended, Said, Usage
from ..model.tool import Offered, ToolSpec
from .call import Call, Calls
from .compiled import NONE_CHOSEN, Compiled, Dialect, compiled, said
from .foreign import an_object, count_in, no_answer, objects, refuse_error, sendable, text_in
from .gemini_hosted import explains_nothing, ran
from .gemini_pieces import CandidatePieces
from .history import Answered, Speech, Step
from .lower.forms import GEMINI
from .offer import Declared, Offer, Wire
from .shown import shown

NAME = "gemini"

MOST_TOOLS = 512
"""Functions in one request, says ``google.genai.types.Tool``; earlier references said 64 and 128."""

_DONE = ("STOP", "FINISH_REASON_UNSPECIFIED", "CONTINUATION")
"""Every other word for an end but ``MAX_TOKENS`` says that the answer, or a call in it, was withheld."""

_BASE64 = re.compile(r"(?=.)(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?", re.ASCII)
_HOLDS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse", "inlineData", "fileData")


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
    return {**declared, "parametersJsonSchema": tool.schema}


def _gather(declared: list[dict[str, Any]], hosted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*([{"functionDeclarations": declared}] if declared else []), *hosted]


def _body(offer: Offer, steps: Sequence[Step]) -> dict[str, Any]:
    system: list[dict[str, Any]] = []
    contents: list[dict[str, Any]] = []
    for step in steps:
        if step.kind == "system":
            system += [{"text": step.content}] if step.content else []
        elif step.kind == "user":
            contents.append({"role": "user", "parts": [{"text": step.content}]})
        elif step.kind == "turn":
            contents.append(step.content)
        else:
            contents.extend(step.content)
    tools = offer.tools
    body: dict[str, Any] = {"contents": contents}
    if system:
        body["systemInstruction"] = {"parts": system}
    return {**body, "tools": tools} if tools else body


def _spoken(text: str, calls: Sequence[Call]) -> dict[str, Any] | None:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    parts += [{"functionCall": _function_call(call, call.asked.id)} for call in calls]
    return {"role": "model", "parts": parts} if parts else None


def _function_call(call: Call, call_id: str) -> dict[str, Any]:
    written: dict[str, Any] = {"name": call.asked.name, "args": call.arguments}
    return {"id": call_id, **written} if call_id else written


def _answers(answered: Sequence[Answered]) -> list[dict[str, Any]]:
    parts = []
    for asked, result in answered:
        response: dict[str, Any] = {"name": asked.name}
        response["response"] = {"output" if result.success else "error": shown(result)}
        parts.append({"functionResponse": {"id": asked.id, **response} if asked.id else response})
    return [{"role": "user", "parts": parts}] if parts else []


def _decode(offer: Offer, response: Mapping[str, Any]) -> Said:
    answer = an_object(response, NAME, "the answer")
    refuse_error(answer, NAME)
    candidates = objects(answer.get("candidates") or [], NAME, "candidates")
    calls = Calls(offer, None)
    if not candidates:
        feedback = answer.get("promptFeedback")
        if not isinstance(feedback, Mapping) or not feedback.get("blockReason"):
            no_answer(NAME, "the answer has no candidates, and does not say why")
        return said(_SPEECH, "", calls, content=None, ended="refused", usage=_usage(answer.get("usageMetadata")))
    first = candidates[0]
    content = {} if first.get("content") is None else an_object(first["content"], NAME, "candidates[0].content")
    read = objects(content.get("parts") or [], NAME, "candidates[0].content.parts")
    kept = [part for part in (_part(calls, raw) for raw in read) if part]
    return said(
        _SPEECH,
        "".join(text_in(part.get("text")) for part in read if not part.get("thought")),
        calls,
        content={"role": "model", "parts": kept} if kept else None,
        ended=_ended(first.get("finishReason")),
        hosted=ran(offer, first, read),
        usage=_usage(answer.get("usageMetadata")),
        within_call=bool(read) and read[-1].get("functionCall") is not None,
    )


def _part(calls: Calls, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """A part as the provider takes it back; None: there is nothing in it."""
    part: dict[str, Any] = {key: raw[key] for key in _HOLDS if isinstance(raw.get(key), Mapping)}
    if raw.get("functionCall") is not None:
        part["functionCall"] = _asked(calls, raw["functionCall"])
    elif isinstance(raw.get("text"), str):
        part["text"] = raw["text"]
    signature = raw.get("thoughtSignature")
    signed = isinstance(signature, bytes) or _BASE64.fullmatch(text_in(signature)) is not None
    if not part or (part.get("text") == "" and not signed):
        return None
    part |= {"thought": True} if raw.get("thought") is True else {}
    return part | ({"thoughtSignature": signature} if signed else {})


def _asked(calls: Calls, raw: object) -> dict[str, Any]:
    asked = raw if isinstance(raw, Mapping) else {}
    if asked.get("partialArgs") or asked.get("willContinue"):
        no_answer(NAME, "a call came in parts, which nobody asked for")
    call_id: str = sendable(text_in(asked.get("id")))
    call = calls.add(asked.get("name"), asked.get("args"), asked.get("id"))
    calls.asked[-1] = call.asked._replace(id=call_id)
    return _function_call(call, call_id)


def _ended(finish_reason: object) -> Ended:
    if finish_reason == "MAX_TOKENS":
        return "length"
    return "done" if finish_reason is None or finish_reason in _DONE else "refused"


def _usage(usage: object) -> Usage:
    read = count_in(usage, "promptTokenCount", "toolUsePromptTokenCount")
    return Usage(read, count_in(usage, "candidatesTokenCount", "thoughtsTokenCount"))


_SPEECH = Speech(NAME, _spoken, _answers)
_WIRE = Wire(NAME, GEMINI, _declare, gather=_gather, problem=explains_nothing, most_tools=MOST_TOOLS)
_DIALECT = Dialect(_WIRE, _SPEECH, _body, _decode, CandidatePieces)

__all__ = ["MOST_TOOLS", "NAME", "compile"]
