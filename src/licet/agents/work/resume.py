"""A run goes on, in whatever process: answered if somebody was asked, under the manifests and grants of now."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ...dialects.untrusted import Fence, escaped
from ...doors.registry import ToolRegistry, principal_of
from ...errors import ConfigurationError, LimitExceededError, RefusedError, ToolError
from ...model.event import Event
from ...ports import Clock, Ledger, Model
from ...project.manifest import Manifest
from ...runtime.clock import SystemClock
from ..cast.agent import ManifestAgent
from ..cast.models import model_named
from ..scenario.budget import Budget
from ..scenario.gather import Gathered
from ..scenario.journal import ENDED, LIMITED, OPENED, TURN_FAILED, Journal
from ..scenario.metered import Metered
from ..scenario.performer import Performer
from ..workflow import Driver, NotAppliedError, notes
from .earlier import Begun, Spent, begun, spent
from .held import held
from .waiting import Answer, Stands, Waiting, meant, stands


class Resumed(NamedTuple):
    """``stands`` is where it stands now. ``failed`` is why its turn came to nothing."""

    stands: Stands
    events: tuple[Event, ...]
    calls: int
    failed: ToolError | None = None


async def resume(
    gathered: Gathered,
    registry: ToolRegistry,
    run_id: str,
    answer: Answer | None,
    *,
    handlers: Mapping[str, Callable[..., Any]],
    model: Callable[[Manifest], Model] = model_named,
    clock: Clock | None = None,
) -> Resumed:
    """Let it go on. Without an ``answer`` a run goes on that ended in between, and waits for nobody.

    ``gathered`` is the scenario with its cast as they are now: what a manifest does not grant today is refused.

    Raises:
        NotAppliedError: there is nothing to answer, it is somebody else's, or another process is at it.
        ConfigurationError: who worked on it is not in the cast any more, or calls of it have no end.
        ReplayError: the ledger does not lead where it says.
        LedgerUnavailableError: no ledger, no work.
    """
    with held(registry.runtime.ledger, run_id):
        return await _Later(gathered, registry, run_id, clock or SystemClock()).go_on(answer, model, handlers)


class _Later:
    """A run, some time after it stood still."""

    def __init__(self, gathered: Gathered, registry: ToolRegistry, run_id: str, clock: Clock) -> None:
        self._scenario = gathered.scenario
        self._registry = registry
        self._ledger: Ledger = registry.runtime.ledger
        self._run_id = run_id
        self._clock = clock
        self._stood = self._stands()
        self._began: Begun = begun(self._ledger.entries(run_id), run_id)
        self._spent: Spent = spent(self._ledger.entries, self._stood)
        self._manifest = _who(gathered, self._stood)
        self._budget = Budget(gathered.scenario.governor)
        self._budget.calls = max(0, self._budget.calls - self._spent.calls)
        self._budget.spent_tokens = self._spent.tokens

    async def go_on(
        self,
        answer: Answer | None,
        model: Callable[[Manifest], Model],
        handlers: Mapping[str, Callable[..., Any]],
    ) -> Resumed:
        """One turn more. Everything that may refuse comes before the answer is put on the ledger."""
        to = _wanted(self._stood, answer)
        manifest, registry = self._manifest, self._registry
        run = registry.runtime.begin(principal_of(manifest.name, manifest), id=self._run_id, max_calls=0)
        run.fence = Fence(os.urandom(32))
        asked = Metered(model(manifest), self._budget.take_tokens)
        agent = ManifestAgent(manifest, registry, model=asked, run=run, handlers=handlers)
        performer = Performer(manifest, agent, run, self._budget)
        try:
            with suppress(RefusedError):  # a server that cannot be asked now is told of when it is needed
                await asyncio.to_thread(agent.check)
            if to is not None and answer is not None:
                self._driver(to.run_id).reply(to.question.nonce, answer.participant, answer.text)
                self._stood = self._stands()
            performer.work_on(self._driver(self._run_id))
            return await self._turn(performer)
        finally:
            performer.close()

    def _stands(self) -> Stands:
        found = stands(self._ledger.entries, self._run_id)
        if found is None:
            told = f"no workflow began in the run {self._run_id}; licet runs {self._run_id} shows its calls"
            raise ConfigurationError(told)
        return found

    def _driver(self, run_id: str) -> Driver:
        found = self._stood.parts[run_id]
        note = notes(self._ledger, run_id, found.actor, self._clock)
        return Driver.resume(found, note=note, find=self._ledger.find)

    async def _turn(self, performer: Performer) -> Resumed:
        """The turn of whoever works, told on the ledger like those before."""
        scenario, began = self._scenario, self._began
        journal = Journal(self._ledger, self._clock, self._run_id)
        journal.turn = self._spent.turns + 1
        opening = Event(OPENED, {"text": began.text}, scenario.name)
        events: list[Event] = []
        failed: ToolError | None = None
        try:
            for event, payload in await performer.act(scenario.goal, began.seed, journal.turn, opening):
                journal.event(event.kind, event.actor, payload)
                events.append(event)
        except LimitExceededError as exc:
            failed = exc
            journal.note(LIMITED, performer.name, {"code": exc.code, "limit": exc.reason})
        except ToolError as exc:
            failed = exc
            told = {"code": exc.code, "reason": exc.reason, "tool": escaped(exc.tool_name)}
            journal.note(TURN_FAILED, performer.name, told)
        self._stood = self._stands()
        calls, tokens = self._budget.spent_calls, self._budget.spent_tokens
        counts = {"calls": calls, "events": len(events), "tokens": tokens, "turns": journal.turn}
        journal.note(ENDED, scenario.name, {**counts, "stop": "input_required" if self._stood.waits else "quiet"})
        journal.close()
        return Resumed(self._stood, tuple(events), calls - self._spent.calls, failed)


def _who(gathered: Gathered, stood: Stands) -> Manifest:
    """Who worked on it, as their manifest is now. Raises ConfigurationError: they are not in the cast any more."""
    who = stood.found.actor
    for manifest in gathered.cast:
        if manifest.name == who:
            return manifest
    raise ConfigurationError(f"{who!r} worked on it, and is not in the cast of {gathered.scenario.name!r} any more")


def _wanted(stood: Stands, answer: Answer | None) -> Waiting | None:
    """What is answered; None: nobody was asked anything, and the run goes on. Raises NotAppliedError."""
    if answer is not None:
        return meant(stood, answer)
    run_id = stood.run_id
    if stood.is_over:
        raise NotAppliedError("task_ended", f"the work of the run {run_id} is over; licet runs {run_id} shows it")
    if stood.waits:
        asked = stood.waits[0].question
        told = f"{asked.participant} was asked: {asked.text[:400]}; licet resume {run_id} TEXT answers"
        raise NotAppliedError("input_required", told)
    return None


__all__ = ["Resumed", "resume"]
