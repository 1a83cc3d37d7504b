"""Reading what a provider sent, which is trusted in nothing: it gives a value, or an AnswerError that says where."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import AnswerError

MAX_DEPTH = 64
"""Containers inside each other, of what is sent back to a provider."""

_WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "nothing"}


def no_answer(dialect: str, problem: str) -> NoReturn:
    """Raises AnswerError. ``problem`` repeats nothing that the provider wrote but a word."""
    raise AnswerError(f"{dialect}: {problem}; no call of it was made")


def an_object(value: object, dialect: str, place: str) -> Mapping[str, Any]:
    """The value, if it is one. Raises AnswerError."""
    if isinstance(value, Mapping):
        return value
    no_answer(dialect, f"{place} is {kind_of(value)}, where an object is expected")


def objects(value: object, dialect: str, place: str) -> list[Mapping[str, Any]]:
    """The members of a list of objects. Raises AnswerError."""
    if not isinstance(value, list | tuple):
        no_answer(dialect, f"{place} is {kind_of(value)}, where a list is expected")
    return [an_object(item, dialect, f"{place}[{position}]") for position, item in enumerate(value)]


def text_in(value: object) -> str:
    """The value, if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def piece_in(holder: Mapping[str, Any], key: str, dialect: str) -> str:
    """A piece of text that has to be there. Raises AnswerError."""
    piece = holder.get(key)
    if not isinstance(piece, str):
        no_answer(dialect, f"a piece of {key} is no text")
    return piece


def loosely(written: str) -> dict[str, Any]:
    """What a provider wrote for a tool of its own, for the history alone: an empty object, if it is none."""
    try:
        read = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def word_in(value: object) -> str:
    """The value, if it is a word that a message may repeat, else an empty text."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


def count_in(value: object, *keys: str) -> int:
    """The sum of an object's members that count something; what is no count is none."""
    if not isinstance(value, Mapping):
        return 0
    counted = (value.get(key) for key in keys)
    return sum(number for number in counted if type(number) is int and 0 <= number < 1 << 53)


def refuse_error(answer: Mapping[str, Any], dialect: str) -> None:
    """Raises AnswerError: the provider tells of an error where an answer should stand."""
    error = answer.get("error")
    if not error:
        return
    told = error if isinstance(error, Mapping) else {}
    word = next(filter(None, (word_in(told.get(key)) for key in ("code", "type", "status"))), "")
    no_answer(dialect, f"the provider sent an error in place of an answer{f' ({word})' if word else ''}")


def kind_of(value: object) -> str:
    """What a value is, as a message names it."""
    return _KINDS.get(type(value), "a number" if isinstance(value, int | float) else "no JSON")


def sendable(value: Any, depth: int = 0) -> Any:
    """A copy that any client can write as JSON: no half of a surrogate pair, no NaN, no key that is not text, and
    nothing deeper than ``MAX_DEPTH``. Bytes stay, which one provider's own SDK reads and writes."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | int | bytes):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        inner = ((key, member) for key, member in value.items() if isinstance(key, str))
        return {sendable(key): sendable(member, depth + 1) for key, member in inner}
    return [sendable(item, depth + 1) for item in value] if isinstance(value, list | tuple) else None


__all__ = [
    "MAX_DEPTH",
    "an_object",
    "count_in",
    "kind_of",
    "loosely",
    "no_answer",
    "objects",
    "piece_in",
    "refuse_error",
    "sendable",
    "text_in",
    "word_in",
]
