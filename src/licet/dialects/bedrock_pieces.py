"""The events of Bedrock's ``converse_stream``, put together."""

from collections.abc import Mapping
from typing import Any

from .foreign import an_object, loosely, no_answer, piece_in, text_in

NAME = "bedrock"

_DELTAS = ("text", "toolUse", "reasoningContent", "citation", "toolResult")


class ConversePieces:
    """Puts events together. Blocks of text begin with their first piece, others with ``contentBlockStart``."""

    def __init__(self) -> None:
        self._began = False
        self._blocks: dict[int, dict[str, Any]] = {}
        self._json: dict[int, list[str]] = {}
        self._closed: set[int] = set()
        self._stop_reason: object = None
        self._usage: object = None

    def feed(self, event: Mapping[str, Any]) -> str:
        piece = an_object(event, NAME, "an event")
        for kind, held in piece.items():
            match kind:
                case "messageStart":
                    self._began = True
                case "contentBlockStart":
                    self._start(an_object(held, NAME, kind))
                case "contentBlockDelta":
                    return self._add(an_object(held, NAME, kind))
                case "contentBlockStop":
                    self._closed.add(self._index(an_object(held, NAME, kind)))
                case "messageStop":
                    self._stop_reason = an_object(held, NAME, kind).get("stopReason")
                case "metadata":
                    self._usage = an_object(held, NAME, kind).get("usage")
                case str() if kind.endswith("Exception"):
                    no_answer(NAME, f"the provider broke off ({kind[:64] if kind.isalnum() else 'an exception'})")
        return ""

    def whole(self) -> Mapping[str, Any]:
        if not self._began or self._stop_reason is None or self._blocks.keys() - self._closed:
            no_answer(NAME, "the answer was cut: not all of it came")
        for index, pieces in self._json.items():
            used, written = self._blocks[index]["toolUse"], "".join(pieces)
            used["input"] = written if used.get("type") != "server_tool_use" else loosely(written)
        content = [block for _, block in sorted(self._blocks.items())]
        message = {"role": "assistant", "content": content}
        return {"output": {"message": message}, "stopReason": self._stop_reason, "usage": self._usage}

    def _index(self, piece: Mapping[str, Any]) -> int:
        index = piece.get("contentBlockIndex")
        if not isinstance(index, int) or index in self._closed or self._stop_reason is not None or not self._began:
            no_answer(NAME, "a piece came for a block that is not open")
        return index

    def _start(self, piece: Mapping[str, Any]) -> None:
        index = self._index(piece)
        if index in self._blocks:
            no_answer(NAME, "a block began twice")
        start = an_object(piece.get("start"), NAME, "start")
        kind = next((kind for kind in ("toolUse", "toolResult") if kind in start), None)
        if kind is None:
            self._blocks[index] = {}
            return
        self._blocks[index] = {kind: dict(an_object(start[kind], NAME, kind))}
        if kind == "toolUse":
            self._json[index] = []

    def _add(self, piece: Mapping[str, Any]) -> str:
        index = self._index(piece)
        delta = an_object(piece.get("delta"), NAME, "delta")
        kind = next((kind for kind in _DELTAS if kind in delta), None)
        if kind is None:
            return ""
        if kind == "toolUse":
            if index not in self._json:
                no_answer(NAME, "a piece of a call came before its beginning")
            self._json[index].append(piece_in(an_object(delta["toolUse"], NAME, kind), "input", NAME))
            return ""
        block = self._blocks.setdefault(index, {})
        if index in self._json or (block and kind not in block and kind != "citation"):
            no_answer(NAME, "a piece came for a block of another type")
        if kind == "text":
            block["text"] = text_in(block.get("text")) + piece_in(delta, "text", NAME)
            return piece_in(delta, "text", NAME)
        if kind == "reasoningContent":
            _reason(block, an_object(delta["reasoningContent"], NAME, kind))
        return ""


def _reason(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Text of reasoning and its signature, or the bytes of what is not shown."""
    held = block.setdefault("reasoningContent", {})
    if "redactedContent" in delta:
        hidden = delta["redactedContent"]
        before = held.get("redactedContent")
        both = before is not None and type(before) is type(hidden) and isinstance(hidden, bytes | str)
        held["redactedContent"] = before + hidden if both else hidden
        return
    reasoned = held.setdefault("reasoningText", {"text": ""})
    for key in ("text", "signature"):
        if key in delta:
            reasoned[key] = text_in(reasoned.get(key)) + piece_in(delta, key, NAME)


__all__ = ["ConversePieces"]
