"""Children that are dead and nobody asked about, and for how long."""

import threading
import time
from pathlib import Path
from typing import Self

EVERY_S = 0.25


class Zombies:
    """Looks at the children of this process while it is entered."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.seen_twice = threading.Event()
        """Set once one was dead at two looks."""
        self._since: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="campaign-zombies", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(EVERY_S):
            now = time.monotonic()
            self._since = {child: self._since.get(child, now) for child in dead_children()}
            self.longest_s = max(self.longest_s, max((now - since for since in self._since.values()), default=0.0))
            if self.longest_s:
                self.seen_twice.set()


def dead_children() -> list[int]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        try:
            children = (task / "children").read_text().split()
            found += [int(child) for child in children if _state(child) == "Z"]
        except OSError:
            continue  # the thread or the child has gone since
    return found


def _state(child: str) -> str:
    return Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
