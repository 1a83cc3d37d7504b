"""A relay as whoever started it sees it: what passed, and what it shall change."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from . import relay

_SHOWN = 200


class Passed(NamedTuple):
    """A call that came to the relay. ``ok`` is how the server answered it, None where it was held or not answered."""

    name: str
    held: bool
    ok: bool | None = None


class Relayed:
    """One column's own relay, over a folder of its own."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self.command = sys.executable
        self.args = ("-I", relay.__file__, str(folder), *command)
        """It reads no variable and no folder for modules: what it runs is this file."""
        self._seen = 0

    def passed(self) -> tuple[Passed, ...]:
        """The calls that came since this was last asked, in order."""
        found: list[Passed] = []
        facts = [json.loads(line) for line in self._lines()]
        for fact in facts[self._seen :]:
            if "call" in fact:
                found.append(Passed(fact["call"], fact["held"]))
            elif found:
                found[-1] = found[-1]._replace(ok=fact["ok"])
        self._seen = len(facts)
        return tuple(found)

    def change(self, tool: str, part: str) -> None:
        """From the next listing on the tool's definition is another one."""
        path = self._folder / relay.CHANGE
        made = path.with_suffix(".new")
        made.write_text(json.dumps({"tool": tool, "part": part}))
        os.replace(made, path)

    def restore(self) -> None:
        """Listings are the server's own again."""
        (self._folder / relay.CHANGE).unlink(missing_ok=True)

    def last_words(self) -> str:
        """The last line that the server wrote on standard error, as it came; empty if it wrote none."""
        try:
            lines = (self._folder / relay.SAID).read_bytes().decode("utf-8", "replace").split("\n")
        except FileNotFoundError:
            return ""
        said = [line for line in lines if line.strip()]
        return said[-1][:_SHOWN] if said else ""

    def _lines(self) -> list[str]:
        try:
            return (self._folder / relay.CALLS).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
