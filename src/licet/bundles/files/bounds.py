"""How much a result may hold, and text that is safe to put into one."""

from ...errors import ToolTimeoutError

DEFAULT_RESULT_BYTES = 44 * 1024
"""Of JSON, while the caller names no limit: below the 50 KiB that a model is shown."""

MAX_RESULT_BYTES = 3 * 1024 * 1024
"""Of JSON, whatever the caller asks for: below the 4 MiB that a result may have."""

MAX_LINE_CHARACTERS = 2000
"""Of one line of ``read``; the rest is cut, and the cut is marked."""


_SNIFFED_BYTES = 8192


class Room:
    """How much more a result may hold. It is measured as JSON, because one control character becomes six."""

    def __init__(self, limited_by_caller: bool) -> None:
        self.bytes_left = MAX_RESULT_BYTES if limited_by_caller else DEFAULT_RESULT_BYTES

    def take(self, text: str, around: int = 4) -> bool:
        """Whether ``text`` still fits, with ``around`` bytes of JSON about it; if so it is counted."""
        from orjson import dumps

        size = len(dumps(text)) + around
        if size > self.bytes_left:
            return False
        self.bytes_left -= size
        return True


def looks_binary(data: bytes) -> bool:
    """Whether the beginning of a file holds a NUL, as text does not."""
    return data.find(b"\0", 0, _SNIFFED_BYTES) >= 0


def below(shown: str, relative: str) -> str:
    """The path, as results show it, of something inside a shown folder."""
    return relative if shown == "." else f"{shown.rstrip('/')}/{relative}"


def refuse_late(deadline: float | None) -> None:
    """Raises ToolTimeoutError: the call's time is over, nobody waits for the answer any more."""
    from time import monotonic

    if deadline is not None and monotonic() > deadline:
        raise ToolTimeoutError("the search took longer than a call may; name a narrower path or pattern")
