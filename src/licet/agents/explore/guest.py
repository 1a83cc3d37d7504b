"""A language model that explores beside the planner: it looks around by itself, and says what it makes of it.

What is counted and listed comes from the planner all the same, so a small model, or one that says nothing, costs a
report nothing.
"""

import json
from collections.abc import Callable, Sequence

from ...dialects.untrusted import PREAMBLE
from ...model.call import Request
from ...model.result import ToolResult
from ...model.tool import Offered
from ...ports import Message, Model
from ...runtime.run import Run
from ..loop import Outcome, loop
from .fact import Findings, Told
from .prose import shortened

MOST_TURNS = 5
_TRIES = 2
"""In one turn: a small model repeats itself until it is not offered what it repeats."""

_TASK = "Read the README, and what else tells what this project is for."
_FIRST = Request("local/ls", {"limit": 12})
"""Made for the model, so that it sees a call and what comes of it before it makes one."""

_ASK = "Say in two sentences, for a developer who is new to it, what this project is and where to begin."
_LEAST_CALLS, _LEAST_CHARACTERS = 2, 80
"""Of a model that explored: one that said less is asked for a summary."""

_MOST_FACTS = 5
_MOST_CHARACTERS = 1_200


class _Onward:
    """The model itself, but for its first call; it ends once it asks again for what it had."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model
        self._had: set[str] = set()
        self._dropped: set[str] = set()

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        if not self._had:
            self._had.add(_text(_FIRST))
            return Message("assistant", calls=(_FIRST,))
        for _ in range(_TRIES):
            offered = [tool for tool in tools if tool.name not in self._dropped]
            if not offered:
                break
            said = await self._model.respond(conversation, offered)
            asked = {_text(call) for call in said.calls}
            if not asked or not asked <= self._had:
                self._had |= asked
                return said
            self._dropped |= {call.tool for call in said.calls}
        return Message("assistant")


async def looked_around(
    model: Model, run: Run, tools: Sequence[Offered], goal: str, progress: Callable[[int, ToolResult], None]
) -> Outcome:
    """What a model did by itself, ``_FIRST`` included, in ``MOST_TURNS`` turns at most, or until it repeats itself.

    Raises:
        ProviderError: the model gave no answer.
        LedgerUnavailableError: no ledger, no call.
    """
    return await loop(
        _Onward(model), run, tools, f"{goal}\n\n{_TASK}", max_turns=MOST_TURNS, refusals_per_turn=20, progress=progress
    )


async def told(model: Model, run: Run, outcome: Outcome, findings: Findings) -> Told:
    """What it says: its own report, or else a summary of what the planner found, which it reads as data.

    Raises:
        ProviderError: the model gave no answer.
    """
    text = outcome.text.strip()
    own = outcome.stop == "done" and outcome.calls >= _LEAST_CALLS and len(text) >= _LEAST_CHARACTERS
    if not own:
        block = run.fence.block(f"{run.id}.findings", "findings", _facts(findings))
        said = await model.respond([Message("user", f"{PREAMBLE}\n{block}\n\n{_ASK}")], [])
        text = said.text.strip()
    return Told(
        model=model.name,
        text=text,
        own=own,
        calls=max(outcome.calls - 1, 0),
        refused=outcome.refused,
        failed=outcome.failed,
    )


def _facts(found: Findings) -> str:
    """The few that a small model can hold, each from the project's own words."""
    lines = [f"name: {found.name}", f"size: {found.files} files, {found.lines} lines"]
    lines += (f"about: {said.text}" for said in found.descriptions[:2])
    lines.append("languages: " + ", ".join(language.name for language in found.languages[:_MOST_FACTS]))
    lines += (f"{command.purpose}: {command.line}" for command in found.commands[:_MOST_FACTS])
    lines.append("folders: " + ", ".join(folder.path for folder in found.folders[:_MOST_FACTS]))
    return shortened("\n".join(lines), _MOST_CHARACTERS)


def _text(call: Request) -> str:
    return f"{call.tool} {json.dumps(call.arguments, sort_keys=True, default=str)}"


__all__ = ["MOST_TURNS", "looked_around", "told"]
