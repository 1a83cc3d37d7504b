"""The report for a person at a terminal: the same lines as in Markdown, with colours in place of its marks."""

from typing import TYPE_CHECKING

from . import output

if TYPE_CHECKING:
    from ..agents.explore.fact import Report

_STYLES = {"code": "cyan", "strong": "bold", "text": ""}
_LINE_STYLES = {"title": "bold underline", "heading": "bold green", "quote": "italic"}
_MARKS = {"quote": "", "item": "-"}


def show(report: "Report", *, full: bool) -> None:
    """Print it on standard output; what is longer than a line goes on below its own beginning."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..agents.explore.page import page

    console = Console(highlight=False, markup=False, emoji=False)
    for line in page(report, full=full):
        text = Text(style=_LINE_STYLES.get(line.kind, ""), overflow="fold")
        for piece in line.pieces:
            text.append(output.visible(piece.text), _STYLES[piece.kind] or None)
        if line.kind not in _MARKS:
            console.print(text)
            continue
        row = Table.grid(padding=(0, 1, 0, 0))
        row.add_column(width=1, style="dim")
        row.add_column(overflow="fold")
        row.add_row(_MARKS[line.kind], text)
        console.print(row)


__all__ = ["show"]
