"""Lines out of a stream of bytes, in time that is linear in the bytes and memory that is bounded by a cap."""

import re
from typing import NamedTuple

_EDGE = 512
"""Bytes that are kept of each end of a line which is too long: one of them holds its id."""

_ID = rb'(\d{1,18}|"[^"\\]{1,128}")'
_AT_HEAD = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*' + _ID + rb"\s*,")
_AT_TAIL = re.compile(rb',\s*"id"\s*:\s*' + _ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class TooLong(NamedTuple):
    """A line of more than the cap, of which nothing but its ends was kept."""

    head: bytes
    tail: bytes
    size: int

    @property
    def id(self) -> str:
        """The id of the message, or empty.

        Only where it can be nothing else: as the first member, or right before the brace that ends the line. A quote
        inside of a text has a backslash before it, and a member of something inside has two braces after it.
        """
        found = _AT_HEAD.match(self.head) or _AT_TAIL.search(self.tail)
        return found[1].decode("ascii", "replace").strip('"') if found else ""


class Lines:
    """Takes chunks, gives whole lines without their ends."""

    __slots__ = ("_cap", "_head", "_parts", "_size", "_tail")

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._begin()

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        """The lines that end in this chunk."""
        first, *rest = chunk.split(b"\n")
        self._hold(first)
        if not rest:
            return []
        lines = [self._end()]
        for line in rest[:-1]:
            lines.append(line if len(line) <= self._cap else TooLong(line[:_EDGE], line[-_EDGE:], len(line)))
        self._hold(rest[-1])
        return lines

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._head = self._tail = b""

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._cap:
            self._parts.append(part)
            return
        if self._parts:
            kept = b"".join(self._parts)
            self._head, self._tail, self._parts = kept[:_EDGE], kept[-_EDGE:], []
        if len(self._head) < _EDGE:
            self._head += part[: _EDGE - len(self._head)]
        self._tail = (self._tail + part[-_EDGE:])[-_EDGE:]

    def _end(self) -> bytes | TooLong:
        line: bytes | TooLong = (
            b"".join(self._parts) if self._size <= self._cap else TooLong(self._head, self._tail, self._size)
        )
        self._begin()
        return line
