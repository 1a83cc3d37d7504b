"""A scenario whose agent works on a task: its manifests, a script that stands for its model, and what it did."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from licet import ToolRegistry, tool
from licet.agents.cast.handlers import HANDLERS
from licet.agents.cast.rules import GrantRules
from licet.agents.scenario.gather import Gathered
from licet.agents.scenario.play import Outcome, play
from licet.agents.work.delegated import Delegated
from licet.agents.work.handler import WORKER, Work
from licet.agents.work.resume import Resumed, resume
from licet.agents.work.waiting import Answer
from licet.intrinsics import intrinsics
from licet.intrinsics.skills import Skills
from licet.model.call import Request
from licet.model.names import short
from licet.model.tool import ModelTool
from licet.ports import Ledger, Message, Model
from licet.project import scenario
from licet.project.manifest import Manifest
from licet.project.manifest_file import load
from licet.testing import FixedClock

WEEK_S = 7 * 24 * 3600
SCENARIO = """\
name: chore
goal: Do the chore.
default_seed: one
cast: [%s]
genesis_text: It begins.
governor: {max_turns: %d, max_calls_per_turn: 40, max_total_calls: 60, max_total_tokens: 1000000}
"""
BOSS = "name: boss\nhandler: worker\ngroups: [intrinsics]\ntools: [mark]\nmay_emit: [chore.done]\nmodel: script\n"
HAND = "name: hand\nhandler: worker\ngroups: [intrinsics]\ntools: [mark]\nmodel: script\n"

Turn = Callable[[dict[str, Any]], Iterable[Request] | str]
"""What is asked for, or said at last, for what the last block says of the workflow."""


class Script:
    """Says one turn after the other. ``read`` is what it was given each time."""

    name = "script"

    def __init__(self, *turns: Iterable[Request] | str) -> None:
        self.turns = list(turns)
        self.read: list[Sequence[Message]] = []
        self.surfaces: list[frozenset[str]] = []

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        self.read.append(tuple(conversation))
        self.surfaces.append(frozenset(short(tool.name) for tool in tools))
        said = self.turns.pop(0) if self.turns else "nothing left to say"
        return Message("assistant", said) if isinstance(said, str) else Message("assistant", calls=tuple(said))

    @property
    def last(self) -> str:
        """What the person, or whoever stands there, said to it last."""
        return next(message.text for message in reversed(self.read[-1]) if message.role == "user")


class Works:
    """The scenario in one process: a registry over a ledger, scripts by the names of agents."""

    def __init__(
        self,
        ledger: Ledger,
        scripts: Mapping[str, Script],
        *,
        manifests: Mapping[str, str] = {"boss": BOSS, "hand": HAND},
        clock_s: int = 10**9,
        cast: Sequence[str] = ("boss",),
        max_turns: int = 1,
        handlers: Mapping[str, Any] = {},
        skills: Skills | None = None,
    ) -> None:
        self.ledger = ledger
        self.scripts = scripts
        self.texts = dict(manifests)
        self.marks: list[str] = []
        self.clock = FixedClock(clock_s)
        self.cast = cast
        self.max_turns = max_turns
        self.handlers = dict(handlers)
        self.skills = skills

    def manifest(self, name: str) -> Manifest:
        text, known = self.texts[name].encode(), [*HANDLERS, WORKER, *self.handlers]
        return load(text, f"{name}.yaml", stem=name, handlers=known, models=["script"], folder=Path("/"))

    def model(self, manifest: Manifest) -> Model:
        return self.scripts[manifest.name]

    async def play(self, run_id: str = "run-1", **options: Any) -> Outcome:
        with self._registry() as registry:
            return await play(
                *self.gathered(),
                registry,
                run_id=run_id,
                model=self.model,
                handlers=self._handlers(),
                clock=self.clock,
                **options,
            )

    async def resume(self, answer: Answer | None, run_id: str = "run-1", **options: Any) -> Resumed:
        with self._registry() as registry:
            return await resume(
                self.gathered(),
                registry,
                run_id,
                answer,
                handlers=self._handlers(),
                model=self.model,
                clock=self.clock,
                **options,
            )

    def gathered(self) -> Gathered:
        text = SCENARIO % (", ".join(self.cast), self.max_turns)
        found = scenario.load(text.encode(), "chore.yaml", stem="chore", agents=list(self.texts))
        return Gathered(found, tuple(map(self.manifest, self.cast)))

    def _handlers(self) -> dict[str, Any]:
        work = Work(self.manifest, model=self.model, clock=self.clock)
        return {**HANDLERS, WORKER: work, **self.handlers}

    def _registry(self) -> ToolRegistry:
        @tool(writes=True)
        def mark(what: str) -> dict[str, str]:
            """Leave a mark."""
            self.marks.append(what)
            return {"marked": what}

        @tool(read_only=True)
        def look() -> dict[str, str]:
            """Look."""
            return {"seen": "nothing"}

        checks = (GrantRules(*map(self.manifest, self.cast)), Delegated())
        registry = ToolRegistry(ledger=self.ledger, checks=checks)
        for spec in (mark, look, *intrinsics(self.skills)):
            registry.register(spec)
        return registry


def ask(question: str = "Which?", *options: str, of: str = "operator", call_id: str | None = None) -> Request:
    arguments = {"participant_id": of, "question": question, "options": list(options)}
    return Request("ask_participant", arguments, call_id)


def spawn(agent: str | None = "hand", goal: str = "a part") -> Request:
    more = {} if agent is None else {"agent": agent}
    return Request("spawn_subtask", {"name": "part", "goal": goal, "acceptance_criteria": ["there"], **more})


def mark(what: str, call_id: str | None = None) -> Request:
    return Request("mark", {"what": what}, call_id)
