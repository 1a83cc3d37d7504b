"""Results: what a server answered as facts, and any outcome of a call as a served client reads it."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidResultError, ToolFailedError
from ..model.answer import Answer, Block, FailedAnswer
from ..model.names import short
from ..model.result import ToolResult
from ..model.tool import ToolSpec
from ..schema.canonical import NotJson, freeze
from .untrusted import told

MAX_ERROR_CHARACTERS = 4096
"""Of a failure's message. The blocks that it was taken from are kept whole."""

_META = "_meta"
_CONTENTS = ("text", "blob")  # of a resource: one of them
_HOLDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
"""Members, all of them text, without which a client takes no block of a type. Of other types nothing is known."""


def read_result(raw: Mapping[str, Any], tool: str) -> Answer:
    """The answer to one call. ``tool`` is the canonical name of what was called.

    The output is structured content that is an object, ``{"result": ...}`` for other structured content, and else
    ``{"text": ...}``, all text blocks by lines. Blocks are kept as they came, without ``_meta``.

    Raises:
        FailedAnswer: the tool says that it failed; the message is its text, cut short.
        ToolFailedError: it wants something from a person first (``input_required``).
        InvalidResultError: this is no result of a call.
    """
    kind = raw.get("resultType")
    if kind == "input_required":
        problem = f"{short(tool)!r} asks for more input before it goes on, which nobody here may give"
        raise ToolFailedError(problem, tool_name=tool, reason="input_required")
    if kind not in (None, "complete"):
        raise _invalid(tool, "a result of a kind that is not known")
    structured, failed = raw.get("structuredContent"), raw.get("isError")
    if not isinstance(failed, bool | None):
        raise _invalid(tool, "isError that is not true or false")
    blocks = _blocks(raw.get("content"), tool, needed=structured is None)
    text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
    if failed:
        message = text if len(text) <= MAX_ERROR_CHARACTERS else text[:MAX_ERROR_CHARACTERS] + "..."
        message = message or f"{short(tool)!r} says that it failed, and not how"
        raise FailedAnswer(message, tool_name=tool, blocks=blocks, structured=_json(structured, tool))
    if isinstance(structured, dict):
        return Answer(structured, blocks, structured)
    return Answer({"text": text} if structured is None else {"result": structured}, blocks, structured)


def wire_result(result: ToolResult, spec: ToolSpec | None = None) -> dict[str, Any]:
    """The outcome of a call for a served client, unwrapped. ``spec`` is the tool that was called, if there is one.

    What a server answered passes as it came. A value of ours is one text block of its JSON, and structured content too
    if the tool has an output schema. A refusal, or a failure of ours, is one text: its code and what to do.

    Structured content may be any JSON; before 2026-07-28 a client takes an object only.
    """
    structured = result.structured
    if structured is None and result.success and spec is not None and spec.output_schema is not None:
        structured = result.output
    wire: dict[str, Any] = {"content": _content(result, spec), "isError": not result.success}
    if structured is not None:
        wire["structuredContent"] = structured
    return wire


def _content(result: ToolResult, spec: ToolSpec | None) -> list[Block]:
    if result.blocks:
        return list(result.blocks)
    if not result.success:
        failure = told(result)
        return [_text(f"{failure['error']}: {failure['message']}")]
    if spec is not None and spec.source == "mcp" and result.structured is None:
        return []  # it answered without a word
    return [_text(result.json.decode())]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _blocks(content: object, tool: str, *, needed: bool) -> tuple[Block, ...]:
    if content is None and not needed:
        return ()
    if not isinstance(content, list):
        raise _invalid(tool, "no list of content")
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str) or not _is_whole(block):
            raise _invalid(tool, "content that is no content block")
    return tuple(_kept(block, tool) for block in content)


def _kept(block: Block, tool: str, *, inside: bool = False) -> Block:
    """A copy without ``_meta``. What is long in a block is a text, which needs no copy and hardly a look."""
    kept: Block = {}
    for key, value in block.items():
        if key == _META:
            continue
        if not _is_utf8(key) or (type(value) is str and not _is_utf8(value)):
            raise _invalid(tool, "content that is not JSON: a text holds half of a surrogate pair")
        if type(value) is str:
            kept[key] = value
        elif key == "resource" and isinstance(value, dict) and not inside:
            kept[key] = _kept(value, tool, inside=True)
        else:
            kept[key] = _without_meta(_json(value, tool))
    return kept


def _is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json(content: Any, tool: str) -> Any:
    try:
        return freeze(content, limit_bytes=sys.maxsize)[1]
    except NotJson as exc:
        raise _invalid(tool, f"content that is not JSON: {exc}") from None


def _is_whole(block: Block) -> bool:
    if block["type"] != "resource":
        return _holds(block, _HOLDS.get(block["type"], ()))
    inner = block.get("resource")
    return isinstance(inner, dict) and _holds(inner, ("uri",)) and any(_holds(inner, (kind,)) for kind in _CONTENTS)


def _holds(block: Block, members: Iterable[str]) -> bool:
    return all(isinstance(block.get(member), str) for member in members)


def _without_meta(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_meta(member) for key, member in value.items() if key != _META}
    return [_without_meta(item) for item in value] if isinstance(value, list) else value


def _invalid(tool: str, gave: str) -> InvalidResultError:
    return InvalidResultError(f"{short(tool)!r} gave {gave}", tool_name=tool)
