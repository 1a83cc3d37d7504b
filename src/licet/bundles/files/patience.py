"""How long patterns may take: linear in the text is not quick yet, where the pattern is large or there are many."""

from time import thread_time

from ...errors import ToolFailedError
from .pattern import Match, Pattern

_FIRST_S = 0.03
_PER_TEXT_S = 10e-6
_PER_BYTE_S = 100e-9
"""An ordinary pattern needs a hundredth of this."""

_LIGHT_PROGRAM = 200
"""Steps of a pattern that is quick on any path, so that nobody needs to look at the time."""

_WINDOW_STEPS = 1 << 22
"""Bytes times steps of the pattern that are searched without a look at the time: some 25 ms at worst."""

_LEAST_WINDOW_BYTES = 4096


class TooSlowError(ToolFailedError):
    """The patterns of one call took longer than what they were to look at can explain."""


class Patience:
    """Processor time of this thread, so that a busy machine takes none of it. It grows with what is looked at."""

    __slots__ = ("_left_s",)

    def __init__(self) -> None:
        self._left_s = _FIRST_S

    def spend(self, begun: float, texts: int, length: int = 0) -> None:
        """Take what passed since ``begun`` of ``thread_time``. Raises TooSlowError: it is used up."""
        self._left_s += texts * _PER_TEXT_S + length * _PER_BYTE_S - (thread_time() - begun)
        if self._left_s < 0:
            raise TooSlowError(
                "the pattern takes too long on these files; use one with fewer or smaller repetitions",
                reason="bad_pattern",
            )


class Patient:
    """A pattern whose time is taken. ``window_bytes`` is how much of a text it should be given at once."""

    __slots__ = ("_patience", "_pattern", "window_bytes")

    def __init__(self, pattern: Pattern, patience: Patience) -> None:
        self._pattern = pattern
        self._patience = patience
        self.window_bytes = max(_LEAST_WINDOW_BYTES, _WINDOW_STEPS // max(1, pattern.programsize))

    @property
    def programsize(self) -> int:
        return self._pattern.programsize

    def search(self, text: bytes, pos: int, endpos: int) -> Match | None:
        begun = thread_time()
        found = self._pattern.search(text, pos, endpos)
        self._patience.spend(begun, 1, (found.end() if found else endpos) - pos)
        return found

    def fullmatch(self, text: bytes, pos: int, endpos: int) -> Match | None:
        begun = thread_time()
        found = self._pattern.fullmatch(text, pos, endpos)
        self._patience.spend(begun, 1)
        return found


def for_paths(pattern: Pattern, patience: Patience) -> Pattern:
    """The pattern, its time taken if it is large."""
    return pattern if pattern.programsize <= _LIGHT_PROGRAM else Patient(pattern, patience)  # type: ignore[return-value]
