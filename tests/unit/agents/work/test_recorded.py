"""What a provider's model was asked and said stands on the run of whose model it is; at the end models are let go."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from tests.workers import BOSS, HAND, Script, Works, mark, spawn

from licet.ledger.sqlite import SqliteLedger
from licet.model.said import Usage
from licet.model.tool import ModelTool
from licet.ports import Ledger, Message
from licet.testing import RecordingLedger


class Provided(Script):
    """As a model of a provider would: its words could not be told again."""

    recorded = True
    closed = 0

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        self.offered = [tool.name for tool in tools]
        return await super().respond(conversation, tools)

    async def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("handler", ["worker", "generic"])
async def test_what_a_providers_model_said_is_on_the_run_of_its_agent(ledger: RecordingLedger, handler: str) -> None:
    hand = HAND.replace("handler: worker", f"handler: {handler}") + "may_emit: [chore.done]\n"
    boss, part = Provided([spawn()], "well"), Provided([mark("b")], "the part")
    works = Works(ledger, {"boss": boss, "hand": part}, manifests={"boss": BOSS, "hand": hand})
    await works.play()
    begun = [(entry.actor, entry.run_id == "run-1") for entry in ledger.entries() if entry.kind == "model.begun"]
    assert begun == [("boss", True), ("hand", False), ("boss", True)], "the boss goes on once the part is done"
    said = [orjson.loads(entry.body) for entry in ledger.entries() if entry.kind == "model.answered"]
    assert len(said) == 4
    assert (boss.closed, part.closed) == (1, 1)
    assert sorted(part.offered) == part.offered


async def test_a_model_that_anybody_can_have_again_is_not_recorded(ledger: RecordingLedger) -> None:
    await Works(ledger, {"boss": Script([mark("a")], "done")}).play()
    assert not [entry for entry in ledger.entries() if entry.kind.startswith("model.")]


class Dying(Provided):
    """Its process ends while its provider answers."""

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        if not self.turns:
            os._exit(9)
        said = await super().respond(conversation, tools)
        return said._replace(usage=Usage(100, 20))


def tokens(ledger: Ledger, kind: str) -> list[int]:
    return [orjson.loads(entry.trace)["tokens"] for entry in ledger.entries() if entry.kind == kind]


def test_tokens_of_a_turn_that_a_kill_cut_off_count_when_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    child = os.fork()
    if not child:
        asyncio.run(Works(SqliteLedger(path), {"boss": Dying([mark("a")])}).play())
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    with closing(SqliteLedger(path)) as ledger:
        first, second = tokens(ledger, "scenario.asking")
        assert first > 1_000, "an answer is kept free"
        assert second > 1_000 + 120, "what the first answer used, and what the second may"
        done = asyncio.run(Works(ledger, {"boss": Script("done")}).resume(None))
        assert done.outcome.tokens > second
        assert tokens(ledger, "scenario.asking") == [first, second], "no provider was asked since"


async def test_tokens_that_were_kept_free_and_not_used_are_given_back(ledger: RecordingLedger) -> None:
    boss = Provided("done")
    outcome = await Works(ledger, {"boss": boss}).play()
    (asking,) = tokens(ledger, "scenario.asking")
    assert 0 < outcome.tokens < 1_000 < asking
