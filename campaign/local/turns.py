"""Turns of a model over the surface, through the corridor, and what became of each."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from campaign.local.surface import SURFACE, Counting, tools
from campaign.local.tasks import examples, tasks
from campaign.report import Say
from licet import Principal, Runtime
from licet.agents.loop import loop
from licet.ledger.memory import MemoryLedger
from licet.model.names import NOT_OFFERED
from licet.model.result import ToolResult
from licet.model.tool import Offered
from licet.ports import Message, Model

TURNS_PER_TASK = 2


class Tally(NamedTuple):
    """``parsed``, ``offered`` and ``valid`` count turns whose text is JSON, whose call names an offered tool, and whose
    arguments fit its registered schema. ``problems`` are what must not happen whatever a model writes.
    """

    turns: int
    parsed: int
    offered: int
    valid: int
    tools: Counter[str]
    codes: Counter[str]
    tokens: int
    problems: tuple[str, ...]

    @property
    def told(self) -> str:
        """As shares of the turns."""
        part = f"{self.parsed} parse, {self.offered} name an offered tool, {self.valid} validate"
        return f"{self.turns} turns: {part}"


class _Kept:
    """A model that remembers what it said."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self.said: list[Message] = []
        self._model = model

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        said = await self._model.respond(conversation, tools)
        self.said.append(said)
        return said


async def taken(model: Model, turns: int, seed: int, say: Say) -> Tally:
    """So many answers of a model, a few for each task."""
    transport = Counting()
    kept = _Kept(model)
    results: list[ToolResult] = []

    def heard(calls: int, result: ToolResult) -> None:
        results.append(result)

    source, rng = tasks(seed), random.Random(seed)
    ledger = MemoryLedger()
    async with Runtime(tools(transport), ledger=ledger) as runtime:
        principal = Principal("model", grants=list(SURFACE))
        offered = [spec.model_tool for spec in runtime.tools_for(principal)]
        while len(kept.said) < turns:
            most = min(TURNS_PER_TASK, turns - len(kept.said))
            async with runtime.run(principal) as run:
                outcome = await loop(
                    kept, run, offered, next(source), max_turns=most, before=examples(rng), progress=heard
                )
            if len(kept.said) % 20 < most:
                say(f"{len(kept.said)} of {turns} turns, {outcome.stop}")
    return _tally(kept.said, results, transport)


def _tally(said: list[Message], results: list[ToolResult], transport: Counting) -> Tally:
    calls = [call for message in said for call in message.calls]
    codes = Counter(result.code or "done" for result in results)
    problems = []
    if len(calls) != len(results):
        problems.append(f"{len(calls)} calls and {len(results)} results")
    if transport.reached != codes["done"]:
        problems.append(f"{transport.reached} calls reached a tool, {codes['done']} were permitted")
    if strange := set(codes) - {"done", "invalid_arguments", "not_granted"}:
        problems.append(f"results that say {', '.join(sorted(strange))}")
    return Tally(
        turns=len(said),
        parsed=sum(_parses(message.turn) for message in said),
        offered=sum(not call.tool.startswith(NOT_OFFERED) for call in calls),
        valid=codes["done"],
        tools=Counter(call.tool for call in calls if not call.tool.startswith(NOT_OFFERED)),
        codes=codes,
        tokens=sum(message.usage.output_tokens for message in said),
        problems=tuple(problems),
    )


def _parses(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except ValueError:
        return False


__all__ = ["Tally", "taken"]
