"""How far an exploration is: one line on standard error that replaces itself, on a terminal only."""

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from . import output

if TYPE_CHECKING:
    from ..model.result import ToolResult

_EVERY_S = 0.1


class Progress:
    """Use as ``with Progress() as progress``; at the end the line is gone."""

    def __init__(self) -> None:
        stream = sys.stderr
        self._shown = stream is not None and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._next_s = 0.0
        self._dirty = False

    def begun(self, run_id: str) -> None:
        """Say which run it is, also where nothing else is shown."""
        output.say(f"run {run_id}")

    def answered(self, calls: int, result: "ToolResult") -> None:
        """One more call was answered."""
        now_s = time.monotonic()
        if not self._shown or now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        self._dirty = True
        tool = result.tool.rpartition("/")[2]
        self._write(f"\r\x1b[Kexploring: {calls:,} calls, {tool}")

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
