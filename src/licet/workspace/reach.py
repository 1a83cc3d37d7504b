"""What the two kinds of territory have in common: below roots (``confined``) and everywhere (``unconfined``)."""

import os
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from .root import Root
from .walk import Place

# Without waiting for the other end of a pipe, and without taking over a terminal.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
LIST = READ | os.O_DIRECTORY
LOOK = getattr(os, "O_PATH", READ)


class Opened(NamedTuple):
    """An open handle, which whoever asked for it closes, and where it really is."""

    handle: int
    shown: str
    root: Root
    names: list[str]
    """Real names from the root on."""

    @property
    def key(self) -> str:
        """The one absolute name of this file or folder."""
        return self.root.key(self.names)


class Placed(NamedTuple):
    """A place that may be written. It is closed by whoever gave it."""

    place: Place
    shown: str
    root: Root

    @property
    def key(self) -> str:
        """The one absolute name of what is written here."""
        return self.root.key(self.place.real_names)


class Reach(Protocol):
    """How far paths lead. Each method raises a ToolError that a model may read, never an OSError."""

    allows_other_names: bool
    """Whether a file with more than one name may be opened."""

    def shown(self, path: str) -> str:
        """The path as results and messages name it: one that leads to the same file when it is given back."""
        ...

    def open(self, path: str, flags: int) -> Opened:
        """Open what a path leads to, links followed."""
        ...

    def is_named(self, opened: Opened, status: os.stat_result) -> bool:
        """Whether a file still has the name by which it was opened, and no other; true where others are allowed."""
        ...

    def enter(self, folder: int, name: str, flags: int) -> int:
        """Open an entry of an open folder, never through a link. Raises OSError; EXDEV for another mount."""
        ...

    def place(self, path: str) -> AbstractContextManager[Placed]:
        """Where a path leads, to be written: protected places are refused."""
        ...

    def still_there(self, placed: Placed) -> bool:
        """Whether the folder of a place is still reached by the same names."""
        ...

    def close(self) -> None:
        """Let the handles go."""
        ...
