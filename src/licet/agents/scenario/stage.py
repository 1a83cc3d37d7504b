"""A scenario under way: turn after turn, until its turns are used up, nobody has anything to do, or a limit is reached.

What happened before, in this process or another, is where it begins: everybody hears it again, in its order.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from ...dialects.untrusted import escaped
from ...errors import (
    AnswerError,
    ConfigurationError,
    EmissionViolation,
    LedgerUnavailableError,
    LicetError,
    LimitExceededError,
    ProviderError,
    ToolError,
)
from ...model.event import Event
from ...project.scenario import Scenario
from ..workflow import Driver
from .budget import Budget
from .journal import ENDED, EVENT_REFUSED, LIMITED, OPENED, TURN_FAILED, TURN_PASSED, Journal
from .order import turns
from .performer import Performer

Stop = Literal["max_turns", "quiet", "max_total_calls", "max_total_tokens", "input_required", "broken"]
"""``quiet``: nobody had anything left to do. ``input_required``: somebody was asked, and has not answered yet.
``broken`` stands on the ledger only: something raised, or interrupted."""

MOST_FAILED = 100
"""Errors of turns that an outcome holds."""

_ENDS = ("max_total_calls", "max_total_tokens")
"""Limits after which nothing more can come of a run."""


class Outcome(NamedTuple):
    """How a scenario ended, all its turns counted. ``failed`` are the errors of turns of this process that came to
    nothing, in order, at most 100 of them.
    """

    run_id: str
    stop: Stop
    turns: int
    events: int
    calls: int
    tokens: int
    failed: tuple[LicetError, ...]


class EarlierTurn(NamedTuple):
    """A turn that was taken. ``agent`` is empty where nothing tells whose it was."""

    agent: str
    events: tuple[Event, ...] = ()


class Stage:
    """``driver`` is what drives the workflow of the run, where there is one; ``text`` is how everybody is greeted."""

    def __init__(
        self, scenario: Scenario, cast: Sequence[Performer], budget: Budget, journal: Journal, *, seed: str, text: str
    ) -> None:
        self.driver: Driver | None = None
        self._scenario = scenario
        self._cast = cast
        self._budget = budget
        self._journal = journal
        self._seed = seed
        self._opening = Event(OPENED, {"text": text}, scenario.name)
        self._order = turns(cast)
        self._peeked: Performer | None = None
        self._last: Performer | None = None
        self._said = 0
        self._failed: list[LicetError] = []

    # --- before ---

    def recall(self, earlier: Iterable[EarlierTurn]) -> None:
        """Everybody hears what happened, each turn is taken from the budget, and whose turn is next follows from it.

        Raises:
            ConfigurationError: by the manifests of now a turn would have been somebody else's.
        """
        for turn in earlier:
            performer = self._take()
            if performer is None or turn.agent not in ("", performer.name):
                now = "nobody's" if performer is None else f"{performer.name!r}'s"
                told = f"turn {self._journal.turn + 1} was {turn.agent!r}'s, and by the manifests of now it is {now}"
                raise ConfigurationError(f"{told}; give the cast its order and its schedules back")
            self._budget.take_turn()
            self._begin(performer)
            performer.acted()
            for event in turn.events:
                self._hear(event)

    def interrupt(self, agent: str) -> None:
        """The turn of this agent that was under way is over: calls of it are not made a second time."""
        self._peeked = performer = self._take()
        if performer is not None and performer.name == agent and self._budget.take_turn():
            self._peeked = None
            self._begin(performer)
            performer.acted()
            self._journal.note(TURN_FAILED, agent, {"code": "interrupted", "reason": "", "tool": ""})

    # --- now ---

    async def play(self, *, goes_on: bool = False) -> Outcome:
        """To the end. ``goes_on``: the last turn that was recalled is not over; it goes on, and is not counted again.

        Raises:
            LedgerUnavailableError: no ledger, no scenario.
        """
        try:
            stop = await self._turns(goes_on)
        except BaseException:
            with suppress(LedgerUnavailableError):
                self._end("broken")
            raise
        return self._end(stop)

    async def _turns(self, goes_on: bool) -> Stop:
        """Why there is no further turn."""
        performer = self._last if goes_on else None
        while True:
            if performer is None:
                performer = self._take()
                if performer is None:
                    return "quiet"
                if not self._budget.take_turn():
                    return "max_turns"
                self._begin(performer)
            await asyncio.sleep(0)  # a turn that waits for nothing never lets the loop see that somebody interrupts
            limit = await self._turn(performer)
            if limit is not None:
                return limit
            if self._waits:
                return "input_required"
            performer = None

    async def _turn(self, performer: Performer) -> Stop | None:
        """What ended the run, if this turn did."""
        try:
            emitted = await performer.act(self._scenario.goal, self._seed, self._journal.turn, self._opening)
        except EmissionViolation as exc:
            self._fail(performer, exc, EVENT_REFUSED, {"code": exc.code, "message": escaped(str(exc))})
        except LimitExceededError as exc:
            self._fail(performer, exc, LIMITED, {"code": exc.code, "limit": exc.reason})
            return exc.reason if exc.reason in _ENDS else None  # type: ignore[return-value]
        except ToolError as exc:
            told = {"code": exc.code, "reason": exc.reason, "tool": escaped(exc.tool_name)}
            self._fail(performer, exc, TURN_FAILED, told)
        except (ProviderError, AnswerError) as exc:
            if isinstance(exc, ConfigurationError):
                raise
            told = {"code": exc.code, "reason": getattr(exc, "reason", ""), "tool": ""}
            self._fail(performer, exc, TURN_FAILED, told)
        else:
            self._let_out(performer, emitted)
        return None

    def _let_out(self, performer: Performer, emitted: Sequence[tuple[Event, bytes]]) -> None:
        self._journal.tokens = self._budget.spent_tokens
        for event, payload in emitted:
            self._journal.event(event.kind, event.actor, payload)
            self._hear(event)
        if not emitted and not self._waits:
            self._journal.note(TURN_PASSED, performer.name, {})

    def _hear(self, event: Event) -> None:
        self._said += 1
        told = event._replace(id=f"{self._journal.run_id}.e{self._said}")
        for performer in self._cast:
            performer.hear(told)

    def _fail(self, performer: Performer, error: LicetError, kind: str, told: dict[str, Any]) -> None:
        self._journal.tokens = self._budget.spent_tokens
        self._journal.note(kind, performer.name, told)
        if len(self._failed) < MOST_FAILED:
            self._failed.append(error)

    def _take(self) -> Performer | None:
        """Whose turn is next."""
        found, self._peeked = self._peeked, None
        return next(self._order, None) if found is None else found

    def _begin(self, performer: Performer) -> None:
        self._last = performer
        self._journal.turn += 1

    @property
    def _waits(self) -> bool:
        return self.driver is not None and self.driver.waits_for is not None

    def _end(self, stop: Stop) -> Outcome:
        budget, journal = self._budget, self._journal
        counts = {"calls": budget.spent_calls, "events": self._said, "turns": journal.turn}
        journal.note(ENDED, self._scenario.name, {**counts, "stop": stop, "tokens": budget.spent_tokens})
        journal.close()
        return Outcome(
            journal.run_id, stop, journal.turn, self._said, budget.spent_calls, budget.spent_tokens, tuple(self._failed)
        )


__all__ = ["MOST_FAILED", "EarlierTurn", "Outcome", "Stage", "Stop"]
