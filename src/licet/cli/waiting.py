"""Which servers have not answered yet: one line on standard error that replaces itself, on a terminal only."""

import os
import sys
from collections.abc import Iterable
from typing import Self

from . import output

_MOST_NAMED = 4


class Waiting:
    """Use as ``with Waiting(names) as waiting``; at the end the line is gone."""

    def __init__(self, names: Iterable[str]) -> None:
        self._left = list(names)
        self._all = len(self._left)
        stream = sys.stderr
        self._shown = stream is not None and stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")

    def answered(self, name: str) -> None:
        """This one is not waited for any more."""
        self._left.remove(name)
        self._show()

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self._write("\r\x1b[K")

    def _show(self) -> None:
        if not self._left:
            return
        named = ", ".join(self._left[:_MOST_NAMED]) + (", ..." if len(self._left) > _MOST_NAMED else "")
        self._write(output.visible(f"waiting for {named} ({self._all - len(self._left)} of {self._all} listed)"))

    def _write(self, text: str) -> None:
        if not self._shown:
            return
        try:
            sys.stderr.write(f"\r\x1b[K{text}" if not text.startswith("\r") else text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self._shown = False


__all__ = ["Waiting"]
