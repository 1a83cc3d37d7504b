"""What a provider's model was asked and said stands on the run of whose model it is; at the end models are let go."""

from collections.abc import Sequence

import orjson
import pytest
from tests.workers import BOSS, HAND, Script, Works, mark, spawn

from licet.model.tool import ModelTool
from licet.ports import Message
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
