"""What a report is made of: lines of pieces."""

from typing import Literal, NamedTuple


class Piece(NamedTuple):
    """Text of one kind. ``code`` is a path, a name or a command; all of it may be a stranger's own words."""

    kind: Literal["text", "code", "strong"]
    text: str


class Line(NamedTuple):
    """One line: a title, a heading, a quotation, an item, running text, or an empty one."""

    kind: Literal["title", "heading", "quote", "item", "text", "empty"]
    pieces: tuple[Piece, ...] = ()


EMPTY = Line("empty")

__all__ = ["EMPTY", "Line", "Piece"]
