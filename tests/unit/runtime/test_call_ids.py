"""A call id runs at most once, whoever asks again: at the same time, later, in another thread, after a restart."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles import READS, Blocked, WatchedLedger, holder, over
from licet import Runtime, ToolCapability
from licet.errors import CallIdReusedError, EffectUnknownError
from licet.ledger.settle import settle
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify
from licet.model.result import ToolResult
from licet.runtime.limits import Limits
from licet.testing import FakeTransport, FixedClock, RecordingLedger, fake_tool

WHO = holder("t", "u")


class Lives:
    """One ledger file over several lives of a process, each with a fresh Runtime; the transport counts what ran."""

    def __init__(self, path: Path, **spec: Any) -> None:
        self.path = path
        self.spec = spec
        self.ran: list[dict[str, Any]] = []

    def __call__(self, answer: Any = None, **options: Any) -> Runtime:
        tools = []
        for name in ("t", "u"):
            tool, transport = fake_tool(name, {"n": 1} if answer is None else answer, **self.spec)
            transport.calls = self.ran
            tools.append(tool)
        return Runtime(tools, ledger=self.path, **options)


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Lives]:
    yield Lives(tmp_path / "ledger.db")
    with_ledger = SqliteLedger(tmp_path / "ledger.db")
    verify(with_ledger.entries())
    with_ledger.close()


def replayed(result: ToolResult) -> bool:
    return result.metadata.get("replayed") is True


@pytest.mark.requirement("own.call-id-once")
async def test_the_same_call_again_is_answered_from_its_record_across_restarts(lives: Lives) -> None:
    with lives() as runtime:
        first = await runtime.call(WHO, "t", {"a": 1, "b": 2}, call_id="c1")
        again = await runtime.call(WHO, "local/t", '{"b": 2, "a": 1}', call_id="c1")
    with lives() as runtime:
        later = await runtime.call(WHO, "t", {"a": 1, "b": 2}, call_id="c1")
    assert not replayed(first)
    for repeated in (again, later):
        assert replayed(repeated)
        assert repeated.success
        assert (repeated.output, repeated.json, repeated.call_id) == (first.output, first.json, "c1")
        assert repeated.effect == "done"
    assert lives.ran == [{"a": 1, "b": 2}]


@pytest.mark.requirement("own.call-id-once")
async def test_a_call_id_of_another_call_is_refused_across_restarts(lives: Lives) -> None:
    others: list[tuple[Any, str, Any]] = [
        (WHO, "t", {"a": 2}),
        (WHO, "t", {}),
        (WHO, "t", {"a": 1, "b": None}),
        (WHO, "t", {"a": True}),
        (WHO, "u", {"a": 1}),
        (holder("t", name="mallory"), "t", {"a": 1}),
    ]
    with lives() as runtime:
        assert (await runtime.call(WHO, "t", {"a": 1}, call_id="c1")).success
    for _ in range(2):
        with lives() as runtime:
            for who, name, arguments in others:
                result = await runtime.call(who, name, arguments, call_id="c1")
                assert (result.code, result.effect, result.output) == ("call_id_reused", "none", {}), arguments
                with pytest.raises(CallIdReusedError):
                    result.unwrap()
    assert lives.ran == [{"a": 1}]
    ledger = SqliteLedger(lives.path)
    assert ledger.find("c1").closed is not None
    assert [entry.kind for entry in ledger.entries()].count("tool.refused") == 12, "each refusal is on the ledger"
    ledger.close()


@pytest.mark.requirement("own.call-id-once", "own.intent-before-effect")
async def test_a_beginning_without_an_end_is_never_started_again(lives: Lives) -> None:
    with lives() as runtime:  # the life that was cut off: its end never came
        runtime._recorder.closed = lambda *_: None  # type: ignore[method-assign, assignment]
        await runtime.call(WHO, "t", {"a": 1}, call_id="c1")
    for _ in range(2):
        with lives() as runtime:
            result = await runtime.call(WHO, "t", {"a": 1}, call_id="c1")
            assert (result.code, result.effect) == ("effect_unknown", "unknown")
            assert "licet ledger settle c1" in result.metadata["remedy"]
            with pytest.raises(EffectUnknownError):
                result.unwrap()
            assert (await runtime.call(WHO, "t", {"a": 2}, call_id="c1")).code == "call_id_reused"
    assert lives.ran == [{"a": 1}]
    ledger = SqliteLedger(lives.path)
    settle(ledger, "c1", "done", "I looked", "carol")
    ledger.close()
    with lives() as runtime:
        result = await runtime.call(WHO, "t", {"a": 1}, call_id="c1")
        assert not result.success
        assert result.metadata["settled"] == "done"
    assert lives.ran == [{"a": 1}]


async def test_an_answer_from_the_record_tells_its_own_duration(ledger: RecordingLedger, clock: FixedClock) -> None:
    tool, _ = fake_tool("t", lambda arguments: clock.advance(0.25))
    clock.advance(1000)
    async with Runtime([tool], ledger=ledger, clock=clock) as runtime:
        durations = [(await runtime.call(WHO, "t", call_id="c")).duration_ms for _ in range(2)]
        durations.append((await runtime.call(WHO, "u", call_id="c")).duration_ms)
    assert durations == [250, 0, 0]


@pytest.mark.parametrize("answer", [ValueError("no"), ConnectionError(), "not a json: \ud800"])
async def test_a_failure_is_answered_from_its_record_too(lives: Lives, answer: Any) -> None:
    with lives(answer) as runtime:
        first = await runtime.call(WHO, "t", call_id="c1")
    with lives() as runtime:
        again = await runtime.call(WHO, "t", call_id="c1")
    assert not first.success
    assert replayed(again)
    assert (again.success, again.code, again.effect, again.output) == (False, first.code, "unknown", {})
    assert len(lives.ran) == 1


async def test_a_call_whose_caller_went_away_is_answered_as_aborted() -> None:
    for where, effect in (("handler", "unknown"), ("intent", "none")):
        watched, transport = WatchedLedger(), Blocked()
        watched.held = {"tool.requested"} if where == "intent" else set()
        async with Runtime([over(transport)], ledger=watched) as runtime:
            call = asyncio.create_task(runtime.call(WHO, "t", call_id="c"))
            await (watched.appended.wait() if where == "intent" else transport.entered.wait())
            call.cancel()
            await asyncio.wait([call])
            watched.held = set()
            again = await runtime.call(WHO, "t", call_id="c")
            assert replayed(again)
            assert (again.success, again.code, again.effect) == (False, "aborted", effect)
            assert (await runtime.call(WHO, "t", {"a": 1}, call_id="c")).code == "call_id_reused"
        assert transport.calls == []


async def test_a_refusal_is_answered_from_its_record_even_when_it_would_be_granted_now(lives: Lives) -> None:
    large = {"text": "x" * 10_000}
    for name, arguments in (("t", {"a": 1}), ("t", large), ("no <name>", {"a": 1})):
        lives.ran.clear()
        call_id = f"c{len(str(arguments))}{len(name)}"
        with lives() as runtime:
            first = await runtime.call(holder(), name, arguments, call_id=call_id)
            same = await runtime.call(holder(), name, arguments, call_id=call_id)
        with lives() as runtime:
            granted_now = await runtime.call(WHO, name, arguments, call_id=call_id)
            other = await runtime.call(WHO, name, {"a": 2}, call_id=call_id)
        assert first.code == "not_granted"
        for repeated in (same, granted_now):
            assert replayed(repeated), arguments
            assert (repeated.success, repeated.code, repeated.effect) == (False, "not_granted", "none")
        assert other.code == "call_id_reused"
        assert lives.ran == []


async def test_a_record_is_not_shown_to_a_principal_that_may_no_longer_make_the_call(lives: Lives) -> None:
    with lives() as runtime:
        assert (await runtime.call(WHO, "t", call_id="c1")).success
    with lives() as runtime:
        for who, code in ((holder(), "not_granted"), (holder("t", mode="read_only"), "mode_forbids")):
            result = await runtime.call(who, "t", call_id="c1")
            assert (result.success, result.code, result.output) == (False, code, {})
        runtime.remove("t")
        assert (await runtime.call(WHO, "t", call_id="c1")).code == "unknown_tool"


async def test_what_was_cut_or_hidden_on_the_ledger_is_told(lives: Lives) -> None:
    with lives({"token": "s3cret", "n": 1}) as runtime:
        await runtime.call(WHO, "t", {"password": "hunter2"}, call_id="c1")
        again = await runtime.call(WHO, "t", {"password": "hunter2"}, call_id="c1")
        assert replayed(again)
        assert again.reason == "record_incomplete"
        assert again.output["n"] == 1
        assert "s3cret" not in str(again.output)
        assert (await runtime.call(WHO, "t", {"password": "hunter3"}, call_id="c1")).code == "call_id_reused"
    with lives({"text": "y" * 100}, limits=Limits(ledger_value_bytes=64)) as runtime:
        await runtime.call(WHO, "t", {"text": "x" * 100}, call_id="c2")
        again = await runtime.call(WHO, "t", {"text": "x" * 100}, call_id="c2")
        assert again.reason == "record_incomplete"
        assert again.output["truncated"]["bytes"] > 100
        other = await runtime.call(WHO, "t", {"text": "x" * 99 + "y"}, call_id="c2")
        assert other.code == "call_id_reused", "what was cut off is compared too"
    assert b"hunter2" not in lives.path.read_bytes()
    assert b"s3cret" not in lives.path.read_bytes()
    assert len(lives.ran) == 2


@pytest.mark.requirement("own.call-id-once")
async def test_a_call_id_under_way_is_refused_until_it_ended(ledger: RecordingLedger) -> None:
    for capabilities in (READS, ToolCapability()):
        transport = Blocked({"n": 1})
        async with Runtime([over(transport, capabilities=capabilities)], ledger=ledger) as runtime:
            call = asyncio.create_task(runtime.call(WHO, "t", call_id=f"c{capabilities.read_only}"))
            await transport.entered.wait()
            for who in (WHO, holder("t", name="eve"), holder()):
                second = await runtime.call(who, "t", call_id=f"c{capabilities.read_only}")
                assert (second.code, second.reason, second.effect) == ("call_id_reused", "under_way", "none")
            transport.released.set()
            assert (await call).success
            assert replayed(await runtime.call(WHO, "t", call_id=f"c{capabilities.read_only}"))
        assert len(transport.calls) == 1


@pytest.mark.requirement("own.call-id-once")
def test_threads_and_loops_that_race_with_one_id_run_it_once(ledger: RecordingLedger) -> None:
    for round_ in range(20):
        tool, transport = fake_tool("t", {"n": 1})
        runtime = Runtime([tool], ledger=ledger)
        barrier = threading.Barrier(4)
        results: list[ToolResult] = []

        def ask(
            runtime: Runtime = runtime,
            barrier: threading.Barrier = barrier,
            results: list[ToolResult] = results,
            call_id: str = f"c{round_}",
        ) -> None:
            barrier.wait()
            results.append(asyncio.run(runtime.call(WHO, "t", call_id=call_id)))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(transport.calls) == 1
        assert len([result for result in results if result.success and not replayed(result)]) == 1
        for result in results:
            assert replayed(result) or result.success or result.reason == "under_way"
        runtime.close()


@pytest.mark.parametrize(
    "call_id", ["", " ", "a b", "a/b", "x" * 129, "é", "a\n", "\ud800", 7, b"c", "a\0b", "*", "a'b"]
)
async def test_an_id_that_is_none_is_refused_and_the_call_gets_one_of_its_own(
    ledger: RecordingLedger, call_id: Any
) -> None:
    tool, transport = fake_tool("t")
    async with Runtime([tool], ledger=ledger) as runtime:
        result = await runtime.call(WHO, "t", call_id=call_id)
    assert (result.code, result.reason, result.effect) == ("invalid_arguments", "call_id", "none")
    assert result.call_id != call_id
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"]


@pytest.mark.requirement("own.call-id-once")
async def test_an_id_that_licet_will_make_cannot_be_taken_beforehand(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t")
    async with Runtime([tool], ledger=ledger) as runtime, runtime.run(WHO) as run:
        minted = (await run.call("t", {"n": 1})).call_id
        head, _, counter = minted.rpartition(".")
        taken = await run.call("t", {"n": 2}, call_id=f"{head}.{int(counter) + 2}")
        assert (taken.code, taken.reason) == ("invalid_arguments", "call_id")
        assert (await run.call("t", {"n": 3})).success
        again = await run.call("t", {"n": 1}, call_id=minted)
        assert replayed(again), "but to ask for the record of one is fine"
    assert transport.calls == [{"n": 1}, {"n": 3}]
    requested = [entry.body for entry in ledger.entries() if entry.kind == "tool.requested"]
    assert len(requested) == len(set(requested)) == 2


async def test_a_waiting_record_that_is_cancelled_frees_its_id() -> None:
    ledger = WatchedLedger()
    transport = FakeTransport()
    async with Runtime([over(transport)], ledger=ledger, durability="strict") as runtime:
        ledger.held = {"tool.refused"}
        call = asyncio.create_task(runtime.call(holder(), "t", call_id="c"))
        await ledger.appended.wait()
        call.cancel()
        await asyncio.wait([call])
        assert runtime._corridor._under_way == {}


def test_an_interrupt_while_the_ledger_is_asked_ends_the_call_and_frees_its_id() -> None:
    class Interrupted(RecordingLedger):
        def find(self, call_id: str, /) -> Any:
            raise KeyboardInterrupt

    tool, transport = fake_tool("t")
    ledger = Interrupted()
    runtime = Runtime([tool], ledger=ledger)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(runtime.call(WHO, "t", call_id="c"))
    assert transport.calls == []
    assert ledger.kinds == []
    assert runtime._corridor._under_way == {}
    runtime.close()
