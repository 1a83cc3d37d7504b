"""One agent of a cast while a scenario is played: its run, its budget of calls, what it remembers, what it lets out."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

from ...errors import EmissionViolation, LimitExceededError
from ...model.event import Event
from ...project.manifest import Manifest
from ...runtime.run import Run
from ...schema.canonical import freeze
from ...schema.strict import NotJson
from ..cast.scene import Scene
from ..loop import Drive
from ..workflow import Driver
from .budget import Budget
from .journal import MOST_EVENT_BYTES

REMEMBERED = 256
"""Events that an agent can be told of, besides the one that opened the scenario."""


class Agent(Protocol):
    """Who acts: a ``ManifestAgent``, or a stand-in for one."""

    drive: Drive | None

    async def act(self, scene: Scene, /) -> list[Event]:
        """What it emits. Raises LicetError: what a call, its model or its manifest did not let it do."""
        ...


class Performer:
    """``has_news`` tells that something happened for which it waits, and of which it was not told yet."""

    def __init__(self, manifest: Manifest, agent: Agent, run: Run, budget: Budget, *, used: int = 0) -> None:
        """``used`` are calls that it made before, in another process."""
        self.manifest = manifest
        self.name = manifest.name
        self.has_news = True
        self._agent = agent
        self._run = run
        self._budget = budget
        most = manifest.agent.max_calls
        self._left = None if most is None else max(0, most - used)
        self._memory: deque[Event] = deque(maxlen=REMEMBERED)

    async def act(self, goal: str, seed: str, turn: int, opening: Event) -> list[tuple[Event, bytes]]:
        """The events of one turn, with their payloads as canonical JSON; all of them or none.

        Raises:
            EmissionViolation: one is of a kind that the manifest does not list, or its payload is none.
            LimitExceededError: the reason is the governor's limit.
            LicetError: what a call or the model raised.
        """
        self.acted()
        run, allowed = self._run, self._allowed()
        run.budget = allowed
        try:
            emitted = await self._agent.act(Scene(goal, (opening, *self._memory), seed, turn))
        except LimitExceededError as exc:
            if exc.reason != "budget" or allowed == self._left:
                raise
            limit = "max_total_calls" if allowed == self._budget.calls else "max_calls_per_turn"
            raise LimitExceededError(
                f"the {limit} of the scenario are used up", tool_name=exc.tool_name, reason=limit
            ) from exc
        finally:
            self._spend(allowed - run.budget)
            run.budget = 0
        return [self._let_out(event) for event in emitted]

    def acted(self) -> None:
        """It has its turn: what it waits for has to happen anew."""
        self.has_news = not self.manifest.subscribes_to

    def hear(self, event: Event) -> None:
        """Remember an event that it subscribes to, or emitted itself."""
        subscribed = event.kind in self.manifest.subscribes_to
        if subscribed or event.actor == self.name:
            self._memory.append(event)
        if subscribed:
            self.has_news = True

    @property
    def grants(self) -> frozenset[str]:
        """Canonical names, patterns and groups expanded."""
        return self._run.principal.grants

    @property
    def run(self) -> Run:
        """In which it calls tools."""
        return self._run

    def work_on(self, driver: Driver) -> None:
        """Let its tools see the task of a workflow, and its commands be applied to it."""
        self._run.task = self._agent.drive = driver

    def close(self) -> None:
        """Let go of its run."""
        self._run.close()

    def _allowed(self) -> int:
        of_a_turn = self._budget.calls_of_a_turn
        return of_a_turn if self._left is None else min(of_a_turn, self._left)

    def _spend(self, calls: int) -> None:
        self._budget.calls -= calls
        if self._left is not None:
            self._left -= calls

    def _let_out(self, event: Event) -> tuple[Event, bytes]:
        if event.kind not in self.manifest.may_emit:
            raise EmissionViolation(f"{self.name!r} may not emit {event.kind[:80]!r}; list it under may_emit")
        payload, copy = _frozen(event.payload, self.name, event.kind)
        return Event(event.kind, copy, self.name), payload


def _frozen(payload: Mapping[str, Any], name: str, kind: str) -> tuple[bytes, dict[str, Any]]:
    try:
        frozen, copy = freeze(dict(payload), limit_bytes=MOST_EVENT_BYTES)
    except (NotJson, TypeError, ValueError) as exc:
        raise EmissionViolation(f"{name!r}: the payload of {kind} is no JSON object: {exc}") from exc
    return frozen, copy


__all__ = ["REMEMBERED", "Agent", "Performer"]
