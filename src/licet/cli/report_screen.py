"""The report for a person at a terminal: the same lines as in Markdown, with colours in place of its marks."""

from typing import TYPE_CHECKING

from . import output

if TYPE_CHECKING:
    from ..agents.explore.fact import Report

_STYLES = {"code": "cyan", "strong": "bold", "text": ""}
_LINE_STYLES = {"title": "bold underline", "heading": "bold green", "quote": "italic", "item": "", "empty": ""}
_INDENT = 2


def show(report: "Report", *, full: bool) -> None:
    """Print it on standard output; long lines go on below their own beginning."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from ..agents.explore.page import page

    console = Console(highlight=False, markup=False, emoji=False)
    for line in page(report, full=full):
        text = Text(style=_LINE_STYLES[line.kind], overflow="fold")
        for piece in line.pieces:
            text.append(output.visible(piece.text), _STYLES[piece.kind] or None)
        indent = _INDENT if line.kind in ("quote", "item") else 0
        console.print(Padding(text, (0, 0, 0, indent)))


__all__ = ["show"]
