"""What a model wrote in Markdown, as lines of a report: headings, items and code are its; nothing else of it acts."""

import re
from collections.abc import Iterator

from .line import EMPTY, Line, Piece

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_QUOTE = re.compile(r"\s{0,3}>\s?(.*)$")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*$")
_INLINE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?!\s)(.+?)(?<!\s)\*\*|__(?!\s)(.+?)(?<!\s)__")

MOST_LINES = 400
MOST_CHARACTERS = 2_000
"""Of one line."""


def written(text: str) -> Iterator[Line]:
    """The lines of a text; what is longer than ``MOST_LINES`` is cut, and says so."""
    lines = text.splitlines()
    fence = ""
    empty = True
    for line in lines[:MOST_LINES]:
        line = line[:MOST_CHARACTERS]
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1][:3]
            continue
        if fence:
            yield Line("item", (Piece("code", line),)) if line.strip() else EMPTY
            empty = not line.strip()
            continue
        if not line.strip() or _RULE.match(line):
            if not empty:
                yield EMPTY
            empty = True
            continue
        empty = False
        yield _line(line)
    if len(lines) > MOST_LINES:
        yield Line("text", (Piece("text", f"... and {len(lines) - MOST_LINES:,} lines more"),))


def _line(line: str) -> Line:
    if heading := _HEADING.match(line):
        return Line("heading", (Piece("text", heading[1]),))
    if quote := _QUOTE.match(line):
        return Line("quote", tuple(_pieces(quote[1])))
    if item := _ITEM.match(line):
        return Line("item", tuple(_pieces(item[2])))
    return Line("text", tuple(_pieces(line.strip())))


def _pieces(text: str) -> Iterator[Piece]:
    position = 0
    for match in _INLINE.finditer(text):
        if match.start() > position:
            yield Piece("text", text[position : match.start()])
        code = match[2]
        yield Piece("strong", match[3] or match[4]) if code is None else Piece("code", code.strip() or code)
        position = match.end()
    if position < len(text):
        yield Piece("text", text[position:])


__all__ = ["MOST_CHARACTERS", "MOST_LINES", "written"]
