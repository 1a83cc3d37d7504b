"""Plays vectors on a target, one after another, and says what came of each."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple

from .execution import Executions
from .play import PATIENCE_S, Play
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
            await play(target, vector, patience_s)
        except UnsupportedError as exc:
            found = Found("not applicable", str(exc) or "it does not say why")
        except Found as exc:
            found = exc
        else:
            found = Found("passed", "")
        took = time.monotonic() - started
        yield Outcome(vector.id, vector.suite, vector.topic, vector.title, found.verdict, found.told, took)


async def play(target: Target, vector: Vector, patience_s: float = PATIENCE_S) -> None:
    """One vector on one subject.

    Raises:
        Found: it is not as the vector says.
        UnsupportedError: it cannot be played on this target.
        ConfigurationError: the target cannot be started.
    """
    from .engine import engine_of
    from .hub import Hub

    executions = Executions(engine_of(vector))
    async with AsyncExitStack() as stack:
        upstream: tuple[str, ...] = ()
        on_change = None
        if target.takes_upstream:
            hub = await stack.enter_async_context(Hub.opened(executions, vector))
            upstream, on_change = hub.command, hub.change
        async with target.subject(vector, upstream) as subject:
            await Play(vector, subject, executions, upstream, on_change, patience_s).play()
            settled = len(executions.all)
        await asyncio.sleep(0)
    if len(executions.all) > settled:
        raise Found("failed", "executed something after its last answer")


__all__ = ["Report", "play", "played", "run"]
