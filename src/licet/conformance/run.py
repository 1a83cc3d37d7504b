"""Plays vectors on a target, one after another, and says what came of each."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple

from .play import PATIENCE_S
from .subject import UnsupportedError
from .target import Target
from .vector import Vector
from .verdict import Found, Outcome, Verdict


class Report(NamedTuple):
    """``target`` is its name."""

    target: str
    outcomes: tuple[Outcome, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is red, and something passed."""
        return all(one.is_green for one in self.outcomes) and self.count("passed") > 0

    def count(self, verdict: Verdict) -> int:
        return sum(one.verdict == verdict for one in self.outcomes)


async def run(
    target: Target,
    vectors: Sequence[Vector],
    *,
    patience_s: float = PATIENCE_S,
    told: Callable[[Outcome], None] = lambda outcome: None,
) -> Report:
    """Every vector on a subject of its own. The target is closed afterwards. ``told`` hears of each outcome at once.

    Raises:
        ConfigurationError: the target cannot be started.
    """
    started = time.monotonic()
    outcomes = []
    try:
        async for outcome in played(target, vectors, patience_s):
            told(outcome)
            outcomes.append(outcome)
    finally:
        await target.close()
    return Report(target.name, tuple(outcomes), time.monotonic() - started)


async def played(target: Target, vectors: Sequence[Vector], patience_s: float) -> AsyncIterator[Outcome]:
    for vector in vectors:
        started = time.monotonic()
        try:
            await target.play(vector, patience_s)
        except UnsupportedError as exc:
            found = Found("not applicable", str(exc) or "it does not say why")
        except Found as exc:
            found = exc
        else:
            found = Found("passed", "")
        took = time.monotonic() - started
        yield Outcome(vector.id, vector.suite, vector.topic, vector.title, found.verdict, found.told, took)


__all__ = ["Report", "played", "run"]
