"""JSON pointers (RFC 6901), and a stranger's text made fit for a message."""

from collections.abc import Iterable

MAX_SHOWN = 200
"""Characters of a stranger's text that a message repeats."""


def pointer(path: Iterable[str | int]) -> str:
    """The pointer to a place, such as ``/items/0/a~1b``; the root is the empty text."""
    return "".join(f"/{step}" if isinstance(step, int) else "/" + _escaped(step) for step in path)


def place(at: str) -> str:
    """A pointer as a message names it."""
    return legible(at) if at else "the root"


def legible(text: str, limit: int = MAX_SHOWN) -> str:
    """The text on one line, at most ``limit`` characters, with control, format and bidirectional characters escaped."""
    short = text if len(text) <= limit else text[:limit] + "..."
    if short.isprintable():
        return short
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
