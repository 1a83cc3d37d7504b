"""How far an exploration is: one line on standard error that replaces itself, on a terminal only."""

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Self

from . import output

if TYPE_CHECKING:
    from ..model.result import ToolResult

_EVERY_S = 0.1
_WORDS = 60
"""Characters of a model's words."""


class Progress:
    """Use as ``with Progress() as progress``; at the end the line is gone. It listens to a model, too."""

    def __init__(self) -> None:
        stream = sys.stderr
        self._shown = stream is not None and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._next_s = 0.0
        self._dirty = False
        self._calls = 0
        self._words = ""
        self.run_id = ""
        """Which run it is, once that is known."""

    @property
    def is_shown(self) -> bool:
        """Whether somebody can see it."""
        return self._shown

    def begun(self, run_id: str) -> None:
        """Say which run it is, also where nothing else is shown."""
        self.run_id = run_id
        output.say(f"run {run_id}")

    def answered(self, calls: int, result: "ToolResult") -> None:
        """One more call was answered."""
        self._calls, self._words = calls, ""
        self._show(result.tool.rpartition("/")[2])

    def piece(self, text: str, /) -> None:
        """More words of a model that is being asked; the end of them is shown."""
        self._words = (self._words + text)[-_WORDS:]
        self._show(" ".join(self._words.split()))

    def void(self) -> None:
        """Those words do not count."""
        self._words = ""

    def _show(self, told: str) -> None:
        now_s = time.monotonic()
        if not self._shown or now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        self._dirty = True
        line = f"exploring: {self._calls:,} calls, {output.visible(told)}"
        self._write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._dirty:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self._shown = False


__all__ = ["Progress"]
