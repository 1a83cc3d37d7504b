"""An agent at work: its model asks, the commands are applied, sub-tasks are done by others, a question pauses it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from ...errors import ConfigurationError
from ...intrinsics.rules import OVER, depth
from ...model.result import ToolResult
from ...model.workflow import Participant, Question, State, Task
from ...ports import Message, Model
from ...project.manifest import Manifest
from ...runtime.run import Run
from ..cast.legs import legs
from ..cast.scene import Scene
from ..loop import Outcome, record_for
from ..workflow import AttenuationError, Driver, Replayed, Scope, notes, replay
from ..workflow.standing import brief, open_subtasks, standing
from . import subtask
from .part import part, shortened
from .place import Place


class Worker:
    """Works on the task of one run. ``preface`` is what its model reads before the task, ``scene`` what its agent was
    told.

    A run that stood still goes on: what its ledger says of it is where it begins.
    """

    def __init__(
        self, place: Place, run: Run, model: Model, scope: Scope, driver: Driver, scene: Scene, preface: str = ""
    ) -> None:
        self._place = place
        self._run = run
        self._model = model
        self._scope = scope
        self._scene = scene
        self._preface = preface
        self._record = record_for(model, place.runtime.ledger, run, clock=place.clock)
        self._said: tuple[Message, ...] = ()
        self._legs = 0
        self.driver = driver
        run.task = driver

    async def work(self) -> str | None:
        """What came of the task; None: somebody has to answer first.

        Raises:
            LedgerUnavailableError: no ledger, no work.
            LimitExceededError: no tokens are left.
        """
        while self._task.standing not in OVER:
            if not await self._parts_are_done() or self.driver.waits_for is not None:
                return None
            outcome = await self._leg()
            self._said = outcome.conversation
            if outcome.stop == "done":
                self._end("done", outcome.text)
            elif outcome.stop != "input_required":
                self._end("failed", f"no end was found: {outcome.stop} after {outcome.turns} turns")
        return self._task.result or ""

    @property
    def failed(self) -> bool:
        """Whether its task is over, and nothing came of it."""
        return self._task.standing == "failed"

    @property
    def _task(self) -> Task:
        return self._state.tasks[0]

    @property
    def _state(self) -> State:
        return self.driver.state

    async def _leg(self) -> Outcome:
        """Turn after turn, until there is something to wait for or nothing left to ask."""
        self._legs += 1
        stands = standing(self._state, self._run.fence, f"{self._run.id}.standing.{self._legs}")
        parts = (stands,) if self._said else (self._preface, brief(self._task), stands)
        return await legs(
            self._model,
            self._run,
            self._place.runtime,
            "\n\n".join(filter(None, parts)),
            max_turns=self._place.max_turns,
            drive=_Halting(self.driver),
            before=self._said,
            record=self._record,
        )

    def _end(self, how: Literal["done", "failed"], text: str) -> None:
        self.driver.end(self._task.id, how, shortened(text))

    # --- sub-tasks ---

    async def _parts_are_done(self) -> bool:
        """Whether none is left that waits for somebody; each of them is worked on as far as it goes."""
        self.driver.waits_below = None
        for task in open_subtasks(self._state):
            try:
                manifest = self._place.manifest(task.agent or self.driver.actor)
                scope = subtask.lessened(manifest, self._scope_now(), self._place)
            except (AttenuationError, ConfigurationError) as exc:
                self.driver.end(task.id, "failed", shortened(str(exc)))
                continue
            await self._part(task, manifest, scope)
        return not open_subtasks(self._state)

    async def _part(self, task: Task, manifest: Manifest, scope: Scope) -> None:
        place = self._place
        run_id = subtask.run_of(task.id, self._run.id)
        found = replay(place.runtime.ledger.entries(run_id))
        run = subtask.begun(scope, run_id, self._run, place, again=found is not None)
        try:
            people = subtask.people_of(self._state, manifest.name)
            driver = driver_of(place, run, subtask.part_of(task), people, found)
            told = self._scene._replace(events=(subtask.told(task, self.driver.actor),))
            await part(place, manifest, run, driver, scope, told)
        finally:
            subtask.ended(run, self._run, place, scope.calls)
        done = driver.state.tasks[0]
        if done.standing in ("done", "failed"):
            self.driver.end(task.id, done.standing, done.result)
        else:
            self.driver.waits_below = driver.waits_for

    def _scope_now(self) -> Scope:
        state = self._state
        return replace(
            self._scope,
            principal=self._run.principal,
            skills=frozenset(skill.name for skill in state.skills),
            waiting=self._scope.waiting | state.waiting,
            calls=self._run.budget,
            depth=depth(self._task.id),
        )


class _Halting:
    """A driver that pauses its loop for sub-tasks too."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def waits_for(self) -> Question | Task | None:
        return next(iter(open_subtasks(self._driver.state)), None) or self._driver.waits_for

    def apply(self, results: Iterable[ToolResult]) -> None:
        self._driver.apply(results)

    def corrected(self, results: Iterable[ToolResult]) -> Iterable[ToolResult]:
        return self._driver.corrected(results)


def driver_of(
    place: Place, run: Run, task: Task, people: Iterable[Participant], found: Replayed | None = None
) -> Driver:
    """The workflow of a run: begun now, or where ``found`` says that it stands."""
    ledger, actor = place.runtime.ledger, run.principal.name
    note = notes(ledger, run.id, actor, place.clock)
    if found is None:
        return Driver.begin(task, people, actor, note=note, find=ledger.find)
    if found.actor != actor:
        told = f"the workflow of the run {run.id} is {found.actor!r}'s, and {actor!r} would work on it"
        raise ConfigurationError(told)
    return Driver.resume(found, note=note, find=ledger.find)


__all__ = ["Worker", "driver_of"]
