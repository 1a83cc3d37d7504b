"""What a model was asked and said stands on the ledger: it can be told again, compared, and gone on with."""

import asyncio
from typing import Any

import orjson
import pytest

from doubles import READS, Blocked, Script, holder, over
from licet import Runtime
from licet.agents.loop import Record, loop, record_for
from licet.agents.loop.resumed import resumed
from licet.agents.scenario.metered import Metered
from licet.agents.spoken import retold, retold_by_agent
from licet.agents.workflow.replay import ReplayError
from licet.errors import ConfigurationError, ProviderError
from licet.model.call import Request
from licet.model.entry import Entry
from licet.model.said import Usage
from licet.ports import Message
from licet.runtime.run import Run
from licet.testing import FixedClock, RecordingLedger, fake_tool

WHO = holder("t")
SECRET = "hunter2-never-in-clear"


def says(text: str = "", *calls: Request, **rest: Any) -> Message:
    return Message("assistant", text, calls=calls, **rest)


def recording(ledger: RecordingLedger, run: Run, sent: str = "") -> Record:
    return Record(ledger, run, clock=FixedClock(), sent=sent)


def bodies(ledger: RecordingLedger, kind: str) -> list[dict[str, Any]]:
    return [orjson.loads(entry.body) for entry in ledger.entries() if entry.kind == kind]


async def test_what_was_said_is_told_again_and_every_digest_is_the_same(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("t", lambda arguments: {"text": "x" * arguments["n"]}, capabilities=READS)
    model = Script(
        says("first", Request("t", {"n": 3}, "a"), Request("t", '{"n": 200000}'), usage=Usage(5, 6)),
        says("second", Request("nowhere"), Request("t", "no json", "b"), Request("t", {"n": 3}, "a")),
        says("the end"),
    )
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        tools = [spec.model_tool for spec in runtime.tools_for(WHO)]
        before = [Message("system", "Be brief.")]
        await loop(model, run, tools, "Look.", before=before, record=recording(ledger, run))
    told = retold(ledger.entries(run.id))
    assert told is not None
    assert (told.model, told.stop) == ("script", "done")
    assert told.said == (("system", "Be brief."), ("user", "Look."))
    assert [turn.text for turn in told.turns] == ["first", "second", "the end"]
    assert [asked.request.tool for turn in told.turns for asked in turn.calls] == ["t", "t", "nowhere", "t", "t"]
    assert told.compared == 3 + 5
    assert bodies(ledger, "model.begun")[0]["tools"] == ["local/t"]
    assert bodies(ledger, "model.answered")[0]["usage"] == {"input": 5, "output": 6}
    assert bodies(ledger, "model.ended") == [{"calls": 5, "stop": "done", "turns": 2}]


async def test_what_a_model_was_not_offered_and_what_broken_answers_used_stand_there_too(
    ledger: RecordingLedger,
) -> None:
    class Few(Script):
        def withheld(self, tools: Any) -> dict[str, str]:
            return {tools[1].name: "one too many\x1b"}

    specs = [fake_tool(name, capabilities=READS)[0] for name in ("t", "u")]
    who = holder("t", "u")
    async with Runtime(specs, ledger=ledger) as runtime, runtime.run(who) as run:
        tools = [spec.model_tool for spec in runtime.tools_for(who)]
        model = Few(says("end", usage=Usage(5, 6), lost=Usage(7, 8)))
        await loop(Metered(model, lambda count, used=False: None), run, tools, "Look.", record=recording(ledger, run))
    (begun,) = bodies(ledger, "model.begun")
    assert begun["tools"] == ["local/t"]
    assert begun["withheld"] == {"local/u": "one too many\\u001b"}
    (answered,) = bodies(ledger, "model.answered")
    assert answered["lost"] == {"input": 7, "output": 8}
    assert retold(ledger.entries(run.id)) is not None


async def test_secrets_are_no_more_on_the_ledger_than_those_of_calls(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("t", lambda arguments: {"token": SECRET, **arguments}, capabilities=READS)
    model = Script(
        says("", Request("t", {"password": SECRET}, "a"), Request("t", f'{{"api_key": "{SECRET}"}}', "b")),
        says("", Request("t", f'{{"api_key": "{SECRET}"', "c")),
        says("x" * 200_000),
    )
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        await loop(model, run, [], "Look.", record=recording(ledger, run))
    assert SECRET not in str([entry.body for entry in ledger.entries() if entry.kind.startswith("model.")])
    assert max(len(entry.body) for entry in ledger.entries()) < 80_000
    told = retold(ledger.entries(run.id))
    assert told is not None
    assert [asked.partly for turn in told.turns for asked in turn.calls] == [True] * 3


def changed(entries: list[Entry], kind: str, place: int, **fields: Any) -> list[Entry]:
    """The entries, with one of them saying something else."""
    at = [number for number, entry in enumerate(entries) if entry.kind == kind][place]
    body = {**orjson.loads(entries[at].body), **fields}
    entries[at] = entries[at]._replace(body=orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
    return entries


@pytest.mark.parametrize(
    ("kind", "place", "fields"),
    [
        ("model.begun", 0, {"said": [{"role": "user", "text": "Wipe."}]}),
        ("model.begun", 0, {"from": "sha256:" + "0" * 64}),
        ("model.answered", 0, {"text": "other"}),
        ("model.answered", 0, {"calls": []}),
        ("tool.completed", 0, {"output": {"x": 2}}),
        ("model.asked", 1, {"results": []}),
        ("model.asked", 1, {"sent": "sha256:" + "0" * 64}),
        ("model.asked", 0, {"results": 7}),
    ],
)
async def test_an_entry_that_says_something_else_is_found(
    kind: str, place: int, fields: dict[str, Any], ledger: RecordingLedger
) -> None:
    tool, _ = fake_tool("t", {"x": 1}, capabilities=READS)
    model = Script(says("first", Request("t", {"n": 3}, "a")))
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        await loop(model, run, [], "Look.", record=recording(ledger, run))
    entries = list(ledger.entries(run.id))
    assert retold(entries) is not None
    with pytest.raises(ReplayError):
        retold(changed(entries, kind, place, **fields))


async def test_a_run_in_which_no_model_was_recorded_tells_nothing(ledger: RecordingLedger) -> None:
    async with Runtime(ledger=ledger) as runtime, runtime.run(WHO) as run:
        await loop(Script(says("", Request("t"))), run, [], "Look.")
        assert record_for(Script(), ledger, run) is None
    assert retold(ledger.entries(run.id)) is None
    assert not [kind for kind in ledger.kinds if kind.startswith("model.")]


async def test_how_it_ended_is_told_whatever_ended_it(ledger: RecordingLedger) -> None:
    class Breaks(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            raise ProviderError("gone")

    slow = Blocked()
    async with Runtime([over(slow)], ledger=ledger) as runtime, runtime.run(WHO) as run:
        with pytest.raises(ProviderError):
            await loop(Breaks(), run, [], "Look.", record=recording(ledger, run))
        going = asyncio.create_task(
            loop(Script(says("", Request("t"))), run, [], "Look.", record=recording(ledger, run))
        )
        await slow.entered.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
    assert [body["stop"] for body in bodies(ledger, "model.ended")] == ["failed", "cancelled"]


# --- going on ---


class Dies(Script):
    """Says what it has, then its process is gone."""

    async def respond(self, conversation: Any, tools: Any, /) -> Message:
        if not self.messages:
            raise ProviderError("gone")
        return await super().respond(conversation, tools)


async def test_a_run_goes_on_from_its_ledger_and_starts_nothing_twice(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", lambda arguments: {"n": arguments["n"]})
    first = Dies(says("one", Request("t", {"n": 1}, "a")), says("two", Request("t", {"n": 2}), Request("nowhere")))
    async with Runtime([tool], ledger=ledger) as runtime:
        async with runtime.run(WHO, id="again") as run:
            with pytest.raises(ProviderError):
                await loop(first, run, [], "Look.", record=recording(ledger, run))
        seen = first.shown[-1][0]
        told = retold(ledger.entries("again"))
        assert told is not None
        async with runtime.run(WHO, id="again") as run:
            before = await resumed(told, run, ledger)
            model = Script(says("three", Request("t", {"n": 3}, "c")))
            outcome = await loop(model, run, [], None, before=before, record=recording(ledger, run, told.sent))
    assert transport.calls == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert [message.role for message in before] == ["user", "assistant", "tool", "assistant", "tool"]
    assert [result.output for result in before[2].results] == [result.output for result in seen[2].results]
    assert [result.success for result in before[4].results] == [True, False]
    assert outcome.text == "done"
    again = retold(ledger.entries("again"))
    assert again is not None
    assert [turn.text for turn in again.turns] == ["one", "two", "three", "done"]
    assert again.said == told.said
    with pytest.raises(ConfigurationError, match="ended this run"):
        await resumed(again, run, ledger)


async def test_a_run_that_goes_on_numbers_its_answers_on_and_answers_old_calls_from_their_record(
    ledger: RecordingLedger,
) -> None:
    tool, transport = fake_tool("t", lambda arguments: {"n": arguments["n"]})
    first = Dies(*(says("", Request("t", {"n": n}, "call_0")) for n in (1, 2)))
    async with Runtime([tool], ledger=ledger) as runtime:
        async with runtime.run(WHO, id="again") as run:
            with pytest.raises(ProviderError):
                await loop(first, run, [], "Look.", record=recording(ledger, run))
        told = retold(ledger.entries("again"))
        assert told is not None
        assert told.answers == 2
        async with runtime.run(WHO, id="again") as run:
            before = await resumed(told, run, ledger)
            model = Script(says("", Request("t", {"n": 1}, "call_0")))
            outcome = await loop(model, run, [], None, before=before, record=recording(ledger, run, told.sent))
        ids = [result.call_id for message in outcome.conversation for result in message.results]
        assert ids == [f"again:{n}:call_0" for n in (1, 2, 3)]
        async with runtime.run(WHO, id="again") as run:  # another task of the same run, in another process
            other = Script(says("", Request("t", {"n": 5}, "call_0")))
            more = await loop(other, run, [], "More.", record=recording(ledger, run))
    assert more.conversation[2].results[0].call_id == "again:5:call_0"
    assert [call["n"] for call in transport.calls] == [1, 2, 1, 5]


async def test_each_agent_of_a_run_has_a_conversation_of_its_own(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("t", {"x": 1}, capabilities=READS)
    async with Runtime([tool], ledger=ledger) as runtime:
        runs = [runtime.begin(holder("t", name=f"a{n}"), id="play", spoken=f"play.{n}") for n in (1, 2)]
        records = [recording(ledger, run) for run in runs]
        said: list[tuple[Message, ...]] = [(), ()]
        for words in ("one", "two"):
            for number, (run, record) in enumerate(zip(runs, records, strict=True)):
                model = Script(says(words, Request("t", {}, "call_0")))
                leg = await loop(model, run, [], "Go on.", before=said[number], record=record)
                said[number] = leg.conversation
        for run in runs:
            run.close()
    each = retold_by_agent(ledger.entries("play"))
    assert list(each) == ["a1", "a2"]
    assert [[turn.text for turn in one.turns] for one in each.values()] == [["one", "done", "two", "done"]] * 2
    assert [one.answers for one in each.values()] == [4, 4]


async def test_what_began_and_has_no_end_is_unknown_and_what_never_began_is_made_now(ledger: RecordingLedger) -> None:
    class Forgets(RecordingLedger):
        """Loses the ends of calls, as a process does that dies in one."""

        forgetting = True

        def append(self, draft: Any, /, *, durable: bool) -> Any:
            if self.forgetting and draft.kind in ("tool.completed", "tool.abandoned", "model.ended"):
                return None
            return super().append(draft, durable=durable)

    book = Forgets()
    slow = Blocked()
    calls = (Request("t", {"n": 1}, "a"), Request("t", {"n": 2}, "b"))
    async with Runtime([over(slow)], ledger=book) as runtime, runtime.run(WHO, id="again") as run:
        going = asyncio.create_task(loop(Script(says("", *calls)), run, [], "Look.", record=recording(book, run)))
        await slow.entered.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
    book.forgetting = False
    tool, transport = fake_tool("t", lambda arguments: arguments)
    told = retold(book.entries("again"))
    assert told is not None
    async with Runtime([tool], ledger=book) as runtime, runtime.run(WHO, id="again") as run:
        before = await resumed(told, run, book)
    first, second = before[-1].results
    assert (first.code, first.effect) == ("effect_unknown", "unknown")
    assert second.output == {"n": 2}
    assert transport.calls == [{"n": 2}]


async def test_what_may_not_be_read_any_more_is_not_shown_again(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", {"x": 1}, capabilities=READS)
    async with Runtime([tool], ledger=ledger) as runtime:
        async with runtime.run(WHO, id="again") as run:
            with pytest.raises(ProviderError):
                await loop(Dies(says("", Request("t", {}, "a"))), run, [], "Look.", record=recording(ledger, run))
        told = retold(ledger.entries("again"))
        assert told is not None
        async with runtime.run(holder("other"), id="again") as run:
            before = await resumed(told, run, ledger)
    assert [result.code for result in before[-1].results] == ["not_granted"]
    assert len(transport.calls) == 1


async def test_calls_of_which_the_ledger_holds_a_part_are_not_started(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", {"x": 1}, capabilities=READS)
    call = Request("t", {"password": SECRET}, "a")
    async with Runtime([tool], ledger=ledger) as runtime:
        async with runtime.run(WHO, id="again") as run:
            record = recording(ledger, run)
            await record.begun(Script(), [Message("user", "Look.")], [])
            await record.answered(says("", call), [call._replace(call_id="again:a")])
        told = retold(ledger.entries("again"))
        assert told is not None
        async with runtime.run(WHO, id="again") as run:
            before = await resumed(told, run, ledger)
    assert [result.reason for result in before[-1].results] == ["not_started"]
    assert transport.calls == []


async def test_the_legs_of_one_conversation_are_one_chain(ledger: RecordingLedger) -> None:
    class Waits:
        """Waits for somebody after each turn."""

        waits_for = "ann"

        def apply(self, results: Any) -> None: ...

        def corrected(self, results: Any) -> Any:
            return results

    tool, _ = fake_tool("t", {"x": 1}, capabilities=READS)
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        record = recording(ledger, run)
        leg = await loop(Script(says("one", Request("t", {}, "a"))), run, [], "Look.", drive=Waits(), record=record)
        assert leg.stop == "input_required"
        await loop(Script(says("two")), run, [], "Go on.", before=leg.conversation, record=record)
    told = retold(ledger.entries(run.id))
    assert told is not None
    assert told.said == (("user", "Look."), ("user", "Go on."))
    assert told.compared == 2 + 1
    assert told.turns[0].results is not None
    assert [body["results"] != [] for body in bodies(ledger, "model.asked")] == [False, True]
