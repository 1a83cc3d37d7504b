"""Streamed chunks of chat completions, put together."""

from collections.abc import Mapping, Sequence
from typing import Any

from .chat import call_id, part, text_of
from .foreign import an_object, no_answer, objects, refuse_error


class ChatPieces:
    """Puts streamed chunks together. Pieces of a call are found by its index; a new id there is a new call."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._content: list[Any] = []
        self._other: dict[str, list[str]] = {}
        self._calls: list[dict[str, Any]] = []
        self._at: dict[object, dict[str, Any]] = {}
        self._annotations: list[Any] = []
        self._finish: object = None
        self._usage: object = None

    def feed(self, event: Mapping[str, Any]) -> str:
        chunk = an_object(event, self._dialect, "a chunk")
        refuse_error(chunk, self._dialect)
        if chunk.get("usage") is not None:
            self._usage = chunk["usage"]
        shown = ""
        for choice in objects(chunk.get("choices") or [], self._dialect, "choices"):
            if choice.get("index") in (0, None):
                shown += self._add(choice)
        return shown

    def _add(self, choice: Mapping[str, Any]) -> str:
        delta = an_object({} if choice.get("delta") is None else choice["delta"], self._dialect, "choices[0].delta")
        content, refusal = delta.get("content"), self._piece(delta, "refusal")
        reasoning = self._piece(delta, "reasoning_content")
        calls = objects(delta.get("tool_calls") or [], self._dialect, "delta.tool_calls")
        if self._finish is not None and (content or refusal or calls):
            no_answer(self._dialect, "a piece came after the end of the answer")
        for key, piece in (("refusal", refusal), ("reasoning_content", reasoning)):
            if piece:
                self._other.setdefault(key, []).append(piece)
        for call in calls:
            self._add_call(call)
        annotations = delta.get("annotations")
        self._annotations.extend(annotations if isinstance(annotations, list) else ())
        if choice.get("finish_reason") is not None:
            self._finish = choice["finish_reason"]
        return self._add_content(content) + refusal

    def _add_content(self, content: object) -> str:
        if content is None:
            return ""
        if isinstance(content, list):
            self._content.extend(part for part in content if isinstance(part, Mapping))
            return text_of(content)
        if not isinstance(content, str):
            no_answer(self._dialect, "a piece of text is no text")
        self._content.append(content)
        return content

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        function = part(piece.get("function") or piece.get("custom"))
        said, index = call_id(piece.get("id")), piece.get("index")
        index = index if isinstance(index, int) else None
        held = self._at.get(index)
        is_new = isinstance(said, str) and said and held is not None and held.get("id") not in (None, "", said)
        if held is None or is_new:
            held = {"id": None, "name": "", "arguments": None, "custom": False}
            self._at[index] = held
            self._calls.append(held)
        if isinstance(said, str) and said:
            held["id"] = said
        held["custom"] = held["custom"] or piece.get("type") == "custom"
        held["index"] = index
        held["name"] += self._piece(function, "name")
        arguments = function.get("input") if held["custom"] else function.get("arguments")
        if isinstance(arguments, Mapping) and not held["arguments"]:
            held["arguments"] = arguments  # one provider sends a whole object
        elif arguments is not None:
            if not isinstance(arguments, str) or not isinstance(held["arguments"] or "", str):
                no_answer(self._dialect, "the pieces of a call's arguments are no text")
            held["arguments"] = (held["arguments"] or "") + arguments

    def _piece(self, holder: Mapping[str, Any], key: str) -> str:
        piece = holder.get(key)
        if piece is None:
            return ""
        if not isinstance(piece, str):
            no_answer(self._dialect, f"a piece of {key} is no text")
        return piece

    def whole(self) -> Mapping[str, Any]:
        if self._finish is None:
            no_answer(self._dialect, "the answer was cut: it says nowhere that it ended")
        in_order = sorted(self._calls, key=lambda call: -1 if call["index"] is None else call["index"])
        message: dict[str, Any] = {
            "content": _whole_content(self._content),
            "tool_calls": [_whole_call(call) for call in in_order],
            "annotations": self._annotations,
            **{key: "".join(pieces) for key, pieces in self._other.items()},
        }
        return {"choices": [{"message": message, "finish_reason": self._finish}], "usage": self._usage}


def _whole_call(call: Mapping[str, Any]) -> dict[str, Any]:
    if call["custom"]:
        return {"id": call["id"], "type": "custom", "custom": {"name": call["name"], "input": call["arguments"]}}
    function = {"name": call["name"], "arguments": call["arguments"]}
    return {"id": call["id"], "type": "function", "function": function}


def _whole_content(pieces: Sequence[Any]) -> Any:
    """Text, unless a piece was a list of parts."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    return [{"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces]


__all__ = ["ChatPieces"]
