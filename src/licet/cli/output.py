"""Everything that a command says. Documents and tables go to standard output, all else to standard error.

What comes from a ledger, a file or a tool is shown with its control and format characters as ``\\uXXXX``, so that
nothing in it is invisible, starts a line of its own, or acts on a terminal.
"""

import os
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

_ODD = re.compile(r"[^\x20-\x7e]+")
_ODD_IN_DOCUMENT = re.compile(r"[^\n\x20-\x7e]+")


class Styled(NamedTuple):
    """Text of a cell with a colour or weight, which only a terminal shows."""

    text: str
    style: str


Cell = str | Styled


def visible(text: str) -> str:
    """The text on one line, with nothing in it that acts or hides. Letters of any script stay as they are."""
    return _ODD.sub(_escaped, text)


def on_terminal() -> bool:
    """Whether a person reads standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def line(text: str = "") -> None:
    """One line on standard output, which a terminal wraps between words."""
    styled_line(text)


def say(text: str) -> None:
    """One line on standard error, for the person at the keyboard. A reader that went away is no error."""
    try:
        print(visible(text), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        forsake(sys.stderr)


def document(value: Any) -> None:
    """One JSON document on standard output, equal to the value for whoever parses it."""
    write(json_text(value, indent=2) + "\n")


def documents(values: Iterable[Any]) -> None:
    """One JSON document on standard output, a list, written value by value while somebody reads it."""
    opening = "["
    for value in values:
        if not write(f"{opening}\n  " + json_text(value, indent=2).replace("\n", "\n  ")):
            return
        opening = ","
    write("[]\n" if opening == "[" else "\n]\n")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON in which no character acts on a terminal; control and format characters stand there as JSON's escapes."""
    import json

    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=str)
    return _ODD_IN_DOCUMENT.sub(_escaped, text)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, whole: Collection[str] = ()) -> None:
    """A line for each row under a line of headings; in colour on a terminal, in plain columns elsewhere.

    On a terminal that is too narrow, columns that have to stay ``whole`` are wrapped last.
    """
    shown = [[_shown(cell) for cell in row] for row in rows]
    if on_terminal():
        _rich_table(columns, shown, whole)
        return
    lines = [[*columns], *([cell.text for cell in row] for row in shown)]
    widths = [max(width(texts[i]) for texts in lines) for i in range(len(columns))]
    for texts in lines:
        padded = (text + " " * (wide - width(text)) for text, wide in zip(texts, widths, strict=True))
        write("  ".join(padded).rstrip() + "\n")


def styled_line(*cells: Cell, indent: int = 0) -> bool:
    """Cells one after another on one line; a terminal shows their styles and wraps them, ``indent`` columns in.

    False: the reader has gone away.
    """
    shown = [_shown(cell) for cell in cells]
    if not on_terminal():
        return write(" " * indent + "".join(cell.text for cell in shown).rstrip() + "\n")
    from rich.padding import Padding
    from rich.text import Text

    _console().print(Padding(Text.assemble(*((cell.text, cell.style) for cell in shown)), (0, 0, 0, indent)))
    return True


def write(text: str) -> bool:
    """Text as it is, on standard output. False: its reader has gone away, and there is no point in more."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        forsake(sys.stdout)
        return False
    return True


def forsake(stream: Any) -> None:
    """Let what is still said, also by the interpreter while it exits, go nowhere: the exit code stays what it is."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):  # no file is behind it
        return


def width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _rich_table(columns: Sequence[str], rows: Sequence[Sequence[Styled]], whole: Collection[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        shown.add_column(Text(column), overflow="fold", no_wrap=column in whole)
    for row in rows:
        shown.add_row(*(Text(cell.text, cell.style) for cell in row))
    _console().print(shown)


def _console() -> Any:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _shown(cell: Cell) -> Styled:
    return Styled(visible(cell), "") if isinstance(cell, str) else Styled(visible(cell.text), cell.style)


def _escaped(match: "re.Match[str]") -> str:
    from ..dialects.untrusted import escaped

    return escaped(match[0])


__all__ = [
    "Cell",
    "Styled",
    "document",
    "documents",
    "forsake",
    "json_text",
    "line",
    "on_terminal",
    "say",
    "styled_line",
    "table",
    "visible",
    "width",
    "write",
]
