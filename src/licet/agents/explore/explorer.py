"""The handler ``explorer``: it lets a planner ask for calls until it knows the project, and says what it found."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...model.event import Event
from ...model.names import short
from ...model.result import ToolResult
from ...model.tool import ModelTool
from ...ports import Model
from ..cast.scene import Scene
from ..loop import Bounds, Outcome, loop, record_for
from . import investigation
from .fact import Findings, Told
from .guest import looked_around, told
from .investigation import BOUNDS, investigated
from .planner import ScriptedPlanner

if TYPE_CHECKING:
    from ..cast.agent import ManifestAgent

MAX_TURNS = 100_000
QUICKLY, THOROUGHLY = 1_000, 50_000
"""Files whose lines are counted."""

MOST_TOLD = 10_000
"""Characters of a model's report in the event."""

HANDLER = "explorer"
"""Under this name a manifest asks for it."""

EXPLORED = "project.explored"


@dataclass(slots=True)
class Watch:
    """What happens on the way: ``begun`` is told the run's id, ``answered`` the number of calls and the last answer."""

    begun: Callable[[str], None] = lambda run_id: None
    answered: Callable[[int, ToolResult], None] = lambda calls, result: None
    tools: Counter[str] = field(default_factory=Counter)


class Explorer:
    """Explores the first root of its agent. ``planner`` and ``outcome`` are there at the end.

    With a ``model``, that one says what it makes of the project: ``told``. A large one explores alone, within
    ``bounds``; beside a small one the planner explores too.
    """

    def __init__(
        self,
        watch: Watch | None = None,
        *,
        model: Model | None = None,
        bounds: Bounds = BOUNDS,
        thorough: bool = False,
    ) -> None:
        self.watch = watch or Watch()
        self.model = model
        self.bounds = bounds
        self._most_counted = THOROUGHLY if thorough else QUICKLY
        self.planner: ScriptedPlanner | None = None
        self.outcome: Outcome | None = None
        self.told: Told | None = None

    async def __call__(self, agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
        """Raises LedgerUnavailableError: what was found until then is not told."""
        run = agent.run
        root = next(iter(run.principal.paths.roots), ".")
        self.watch.begun(run.id)
        offered = [spec.model_tool for spec in agent.registry.runtime.tools_for(run.principal)]
        if self.model is not None and getattr(self.model, "whole_tasks", False):
            return await self._alone(self.model, agent, offered, scene.goal, os.path.basename(root) or root)
        self.planner = ScriptedPlanner(os.path.basename(root) or root, self._most_counted)
        looked = None
        if self.model is not None:
            looked = await looked_around(self.model, run, offered, scene.goal, self.answered)
        outcome = await loop(self.planner, run, offered, scene.goal, max_turns=MAX_TURNS, progress=self.answered)
        self.outcome = _both(looked, outcome)
        findings = self.planner.findings
        if self.model is not None and looked is not None and findings is not None:
            self.told = await told(self.model, run, looked, findings)
        return [Event(EXPLORED, _told(findings))]

    @property
    def who(self) -> str:
        """Who explored, by name."""
        return ", then ".join(one.name for one in (self.model, self.planner) if one is not None)

    def ended(self, model: Model, outcome: Outcome) -> Event:
        """Keep what a model that explored alone came to, and what others may go by of it."""
        self.outcome = outcome._replace(conversation=())
        self.told = investigation.told(model, outcome)
        return Event(EXPLORED, {"model": model.name, "stop": outcome.stop, "text": self.told.text[:MOST_TOLD]})

    async def _alone(
        self, model: Model, agent: "ManifestAgent", offered: list[ModelTool], goal: str, name: str
    ) -> list[Event]:
        run = agent.run
        outcome = await investigated(
            model,
            run,
            offered,
            investigation.task(goal, name),
            record=record_for(model, agent.registry.runtime.ledger, run),
            bounds=self.bounds,
            progress=self.answered,
        )
        return [self.ended(model, outcome)]

    def answered(self, calls: int, result: ToolResult) -> None:
        """One more call was. Raises LedgerUnavailableError: it is not on the ledger."""
        if result.code == "ledger_unavailable":
            result.unwrap()
        self.watch.tools[short(result.tool)] += 1
        self.watch.answered(calls, result)


def _both(looked: Outcome | None, planned: Outcome) -> Outcome:
    """What both did. A conversation is not kept: asyncio would print it while it puts a signal handler back."""
    if looked is None:
        return planned._replace(conversation=())
    return planned._replace(
        turns=looked.turns + planned.turns,
        calls=looked.calls + planned.calls,
        refused=looked.refused + planned.refused,
        failed=looked.failed + planned.failed,
        conversation=(),
    )


def _told(findings: Findings | None) -> dict[str, object]:
    """What others may go by; the whole report is for people."""
    if findings is None:
        return {}
    return {
        "files": findings.files,
        "languages": [language.name for language in findings.languages[:10]],
        "lines": findings.lines,
        "name": findings.name,
    }


__all__ = ["EXPLORED", "HANDLER", "MAX_TURNS", "QUICKLY", "THOROUGHLY", "Explorer", "Watch"]
