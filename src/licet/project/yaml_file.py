"""YAML 1.2, strictly: what a person reads in the file is all that there is.

No anchors, aliases, tags, merge keys or directives, one document, no key twice, keys are text. JSON is YAML 1.2, so a
pasted file of JSON is read as it stands, tabs included. Words such as ``no`` and ``on`` are text.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from .place import Place, quoted, shown
from .yaml_events import MAX_DEPTH, TOO_DEEP, Stop, events

MAX_BYTES = 128 * 1024
"""Of one file."""

_BREAKS = re.compile(r"\r(?!\n)|[\x85\u2028\u2029]")
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER = 64


class Document(NamedTuple):
    """What a file says, and on which line each part of it stands. ``name`` is how messages name the file."""

    name: str
    value: Any
    lines: Mapping[Place, int]

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest around it that has one; the first line is 1."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def __repr__(self) -> str:
        return f"Document({self.name!r})"  # a value in it may be a secret

    def told(self, place: Place, problem: str) -> str:
        """``licet.yaml:12: agents.coder.tools[0]: problem``."""
        where = f"{self.name}:{self.line(place)}: "
        return f"{where}{shown(place)}: {problem}" if place else where + problem


class NotRead(ConfigurationError):  # noqa: N818 - it says what became of the file
    """The file is no strict YAML. ``line`` counts from 1, ``problem`` says what and what instead."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}")
        self.line = line
        self.problem = problem


def read(content: bytes, name: str) -> Document:
    """The document of a file.

    Raises:
        NotRead: it is no strict YAML of at most ``MAX_BYTES``.
    """
    if len(content) > MAX_BYTES:
        raise NotRead(name, 1, f"the file has {len(content)} bytes; use at most {MAX_BYTES}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise NotRead(name, line, "the file is no UTF-8 here; save it as UTF-8") from None
    odd = _BREAKS.search(text)
    if odd is not None:
        problem = f"the character U+{ord(odd[0][0]):04X} ends a line for some readers only; use line feeds"
        raise NotRead(name, text.count("\n", 0, odd.start()) + 1, problem)
    try:
        return _Builder(text).document(name)
    except Stop as stop:
        raise NotRead(name, stop.line, stop.problem) from None


class _Builder:
    """Plain values out of the parser's events."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Place, int] = {}
        self.events = events(text)

    def document(self, name: str) -> Document:
        next(self.events)  # the stream's start
        kind, event = self._next()
        if kind == "StreamEndEvent":
            raise Stop(1, "the file is empty; it holds a mapping with mcpServers and agents")
        value = self._value((), *self._next(), depth=1)
        self._next()  # the document's end
        kind, event = self._next()
        if kind != "StreamEndEvent":
            raise Stop(_line(event), "a second document begins here; one file holds one, without ---")
        return Document(name, value, self.lines)

    def _next(self) -> tuple[str, Any]:
        event = next(self.events)
        return type(event).__name__, event

    def _value(self, place: Place, kind: str, event: Any, depth: int) -> Any:
        self.lines.setdefault(place, _line(event))
        if kind == "ScalarEvent":
            return _scalar(event)
        if depth > MAX_DEPTH:
            raise Stop(_line(event), TOO_DEEP)
        if kind == "SequenceStartEvent":
            return self._sequence(place, depth)
        return self._mapping(place, depth)

    def _sequence(self, place: Place, depth: int) -> list[Any]:
        items: list[Any] = []
        while True:
            kind, event = self._next()
            if kind == "SequenceEndEvent":
                return items
            items.append(self._value((*place, len(items)), kind, event, depth + 1))

    def _mapping(self, place: Place, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while True:
            kind, event = self._next()
            if kind == "MappingEndEvent":
                return members
            key = _key(kind, event)
            inside = (*place, key)
            if key in members:
                raise Stop(_line(event), f"the key {quoted(key)} stands on line {self.lines[inside]} already; drop one")
            self.lines[inside] = _line(event)
            members[key] = self._value(inside, *self._next(), depth=depth + 1)


def _key(kind: str, event: Any) -> str:
    if kind != "ScalarEvent":
        raise Stop(_line(event), "a key is text, not a list or a mapping; write key: value")
    if event.style is None and event.value == "<<":
        raise Stop(_line(event), "merge keys (<<) are not used here; write out what they would bring")
    key = _scalar(event)
    if not isinstance(key, str):
        raise Stop(_line(event), f'a key is text; write "{event.value[:40]}" in quotes')
    return key


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.style is not None:
        return _paired(text, event)
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text[0] not in "+-.0123456789":
        return _paired(text, event)
    if _NOT_FINITE.fullmatch(text):
        raise Stop(_line(event), f"{text} is no finite number; use one, or write it in quotes")
    if _INTEGER.fullmatch(text):
        number = int(text, 0 if text[:2] in ("0x", "0o") else 10) if len(text) <= _LONGEST_NUMBER else 1 << 64
        if not -(1 << 63) <= number < 1 << 63:
            raise Stop(_line(event), "an integer has at most 64 bits; write a longer one in quotes")
        return number
    if _FLOAT.fullmatch(text):
        value = float(text)
        if not math.isfinite(value):
            raise Stop(_line(event), "the number is too large; write it in quotes")
        return value
    return _paired(text, event)


def _paired(text: str, event: Any) -> str:
    """JSON writes characters beyond 16 bits as two escapes; half of such a pair is no text."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise Stop(_line(event), "half of a surrogate pair is no text; write the character itself") from None


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
