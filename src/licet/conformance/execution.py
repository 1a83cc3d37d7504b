"""The suite's own tools: they count each execution, and answer or fail as a vector says."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal

from .subject import Ask, Execute, Tool

if TYPE_CHECKING:
    from .engine import ReferenceEngine

State = Literal["running", "answered", "failed", "cancelled"]

Behaviour = Mapping[str, Any]
"""What a tool does: ``{"answer": value}``, ``{"echo": true}``, ``{"fail": text}``, ``{"lose": text}`` for a connection
that breaks after the effect, ``{"wait": true}`` until it is cancelled, ``{"outlast": tool}``, which echoes once that
tool is not under way any more, ``{"engine": tool}`` of the reference engine."""

OUTLASTING_S = 5.0


class LostError(ConnectionError):
    """The way to the tool broke after it was executed; whether it was is not known to the caller."""


class Execution:
    """One time that a tool's code was entered."""

    def __init__(self, tool: str, arguments: Any) -> None:
        self.tool = tool
        self.arguments = arguments
        self.state: State = "running"


class Executions:
    """All of one vector, in order, whoever caused them."""

    def __init__(self, engine: "ReferenceEngine | None" = None) -> None:
        self.all: list[Execution] = []
        self.asked: list[Any] = []
        """The arguments of each call that a person was asked about."""
        self.engine = engine
        self._moved = asyncio.Event()

    def tools(self, declared: Sequence[Mapping[str, Any]]) -> list[Tool]:
        """What a subject is given to register: the vector's declarations with code that counts."""
        return [
            Tool(
                one["name"],
                one["description"],
                deepcopy(one["input_schema"]),
                self.code(one["name"], one["behaviour"]),
                one.get("read_only", True),
                one.get("idempotent", True),
                one.get("granted", True),
                self.person(one["asks"] == "yes") if "asks" in one else None,
            )
            for one in self.advertised(declared)
        ]

    def advertised(self, declared: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The tools that their source tells of: an engine not of all, where it does not admit the caller."""
        return [one for one in declared if self.engine is None or self.engine.advertises(one["name"])]

    def code(self, name: str, behaviour: Behaviour) -> Execute:
        """The code of one tool."""

        async def execute(arguments: dict[str, Any]) -> Any:
            made = Execution(name, deepcopy(arguments))
            self.all.append(made)
            self.stir()
            try:
                answer = await self._behave(behaviour, arguments)
            except asyncio.CancelledError:
                made.state = "cancelled"
                raise
            except Exception:
                made.state = "failed"
                raise
            else:
                made.state = "answered"
                return answer
            finally:
                self.stir()

        return execute

    def person(self, says_yes: bool) -> Ask:
        """Who is asked about each call of one tool."""

        async def ask(arguments: dict[str, Any]) -> bool:
            self.asked.append(deepcopy(arguments))
            return says_yes

        return ask

    async def until(self, holds: Callable[[Sequence[Execution]], bool], within_s: float) -> bool:
        """Wait until something holds of the executions. False: it did not, in time."""
        try:
            async with asyncio.timeout(within_s):
                while not holds(self.all):
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            return False
        return True

    async def _behave(self, behaviour: Behaviour, arguments: dict[str, Any]) -> Any:
        await asyncio.sleep(0)  # so that calls at once are under way at once
        if "wait" in behaviour:
            await asyncio.Event().wait()
        if "fail" in behaviour:
            raise RuntimeError(behaviour["fail"])
        if "lose" in behaviour:
            raise LostError(behaviour["lose"])
        if "outlast" in behaviour:
            await self._outlasted(behaviour["outlast"])
        if "echo" in behaviour or "outlast" in behaviour:
            return arguments
        if "engine" in behaviour:
            assert self.engine is not None
            return await self.engine.call(behaviour["engine"], arguments)
        return deepcopy(behaviour["answer"])

    async def _outlasted(self, tool: str) -> None:
        def is_over(all_: Sequence[Execution]) -> bool:
            states = [one.state for one in all_ if one.tool == tool]
            return bool(states) and "running" not in states

        if not await self.until(is_over, OUTLASTING_S):
            raise RuntimeError(f"{tool} is not over")

    def stir(self) -> None:
        """Let whoever waits look again."""
        self._moved.set()
