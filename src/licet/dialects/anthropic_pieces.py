"""The events of a streamed message of Anthropic's, put together."""

from collections.abc import Mapping
from typing import Any

from .foreign import an_object, loosely, no_answer, piece_in, refuse_error, text_in, word_in

NAME = "anthropic"

_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_TEXT_OF = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}
"""The type of block that a piece may belong to."""


class MessagePieces:
    """Puts events together. A block's pieces come between its start and its stop, and blocks one after another."""

    def __init__(self) -> None:
        self._message: Mapping[str, Any] | None = None
        self._blocks: list[dict[str, Any]] = []
        self._open: int | None = None
        self._json: list[str] = []
        self._stop_reason: object = None
        self._usage: dict[str, Any] = {}

    def feed(self, event: Mapping[str, Any]) -> str:
        piece = an_object(event, NAME, "an event")
        match piece.get("type"):
            case "message_start":
                self._start(an_object(piece.get("message"), NAME, "message"))
            case "content_block_start":
                return self._start_block(piece)
            case "content_block_delta":
                return self._add(piece)
            case "content_block_stop":
                self._stop_block(piece)
            case "message_delta":
                self._end(piece)
            case "error":
                refuse_error({"error": piece.get("error") or True}, NAME)
        return ""  # others, such as ping, say nothing, and new ones may come

    def whole(self) -> Mapping[str, Any]:
        if self._message is None or self._open is not None or self._stop_reason is None:
            no_answer(NAME, "the answer was cut: not all of it came")
        return {
            **self._message,
            "content": self._blocks,
            "stop_reason": self._stop_reason,
            "usage": self._usage,
        }

    def _start(self, message: Mapping[str, Any]) -> None:
        if self._message is not None:
            no_answer(NAME, "a second answer began in the middle of one")
        self._message = message
        self._count(message.get("usage"))

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            self._usage |= {key: count for key, count in usage.items() if count is not None}

    def _start_block(self, piece: Mapping[str, Any]) -> str:
        if self._message is None or self._open is not None or self._stop_reason is not None:
            no_answer(NAME, "a block began where none can")
        if piece.get("index") != len(self._blocks):
            no_answer(NAME, "a block came out of order")
        self._blocks.append(dict(an_object(piece.get("content_block"), NAME, "content_block")))
        self._open = len(self._blocks) - 1
        self._json = []
        return text_in(self._blocks[-1].get("text"))

    def _add(self, piece: Mapping[str, Any]) -> str:
        if self._open is None or piece.get("index") != self._open:
            no_answer(NAME, "a piece came for a block that is not open")
        block, delta = self._blocks[self._open], an_object(piece.get("delta"), NAME, "delta")
        kind = word_in(delta.get("type"))
        if kind == "input_json_delta":
            self._json.append(piece_in(delta, "partial_json", NAME))
        elif kind == "citations_delta":
            held = block.get("citations")
            block["citations"] = [*(held if isinstance(held, list) else ()), delta.get("citation")]
        elif kind in _GROWS:
            if block.get("type") != _TEXT_OF[kind]:
                no_answer(NAME, "a piece came for a block of another type")
            key = _GROWS[kind]
            block[key] = text_in(block.get(key)) + piece_in(delta, key, NAME)
            return piece_in(delta, key, NAME) if kind == "text_delta" else ""
        return ""

    def _stop_block(self, piece: Mapping[str, Any]) -> None:
        if self._open is None or piece.get("index") != self._open:
            no_answer(NAME, "a block ended that is not open")
        block, written = self._blocks[self._open], "".join(self._json)
        if written:
            block["input"] = written if block.get("type") == "tool_use" else loosely(written)
        self._open = None

    def _end(self, piece: Mapping[str, Any]) -> None:
        delta = an_object(piece.get("delta"), NAME, "delta")
        if delta.get("stop_reason") is not None:
            self._stop_reason = delta["stop_reason"]
        self._count(piece.get("usage"))


__all__ = ["MessagePieces"]
