"""What came of one vector."""

from typing import Literal, NamedTuple

Verdict = Literal[
    "passed",
    "not applicable",
    "failed",
    "lied",
    "garbled",
    "hung",
    "died",
    "raised",
]
"""``failed``: the subject did what must not be. ``lied``: it said one thing and did another. ``garbled``: what it said
is no answer, or acts on a terminal. ``hung`` and ``died`` are what they say; ``raised``: an exception of its own."""

GREEN: frozenset[Verdict] = frozenset(("passed", "not applicable"))


class Outcome(NamedTuple):
    """``told`` says what was seen instead, or why the vector is not applicable; of a passed one it is empty."""

    vector: str
    suite: str
    topic: str
    title: str
    verdict: Verdict
    told: str
    seconds: float

    @property
    def is_green(self) -> bool:
        return self.verdict in GREEN


class Found(Exception):  # noqa: N818 - a verdict, and no error of this program
    """Ends a vector with a verdict."""

    def __init__(self, verdict: Verdict, told: str) -> None:
        super().__init__(told)
        self.verdict: Verdict = verdict
        self.told = told


__all__ = ["GREEN", "Found", "Outcome", "Verdict"]
