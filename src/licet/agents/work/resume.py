"""A run goes on, in whatever process: answered if somebody was asked, under the manifests and grants of now."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...doors.registry import ToolRegistry
from ...errors import ConfigurationError
from ...model.event import Event
from ...model.names import canonical
from ...ports import Clock, Ledger, Model
from ...project.manifest import Manifest
from ...runtime.clock import SystemClock
from ..cast.models import model_named
from ..scenario.budget import Budget
from ..scenario.ensemble import ensemble
from ..scenario.gather import Gathered
from ..scenario.journal import RESUMED, Journal
from ..scenario.performer import Performer
from ..scenario.stage import EarlierTurn, Outcome, Stage
from ..scenario.work import begin_work, take_up
from ..workflow import Driver, NotAppliedError, notes
from .earlier import Begun, Earlier, begun, calls_of, earlier, since_resumed
from .held import held
from .waiting import Answer, Stands, Waiting, meant, stands


class Resumed(NamedTuple):
    """``outcome`` is that of the whole run, ``events`` are those that came now. ``stands`` is where its workflow stands
    now; None: it has none.
    """

    outcome: Outcome
    events: tuple[Event, ...]
    stands: Stands | None


async def resume(
    gathered: Gathered,
    registry: ToolRegistry,
    run_id: str,
    answer: Answer | None,
    *,
    handlers: Mapping[str, Callable[..., Any]],
    secret: bytes | None = None,
    model: Callable[[Manifest], Model] = model_named,
    clock: Clock | None = None,
) -> Resumed:
    """Let it go on, with its whole cast, where it stood: the turn that somebody's question paused is taken up again,
    then it is whose turn it is. What was used before counts. Without an ``answer`` a run goes on that ended in between.

    ``gathered`` is the scenario with its cast as they are now: what a manifest does not grant today is refused. The
    same ledger, answer and ``secret`` give the same prompts and entries.

    Raises:
        NotAppliedError: there is nothing to answer, it is somebody else's, nothing is left to do, or another process
            is at it.
        ConfigurationError: the cast is another one now, or calls of it have no end.
        ReplayError: the ledger does not lead where it says.
        LedgerUnavailableError: no ledger, no work.
    """
    with held(registry.runtime.ledger, run_id):
        later = _Later(gathered, registry, run_id, clock or SystemClock())
        return await later.go_on(answer, secret, model, handlers)


class _Later:
    """A run, some time after it stood still."""

    def __init__(self, gathered: Gathered, registry: ToolRegistry, run_id: str, clock: Clock) -> None:
        self._gathered = gathered
        self._registry = registry
        self._ledger: Ledger = registry.runtime.ledger
        self._run_id = run_id
        self._clock = clock
        self._stood = stands(self._ledger.entries, run_id)
        self._began: Begun = begun(self._ledger.entries(run_id), run_id)
        self._earlier: Earlier = earlier(self._ledger.entries(run_id))
        self._used = calls_of(self._ledger.entries, run_id, self._stood)
        _refuse_other_cast(gathered, self._began)

    async def go_on(
        self,
        answer: Answer | None,
        secret: bytes | None,
        model: Callable[[Manifest], Model],
        handlers: Mapping[str, Callable[..., Any]],
    ) -> Resumed:
        """Everything that may refuse comes before the answer is put on the ledger."""
        to = self._wanted(answer)
        scenario, cast = self._gathered
        budget = Budget(scenario.governor)
        budget.calls = max(0, budget.calls - sum(self._used.values()))
        budget.spent_tokens = self._earlier.tokens
        journal = Journal(self._ledger, self._clock, self._run_id)
        journal.tokens = self._earlier.tokens
        gathering = ensemble(
            cast,
            self._registry,
            budget,
            journal,
            secret=secret,
            model=model,
            handlers=handlers,
            part=f"-{self._earlier.parts + 2}",
            used=self._used,
        )
        async with gathering as performers:
            began = self._began
            stage = Stage(scenario, performers, budget, journal, seed=began.seed, text=began.text)
            stage.recall(self._turns())
            cut = await self._cut(performers)
            journal.note(RESUMED, scenario.name, {"turn": journal.turn})
            if to is not None and answer is not None:
                self._driver(to.run_id).reply(to.question.nonce, answer.participant, answer.text, by=answer.by)
                self._stood = stands(self._ledger.entries, self._run_id)
            if self._stood is not None:
                stage.driver = self._driver(self._run_id)
                worker = next(one for one in performers if one.name == self._stood.found.actor)
                worker.has_news = True
                take_up(stage.driver, worker, performers)
            else:  # it ended before one began
                stage.driver = begin_work(scenario, performers, self._ledger, journal, began.behind)
            if cut is not None:
                stage.interrupt(cut)
            outcome = await stage.play(goes_on=self._earlier.paused)
        now = stands(self._ledger.entries, self._run_id)
        return Resumed(outcome, tuple(since_resumed(self._ledger.entries(self._run_id))), now)

    def _turns(self) -> Sequence[EarlierTurn]:
        turns = self._earlier.turns
        if self._earlier.paused and self._stood is not None and turns:
            return (*turns[:-1], turns[-1]._replace(agent=self._stood.found.actor))
        return turns

    def _driver(self, run_id: str) -> Driver:
        assert self._stood is not None
        found = self._stood.parts[run_id]
        note = notes(self._ledger, run_id, found.actor, self._clock)
        return Driver.resume(found, note=note, find=self._ledger.find)

    async def _cut(self, performers: Sequence[Performer]) -> str | None:
        """Whose turn was under way when the process ended, if it made calls that may not be made twice.

        Who works on the workflow is told by it what was done; everybody else would do the same again.
        """
        worker = "" if self._stood is None else self._stood.found.actor
        for performer in performers:
            made = self._earlier.open.get(performer.name)
            if made and performer.name != worker and not await self._may_repeat(performer, made):
                return performer.name
        return None

    async def _may_repeat(self, performer: Performer, tools: Sequence[str]) -> bool:
        runtime = self._registry.runtime
        specs = [*runtime.specs(), *await runtime.resolved_for(performer.run.principal)]
        harmless = {spec.name for spec in specs if spec.capabilities.read_only or spec.capabilities.idempotent}
        return harmless.issuperset(map(canonical, tools))

    def _wanted(self, answer: Answer | None) -> Waiting | None:
        """What is answered; None: nobody was asked anything, and the run goes on.

        Raises:
            NotAppliedError: this is no answer, there is one to give, or nothing is left to do.
            ConfigurationError: an answer to a run without a workflow.
        """
        run_id, stood = self._run_id, self._stood
        if answer is not None:
            if stood is None:
                told = f"no workflow began in the run {run_id}; licet runs {run_id} shows its calls"
                raise ConfigurationError(told)
            return meant(stood, answer)
        if stood is not None and stood.waits:
            asked = stood.waits[0].question
            told = f"{asked.participant} was asked: {asked.text[:400]}; licet resume {run_id} TEXT answers"
            raise NotAppliedError("input_required", told)
        stop = self._earlier.stop
        if stop == "quiet" or (stood is not None and stood.is_over and stop not in ("", "broken")):
            raise NotAppliedError("task_ended", f"the work of the run {run_id} is over; licet runs {run_id} shows it")
        most = self._gathered.scenario.governor.max_turns
        if stop == "max_turns" and len(self._earlier.turns) >= most:
            name = self._gathered.scenario.name
            told = f"the run {run_id} has taken its {most} turns"
            if stood is not None and not stood.is_over:
                told += ", and its task is still open"
            told += f"; raise max_turns of the scenario {name} and let it go on, or begin another: licet run {name}"
            raise NotAppliedError("max_turns", told)
        return None


def _refuse_other_cast(gathered: Gathered, began: Begun) -> None:
    now = tuple(manifest.name for manifest in gathered.cast)
    if now != began.cast:
        then, told = ", ".join(began.cast), ", ".join(now)
        name = gathered.scenario.name
        raise ConfigurationError(f"the cast of {name!r} was {then}, and is {told} now; a run goes on with its own cast")


__all__ = ["Resumed", "resume"]
