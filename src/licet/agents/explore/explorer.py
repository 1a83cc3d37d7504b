"""The handler ``explorer``: it lets a planner ask for calls until it knows the project, and says what it found."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...model.event import Event
from ...model.names import short
from ...model.result import ToolResult
from ...ports import Model
from ..cast.scene import Scene
from ..loop import Outcome, loop
from .fact import Findings
from .planner import ScriptedPlanner

if TYPE_CHECKING:
    from ..cast.agent import ManifestAgent

MAX_TURNS = 100_000
QUICKLY, THOROUGHLY = 1_000, 50_000
"""Files whose lines are counted."""

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
    """Explores the first root of its agent. ``model`` stands in for the planner; ``outcome`` is there at the end."""

    def __init__(self, watch: Watch | None = None, *, model: Model | None = None, thorough: bool = False) -> None:
        self._watch = watch or Watch()
        self._model = model
        self._most_counted = THOROUGHLY if thorough else QUICKLY
        self.planner: Model | None = None
        self.outcome: Outcome | None = None

    async def __call__(self, agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
        """Raises LedgerUnavailableError: what was found until then is not told."""
        run = agent.run
        root = next(iter(run.principal.paths.roots), ".")
        self.planner = self._model or ScriptedPlanner(os.path.basename(root) or root, self._most_counted)
        self._watch.begun(run.id)
        offered = [spec.model_tool for spec in agent.registry.runtime.tools_for(run.principal)]
        outcome = await loop(self.planner, run, offered, scene.goal, max_turns=MAX_TURNS, progress=self._answered)
        self.outcome = outcome._replace(conversation=())  # asyncio would print it while it puts a signal handler back
        return [Event(EXPLORED, _told(getattr(self.planner, "findings", None)))]

    def _answered(self, calls: int, result: ToolResult) -> None:
        if result.code == "ledger_unavailable":
            result.unwrap()
        self._watch.tools[short(result.tool)] += 1
        self._watch.answered(calls, result)


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
