"""The events of a streamed answer of OpenAI's Responses, put together."""

from collections.abc import Mapping
from typing import Any

from .foreign import an_object, no_answer, objects, piece_in, refuse_error, text_in

NAME = "openai_responses"

_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_SHOWN = ("response.output_text.delta", "response.refusal.delta")
_CALL = "response.function_call_arguments.delta"


class ResponsePieces:
    """Keeps each item that is done, and the whole answer at the end. The two have to say the same of every call."""

    def __init__(self) -> None:
        self._last = -1
        self._items: dict[int, Mapping[str, Any]] = {}
        self._written: dict[int, list[str]] = {}
        self._answer: Mapping[str, Any] | None = None

    def feed(self, event: Mapping[str, Any]) -> str:
        piece = an_object(event, NAME, "an event")
        kind = text_in(piece.get("type"))
        self._follow(piece.get("sequence_number"))
        if kind == "error":
            refuse_error({"error": piece}, NAME)
        elif kind in _ENDS:
            if self._answer is not None:
                no_answer(NAME, "the answer ended twice")
            self._answer = an_object(piece.get("response"), NAME, "response")
        elif kind == "response.output_item.done":
            self._items[self._index(piece)] = an_object(piece.get("item"), NAME, "item")
        elif kind == _CALL:
            self._written.setdefault(self._index(piece), []).append(self._delta(piece))
        elif kind in _SHOWN:
            return self._delta(piece)
        return ""

    def whole(self) -> Mapping[str, Any]:
        if self._answer is None:
            no_answer(NAME, "the answer was cut: it says nowhere that it ended")
        done = [item for _, item in sorted(self._items.items())]
        for index, pieces in self._written.items():
            if index in self._items and self._items[index].get("arguments") not in (None, "".join(pieces)):
                no_answer(NAME, "the pieces of a call are not those of its end")
        output = self._answer.get("output")
        if not output:  # one server leaves the output of the last event empty
            return {**self._answer, "output": done}
        if done and _calls(done) != _calls(objects(output, NAME, "output")):
            no_answer(NAME, "the calls of the pieces are not those of the whole answer")
        return self._answer

    def _follow(self, number: object) -> None:
        if not isinstance(number, int):
            return
        if number <= self._last:
            no_answer(NAME, "an event came out of order")
        self._last = number

    def _refuse_late(self) -> None:
        if self._answer is not None:
            no_answer(NAME, "a piece came after the end of the answer")

    def _index(self, piece: Mapping[str, Any]) -> int:
        self._refuse_late()
        index = piece.get("output_index")
        if not isinstance(index, int):
            no_answer(NAME, "a piece does not say where it belongs")
        return index

    def _delta(self, piece: Mapping[str, Any]) -> str:
        self._refuse_late()
        return piece_in(piece, "delta", NAME)


def _calls(items: list[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    keys = ("type", "name", "call_id", "arguments", "input")
    return [tuple(item.get(key) for key in keys) for item in items if text_in(item.get("type")).endswith("_call")]


__all__ = ["ResponsePieces"]
