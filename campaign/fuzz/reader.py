"""A strict reader of JSON, written slowly and plainly from RFC 8259: what the real one is held against.

It shares no code with it.
"""

import math
from typing import Any

DEPTH = 64
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class NoJsonError(Exception):
    """Not strict JSON."""


def read(data: bytes) -> Any:
    """The value of a text. Raises NoJsonError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NoJsonError("UTF-8") from None
    reader = _Reader(text)
    value = reader.value(0)
    reader.space()
    if reader.at != len(text):
        raise NoJsonError("more text")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, wanted: str) -> None:
        if not self.text.startswith(wanted, self.at):
            raise NoJsonError(f"no {wanted}")
        self.at += len(wanted)

    def value(self, depth: int) -> Any:
        self.space()
        first = self.peek()
        if first in ("{", "["):
            if depth == DEPTH:
                raise NoJsonError("depth")
            return self.members(depth + 1) if first == "{" else self.items(depth + 1)
        if first == '"':
            return self.string()
        for word, constant in (("null", None), ("true", True), ("false", False)):
            if first and word[0] == first:
                self.take(word)
                return constant
        return self.number()

    def members(self, depth: int) -> dict[str, Any]:
        self.take("{")
        found: dict[str, Any] = {}
        self.space()
        if self.peek() == "}":
            self.at += 1
            return found
        while True:
            self.space()
            key = self.string()
            if key in found:
                raise NoJsonError("twice")
            self.space()
            self.take(":")
            found[key] = self.value(depth)
            self.space()
            if self.peek() == "}":
                self.at += 1
                return found
            self.take(",")

    def items(self, depth: int) -> list[Any]:
        self.take("[")
        found: list[Any] = []
        self.space()
        if self.peek() == "]":
            self.at += 1
            return found
        while True:
            found.append(self.value(depth))
            self.space()
            if self.peek() == "]":
                self.at += 1
                return found
            self.take(",")

    def string(self) -> str:
        self.take('"')
        units: list[str] = []
        while True:
            char = self.peek()
            if char == "" or char < " ":
                raise NoJsonError("string")
            self.at += 1
            if char == '"':
                break
            units.append(self.escape() if char == "\\" else char)
        joined = "".join(units)
        try:
            return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise NoJsonError("surrogate") from None

    def escape(self) -> str:
        char = self.peek()
        self.at += 1
        if char in _ESCAPES and char:
            return _ESCAPES[char]
        digits = self.text[self.at : self.at + 4]
        if char != "u" or len(digits) < 4 or not set(digits) <= set("0123456789abcdefABCDEF"):
            raise NoJsonError("escape")
        self.at += 4
        return chr(int(digits, 16))

    def number(self) -> int | float:
        start = self.at
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
        else:
            self.digits()
        whole = True
        if self.peek() == ".":
            whole = False
            self.at += 1
            self.digits()
        if self.peek() in ("e", "E") and self.peek():
            whole = False
            self.at += 1
            if self.peek() in ("+", "-") and self.peek():
                self.at += 1
            self.digits()
        digits = self.text[start : self.at]
        if not whole:
            real = float(digits)
            if not math.isfinite(real):
                raise NoJsonError("infinite")
            return real
        if len(digits) > 21 or not -(2**63) <= int(digits) <= 2**64 - 1:
            raise NoJsonError("64 bits")
        return int(digits)

    def digits(self) -> None:
        start = self.at
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        if self.at == start:
            raise NoJsonError("digits")
