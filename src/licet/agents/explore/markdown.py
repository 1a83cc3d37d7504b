"""The report in Markdown. No text of the project can end its span, open a link, carry HTML or act on a terminal."""

import re
from collections.abc import Iterable

from ...dialects.untrusted import escaped
from .line import Line, Piece

_BEGINS = {"title": "# ", "heading": "## ", "quote": "> ", "item": "- ", "text": "", "empty": ""}
_ODD = re.compile(r"[^\x20-\x7e]+")
_TICKS = re.compile(r"`+")
_LINKED = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|mailto:)[^\s`]+|[^\s`<>()]+@[^\s`<>()]+|(?<!\w)@\w[\w/-]*")
"""What renderers make links of without being asked."""
_ACTING = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[`*\[\]~|<]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_BLOCK = re.compile(r"[#+=>-]|\d+[.)]")
"""What makes a block of the line that begins with it."""
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def markdown(lines: Iterable[Line]) -> str:
    """A document that ends with a line end."""
    return "".join(map(_line, lines))


def visible(text: str) -> str:
    """The text on one line; what acts or hides stands there as ``\\uXXXX``."""
    return _ODD.sub(lambda match: escaped(match[0]), text)


def _line(line: Line) -> str:
    text = "".join(map(_piece, line.pieces)).strip()
    begins = _BLOCK.match(text)
    if begins is not None:
        text = f"{text[: begins.end() - 1]}\\{text[begins.end() - 1 :]}"
    return f"{_BEGINS[line.kind]}{text}\n"


def _piece(piece: Piece) -> str:
    text = visible(piece.text)
    if piece.kind == "code":
        return code(text)
    return f"**{_disarmed(text)}**" if piece.kind == "strong" else _disarmed(text)


def code(text: str) -> str:
    """A span that the text cannot end: its fence is longer than any that stands in it."""
    if not text.strip():
        return ""
    fence = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    padding = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _disarmed(text: str) -> str:
    """Running text in which nothing is markup; what would become a link is a span of code."""
    parts: list[str] = []
    position = 0
    for match in _LINKED.finditer(text):
        parts += (_ACTING.sub(_escape, text[position : match.start()]), code(match[0]))
        position = match.end()
    parts.append(_ACTING.sub(_escape, text[position:]))
    return "".join(parts)


def _escape(match: "re.Match[str]") -> str:
    return _ENTITIES.get(match[0], "\\" + match[0])
