"""Whatever ends a loop, each call in its conversation is answered, and nothing ran that should not have."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from doubles import READS, Blocked, Script, holder, over
from licet import Runtime
from licet.agents.loop import Bounds, Price, Spending, loop
from licet.errors import ConfigurationError, ProviderError
from licet.model.call import Request
from licet.model.said import HostedItem, Usage
from licet.model.tool import Execution
from licet.ports import Message
from licet.testing import RecordingLedger, fake_tool

WHO = holder("t", "u")


def says(text: str = "", *calls: Request, **rest: Any) -> Message:
    return Message("assistant", text, calls=calls, **rest)


def answered(conversation: Sequence[Message]) -> bool:
    """Whether each message with calls is followed by as many results."""
    for place, message in enumerate(conversation):
        if message.calls:
            after = conversation[place + 1] if place + 1 < len(conversation) else Message("tool")
            if after.role != "tool" or len(after.results) != len(message.calls):
                return False
    return True


async def test_calls_beyond_the_cap_of_a_turn_are_answered_and_not_looked_at(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=READS)
    model = Script(says("", *[Request("t", {"n": n}, f"c{n}") for n in range(10_000)]))
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go", calls_per_turn=3)
    assert (outcome.stop, outcome.calls, outcome.refused) == ("done", 10_000, 9_997)
    assert len(transport.calls) == 3
    assert ledger.kinds == ["tool.requested", "tool.completed"] * 3
    over_it = outcome.conversation[2].results[3]
    assert (over_it.code, over_it.reason, over_it.effect) == ("limit_exceeded", "calls_per_turn", "none")
    assert answered(outcome.conversation)
    with pytest.raises(ConfigurationError, match="calls_per_turn"):
        await loop(Script(), run, [], "go", calls_per_turn=0)


@pytest.mark.parametrize("ended", ["length", "refused"])
async def test_an_answer_that_is_not_whole_starts_nothing(ended: Any, ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=READS)
    model = Script(says("cut", Request("t"), Request("t"), ended=ended), says("never asked"))
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go")
    assert (outcome.stop, outcome.text, outcome.calls, outcome.refused) == (ended, "cut", 2, 2)
    assert transport.calls == []
    assert ledger.kinds == []
    assert answered(outcome.conversation)
    assert [result.reason for result in outcome.conversation[-1].results] == ["not_started"] * 2


async def test_a_paused_answer_goes_back_as_it_is_and_goes_on() -> None:
    model = Script(says("searching", ended="paused", turn="its own words"), says("found"))
    async with Runtime() as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go")
        always = await loop(Script(*[says("...", ended="paused")] * 9), run, [], "go", max_turns=4)
    assert (outcome.stop, outcome.text) == ("done", "found")
    assert [message.role for message in outcome.conversation] == ["user", "assistant", "assistant"]
    assert outcome.conversation[1].turn == "its own words"
    assert always.stop == "max_turns"


async def test_something_that_was_run_and_not_offered_ends_the_loop(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=READS)
    model = Script(says("", Request("t"), hosted=(HostedItem(None, "web_search_call", "ws"),)), says("never asked"))
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go")
    assert outcome.stop == "hosted"
    assert transport.calls == []
    assert ledger.kinds == ["tool.hosted"]
    assert answered(outcome.conversation)


async def test_a_message_of_another_role_becomes_the_assistants() -> None:
    async with Runtime() as runtime, runtime.run(WHO) as run:
        outcome = await loop(Script(Message("system", "obey")), run, [], "go")
    assert [message.role for message in outcome.conversation] == ["user", "assistant"]


# --- cancellation ---


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
async def test_a_cancelled_turn_tells_what_ended_what_was_under_way_and_what_never_began(
    mode: Any, ledger: RecordingLedger
) -> None:
    quick, _ = fake_tool("t", {"x": 1}, capabilities=READS, execution=Execution(mode=mode))
    slow = Blocked()
    tools = [quick, over(slow, "u", execution=Execution(mode=mode))]
    kept: list[Message] = []
    model = Script(says("", Request("t"), Request("u"), Request("t"), Request("nowhere")))
    async with Runtime(tools, ledger=ledger) as runtime, runtime.run(WHO) as run:
        going = asyncio.create_task(loop(model, run, [], "go", keep=kept))
        await slow.entered.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        assert run.turn_now is None
        codes = [result.code for result in kept[-1].results]
        assert answered(kept)
        assert codes[:2] == [None, "aborted"]
        assert kept[-1].results[1].effect == "unknown"
        assert kept[-1].results[2].effect in ("none", "done")
        assert kept[-1].results[3].effect == "none"
        again = await loop(Script(says("on")), run, [], "go on", before=kept)
    assert again.text == "on"
    assert ledger.kinds.count("tool.requested") == ledger.kinds.count("tool.completed") + 1
    assert ledger.kinds.count("tool.abandoned") == 1


async def test_a_model_that_raises_leaves_what_was_said_until_then(ledger: RecordingLedger) -> None:
    class Breaks(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            if len(conversation) > 1:
                raise ProviderError("gone", reason="overloaded")
            return says("", Request("nowhere"))

    kept: list[Message] = []
    async with Runtime(ledger=ledger) as runtime, runtime.run(WHO) as run:
        with pytest.raises(ProviderError):
            await loop(Breaks(), run, [], "go", keep=kept)
    assert [message.role for message in kept] == ["user", "assistant", "tool"]
    assert answered(kept)


async def test_a_drive_that_raises_leaves_a_conversation_with_the_results() -> None:
    class Drives:
        waits_for = None

        def apply(self, results: Any) -> None:
            raise ConfigurationError("no")

        def corrected(self, results: Any) -> Any:
            return results

    tool, _ = fake_tool("t", {"x": 1}, capabilities=READS)
    kept: list[Message] = []
    async with Runtime([tool]) as runtime, runtime.run(WHO) as run:
        with pytest.raises(ConfigurationError):
            await loop(Script(says("", Request("t"))), run, [], "go", keep=kept, drive=Drives())
    assert kept[-1].results[0].success
    assert answered(kept)


# --- bounds ---


async def test_calls_are_bounded_before_they_are_made() -> None:
    tool, transport = fake_tool("t", capabilities=READS)
    model = Script(*[says("", Request("t"), Request("t"))] * 9)
    async with Runtime([tool]) as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go", spending=Spending(Bounds(calls=3)))
    assert (outcome.stop, outcome.calls, len(transport.calls)) == ("max_calls", 4, 3)
    assert answered(outcome.conversation)


async def test_what_broken_answers_used_counts_and_is_no_part_of_the_conversation() -> None:
    class Loses(Script):
        max_output_tokens = 100

        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            said = await super().respond(conversation, tools)
            return said._replace(usage=Usage(50, 20), lost=Usage(1_000, 7))

    class Breaks(Script):
        max_output_tokens = 100

        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            error = ProviderError("it was cut", reason="cut")
            error.tokens = (300, 3)
            raise error

    tool, _ = fake_tool("t", capabilities=READS)
    async with Runtime([tool]) as runtime, runtime.run(WHO) as run:
        spending = Spending(Bounds(tokens=1_200))
        outcome = await loop(Loses(*[says("more", Request("t"))] * 9), run, [], "go", spending=spending)
        assert outcome.usage == Usage(1_050, 27)
        assert outcome.stop == "max_tokens", "a second answer could need what is not left"
        gone = Spending(Bounds(tokens=1_000))
        with pytest.raises(ProviderError):
            await loop(Breaks(), run, [], "go", spending=gone)
    assert gone.usage == Usage(300, 3)


async def test_tokens_are_taken_before_a_model_is_asked_and_corrected_by_what_was_counted() -> None:
    class Counts(Script):
        max_output_tokens = 100

    model = Counts(*[says("", Request("nowhere"), usage=Usage(50, 20))] * 9)
    async with Runtime() as runtime, runtime.run(WHO) as run:
        spending = Spending(Bounds(tokens=400))
        outcome = await loop(model, run, [], "go", spending=spending)
        none = await loop(Counts(), run, [], "x" * 900, spending=Spending(Bounds(tokens=300)))
    assert outcome.stop == "max_tokens"
    assert outcome.usage.input_tokens % 50 == outcome.usage.output_tokens % 20 == 0
    assert 0 < sum(outcome.usage) <= 400
    assert len(model.messages) < 9
    assert (none.stop, none.usage, none.conversation[-1].role) == ("max_tokens", Usage(), "user")


async def test_an_answer_that_never_came_costs_nothing() -> None:
    class Breaks(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            raise ProviderError("gone")

    spending = Spending(Bounds(tokens=100_000))
    async with Runtime() as runtime, runtime.run(WHO) as run:
        with pytest.raises(ProviderError):
            await loop(Breaks(), run, [], "go", spending=spending)
    assert spending.usage == Usage()


async def test_money_is_bounded_where_there_is_a_price() -> None:
    class Counts(Script):
        max_output_tokens = 1_000

    price = Price(input=2.0, output=10.0)
    model = Counts(*[says("", Request("nowhere"), usage=Usage(1_000, 500))] * 9)
    async with Runtime() as runtime, runtime.run(WHO) as run:
        outcome = await loop(model, run, [], "go", spending=Spending(Bounds(money=0.03, price=price)))
    assert outcome.stop == "max_money"
    assert outcome.money == pytest.approx(price.of(outcome.usage))
    assert outcome.money is not None
    assert 0 < outcome.money <= 0.03
    with pytest.raises(ConfigurationError, match="price"):
        Spending(Bounds(money=1.0))
    for bad in (Bounds(calls=0), Bounds(tokens=-1), Bounds(seconds=float("nan"))):
        with pytest.raises(ConfigurationError, match="above 0"):
            Spending(bad)


async def test_time_is_over_in_the_middle_of_an_answer_or_of_a_call(ledger: RecordingLedger) -> None:
    class Thinks(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            await asyncio.Event().wait()
            raise AssertionError

    slow = Blocked()
    async with Runtime([over(slow)], ledger=ledger) as runtime, runtime.run(WHO) as run:
        thought = await loop(Thinks(), run, [], "go", spending=Spending(Bounds(seconds=0.05)))
        model = Script(says("", Request("t"), Request("t")))
        called = await loop(model, run, [], "go", spending=Spending(Bounds(seconds=0.05)))
        now = [0.0]
        late = Spending(Bounds(seconds=5.0), now_s=lambda: now[0])
        now[0] = 6.0
        never = await loop(Script(), run, [], "go", spending=late)
    assert (thought.stop, called.stop, never.stop) == ("max_seconds",) * 3
    assert answered(called.conversation)
    assert [result.effect for result in called.conversation[-1].results] == ["unknown", "none"]
    assert ledger.kinds == ["tool.requested", "tool.abandoned"]


async def test_a_timeout_of_the_models_own_is_no_bound() -> None:
    class Late(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            raise TimeoutError

    async with Runtime() as runtime, runtime.run(WHO) as run:
        with pytest.raises(TimeoutError):
            await loop(Late(), run, [], "go", spending=Spending(Bounds(seconds=50.0)))
