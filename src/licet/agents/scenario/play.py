"""Plays a scenario: turn after turn, until its turns are used up, nobody has anything to do, or a limit is reached."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from ...dialects.untrusted import Fence, escaped
from ...doors.registry import ToolRegistry, principal_of
from ...errors import (
    ConfigurationError,
    EmissionViolation,
    LedgerUnavailableError,
    LimitExceededError,
    RefusedError,
    ToolError,
)
from ...model.event import Event
from ...ports import Clock, Ledger, Model
from ...project.manifest import Manifest
from ...project.scenario import Scenario
from ...runtime.clock import SystemClock
from ...runtime.runtime import RUN_ID
from ..cast.agent import ManifestAgent
from ..cast.handlers import HANDLERS
from ..cast.models import model_named
from ..workflow import Driver
from .budget import Budget
from .journal import ENDED, EVENT_REFUSED, LIMITED, OPENED, TURN_FAILED, Journal
from .metered import Metered
from .order import turns
from .performer import Performer
from .work import begin_work

Stop = Literal["max_turns", "quiet", "max_total_calls", "max_total_tokens", "input_required", "broken"]
"""``quiet``: nobody had anything left to do. ``input_required``: somebody was asked, and has not answered yet.
``broken`` stands on the ledger only: something raised, or interrupted."""

LONGEST_SEED = 10_000
"""Characters."""

_ENDS = ("max_total_calls", "max_total_tokens")
"""Limits after which nothing more can come of a run."""


class Outcome(NamedTuple):
    """How a scenario ended. ``failed`` are the errors of turns that came to nothing, in order, at most 100 of them."""

    run_id: str
    stop: Stop
    turns: int
    events: int
    calls: int
    tokens: int
    failed: tuple[ToolError, ...]


async def play(
    scenario: Scenario,
    cast: Sequence[Manifest],
    registry: ToolRegistry,
    *,
    seed: str | None = None,
    run_id: str | None = None,
    secret: bytes | None = None,
    clock: Clock | None = None,
    folder: str = "",
    skills: Mapping[str, str] | None = None,
    model: Callable[[Manifest], Model] = model_named,
    handlers: Mapping[str, Callable[..., Any]] = HANDLERS,
) -> Outcome:
    """Play it once. The same scenario, cast, seed, ``run_id`` and ``secret`` give the same prompts and entries.

    Without ``run_id`` and ``secret``, 16 to 64 bytes under which results are fenced, both are chance. A turn that is
    refused or fails is told on the ledger, and the next one comes. The registry has to hold the cast's rules
    (``GrantRules``). ``folder`` is where it is played, and ``skills`` the digests of those that it begins with, for
    whoever goes on with it later.

    Raises:
        ConfigurationError: the run's id is none, or stands on the ledger already; the seed is no text of at most
            ``LONGEST_SEED`` characters; an agent needs what there is not.
        LedgerUnavailableError: no ledger, no scenario.
    """
    seed = _text(scenario.default_seed if seed is None else seed)
    run_id = run_id or f"s{os.urandom(8).hex()}"
    _refuse_known(registry, run_id)
    journal = Journal(registry.runtime.ledger, clock or SystemClock(), run_id, folder=folder)
    budget = Budget(scenario.governor)
    performers: list[Performer] = []
    try:
        for number, manifest in enumerate(cast, 1):
            who = principal_of(manifest.name, manifest)
            run = registry.runtime.begin(who, id=run_id, max_calls=0, prefix=f"{run_id}.{number}")
            run.fence = Fence(secret or os.urandom(32))
            asked = Metered(model(manifest), budget.take_tokens)
            agent = ManifestAgent(manifest, registry, model=asked, run=run, handlers=handlers)
            performers.append(Performer(manifest, agent, run, budget))
            with suppress(RefusedError):  # a server that cannot be asked now is told of in the turn that needs it
                await asyncio.to_thread(agent.check)
        stage = _Stage(scenario, performers, budget, journal, registry.runtime.ledger)
        return await stage.play(seed, skills)
    finally:
        for performer in performers:
            performer.close()


class _Stage:
    """A scenario under way."""

    def __init__(
        self, scenario: Scenario, cast: Sequence[Performer], budget: Budget, journal: Journal, ledger: Ledger
    ) -> None:
        self._ledger = ledger
        self._driver: Driver | None = None
        self._scenario = scenario
        self._cast = cast
        self._budget = budget
        self._journal = journal
        self._said = 0
        self._failed: list[ToolError] = []

    async def play(self, seed: str, skills: Mapping[str, str] | None) -> Outcome:
        opening = self._open(seed, skills)
        try:
            self._driver = begin_work(self._scenario, self._cast, self._ledger, self._journal)
            stop = await self._turns(seed, opening)
        except BaseException:
            with suppress(LedgerUnavailableError):
                self._end("broken")
            raise
        return self._end(stop)

    async def _turns(self, seed: str, opening: Event) -> Stop:
        """Why there is no further turn."""
        for performer in turns(self._cast):
            if not self._budget.take_turn():
                return "max_turns"
            self._journal.turn += 1
            await asyncio.sleep(0)  # a turn that waits for nothing never lets the loop see that somebody interrupts
            limit = await self._turn(performer, seed, opening)
            if limit is not None:
                return limit
            if self._driver is not None and self._driver.waits_for is not None:
                return "input_required"
        return "quiet"

    def _open(self, seed: str, skills: Mapping[str, str] | None) -> Event:
        scenario = self._scenario
        body: dict[str, Any] = {
            "cast": list(scenario.cast),
            "goal": scenario.goal,
            "scenario": scenario.name,
            "seed": seed,
            "text": scenario.genesis_text,
        }
        if skills is not None:
            body["skills"] = dict(skills)
        self._journal.note(OPENED, scenario.name, body)
        return Event(OPENED, {"text": scenario.genesis_text}, scenario.name)

    async def _turn(self, performer: Performer, seed: str, opening: Event) -> Stop | None:
        """What ended the run, if this turn did."""
        try:
            emitted = await performer.act(self._scenario.goal, seed, self._journal.turn, opening)
        except EmissionViolation as exc:
            self._fail(performer, exc, EVENT_REFUSED, {"code": exc.code, "message": escaped(str(exc))})
        except LimitExceededError as exc:
            self._fail(performer, exc, LIMITED, {"code": exc.code, "limit": exc.reason})
            return exc.reason if exc.reason in _ENDS else None  # type: ignore[return-value]
        except ToolError as exc:
            told = {"code": exc.code, "reason": exc.reason, "tool": escaped(exc.tool_name)}
            self._fail(performer, exc, TURN_FAILED, told)
        else:
            for event, payload in emitted:
                self._say(event, payload)
        return None

    def _say(self, event: Event, payload: bytes) -> None:
        self._journal.event(event.kind, event.actor, payload)
        self._said += 1
        told = event._replace(id=f"{self._journal.run_id}.e{self._said}")
        for performer in self._cast:
            performer.hear(told)

    def _fail(self, performer: Performer, error: ToolError, kind: str, told: dict[str, Any]) -> None:
        self._journal.note(kind, performer.name, told)
        if len(self._failed) < 100:
            self._failed.append(error)

    def _end(self, stop: Stop) -> Outcome:
        budget, journal = self._budget, self._journal
        counts = {"calls": budget.spent_calls, "events": self._said, "turns": journal.turn}
        journal.note(ENDED, self._scenario.name, {**counts, "stop": stop, "tokens": budget.spent_tokens})
        journal.close()
        return Outcome(
            journal.run_id, stop, journal.turn, self._said, budget.spent_calls, budget.spent_tokens, tuple(self._failed)
        )


def _text(seed: str) -> str:
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise ConfigurationError("the seed is no text in UTF-8; write it as one") from None
    if len(seed) > LONGEST_SEED:
        raise ConfigurationError(f"the seed has {len(seed)} characters; use at most {LONGEST_SEED}")
    return seed


def _refuse_known(registry: ToolRegistry, run_id: str) -> None:
    if not RUN_ID.fullmatch(run_id):
        raise ConfigurationError(f"{run_id!r} is no run id; use 1 to 64 of the characters A-Z a-z 0-9 _ -")
    if next(iter(registry.runtime.ledger.entries(run_id)), None) is not None:
        raise ConfigurationError(f"the run {run_id} stands on this ledger already; a scenario begins one of its own")


__all__ = ["Outcome", "Stop", "play"]
