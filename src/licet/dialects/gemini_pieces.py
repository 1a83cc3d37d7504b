"""Gemini's streamed answers: each piece is an answer with more parts."""

from collections.abc import Mapping
from typing import Any

from .foreign import an_object, no_answer, objects, refuse_error, text_in

NAME = "gemini"


class CandidatePieces:
    """Puts the first candidates of streamed answers together."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._beside: dict[str, Any] = {}
        self._finish: object = None
        self._blocked: object = None
        self._usage: object = None

    def feed(self, event: Mapping[str, Any]) -> str:
        piece = an_object(event, NAME, "a piece")
        refuse_error(piece, NAME)
        if piece.get("usageMetadata") is not None:
            self._usage = piece["usageMetadata"]
        if piece.get("promptFeedback") is not None:
            self._blocked = piece["promptFeedback"]
        candidates = objects(piece.get("candidates") or [], NAME, "candidates")
        return self._add(candidates[0]) if candidates else ""

    def _add(self, candidate: Mapping[str, Any]) -> str:
        held = candidate.get("content")
        content = {} if held is None else an_object(held, NAME, "candidates[0].content")
        parts = objects(content.get("parts") or [], NAME, "candidates[0].content.parts")
        if self._finish is not None and any(_says_something(part) for part in parts):
            no_answer(NAME, "a piece came after the end of the answer")
        for part in parts:
            self._join(dict(part))
        for key in ("groundingMetadata", "urlContextMetadata"):
            if candidate.get(key):
                self._beside[key] = candidate[key]
        if candidate.get("finishReason") is not None:
            self._finish = candidate["finishReason"]
        return "".join(text_in(part.get("text")) for part in parts if not part.get("thought"))

    def _join(self, part: dict[str, Any]) -> None:
        """Text goes on in the part before it, unless one of the two is signed."""
        last = self._parts[-1] if self._parts else {}
        if _is_plain(part) and _is_plain(last) and part.get("thought") == last.get("thought"):
            last["text"] += part["text"]
        else:
            self._parts.append(part)

    def whole(self) -> Mapping[str, Any]:
        if self._finish is None and (self._parts or self._blocked is None):
            no_answer(NAME, "the answer was cut: it says nowhere that it ended")
        if self._finish is None:
            return {"promptFeedback": self._blocked, "usageMetadata": self._usage}
        content = {"role": "model", "parts": self._parts}
        candidate = {"content": content, "finishReason": self._finish, **self._beside}
        return {"candidates": [candidate], "usageMetadata": self._usage}


def _is_plain(part: Mapping[str, Any]) -> bool:
    said = {key for key, member in part.items() if member is not None}
    return "text" in said and said <= {"text", "thought"} and isinstance(part["text"], str)


def _says_something(part: Mapping[str, Any]) -> bool:
    return not _is_plain(part) or bool(part["text"])


__all__ = ["CandidatePieces"]
