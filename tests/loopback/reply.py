"""What a server is told to answer, in no provider's words."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Call(NamedTuple):
    """``arguments`` is JSON text as the model wrote it, also where it is none. ``id`` None: the wire's own."""

    name: str
    arguments: str = "{}"
    id: str | None = None


class Said(NamedTuple):
    """A whole answer. ``end`` is the provider's own word, empty for the usual one; ``items`` are raw parts of it."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    end: str = ""
    tokens: tuple[int, int] = (11, 7)
    items: tuple[Mapping[str, Any], ...] = ()


class Status(NamedTuple):
    """An error, with the provider's own kind and words."""

    code: int
    headers: Mapping[str, str] = {}
    kind: str = ""
    message: str = "no"


class Cut(NamedTuple):
    """The connection ends after so many pieces of a streamed answer, or in the middle of a whole one.

    ``cleanly``: as if it were complete.
    """

    said: Said
    pieces: int = 2
    cleanly: bool = False


class Broken(NamedTuple):
    """Bytes in place of an answer."""

    body: bytes
    code: int = 200
    headers: Mapping[str, str] = {}


class Mixed(NamedTuple):
    """A streamed answer whose pieces come as ``order`` puts them."""

    said: Said
    order: Callable[[list[bytes]], list[bytes]]


class Hang(NamedTuple):
    """No answer until the server is closed. ``said`` is begun before, where it is streamed."""

    said: Said | None = None


Reply = Said | Status | Cut | Broken | Mixed | Hang

__all__ = ["Broken", "Call", "Cut", "Hang", "Mixed", "Reply", "Said", "Status"]
