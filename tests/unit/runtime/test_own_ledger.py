"""A runtime without a ledger of yours knows most new call ids without a look, and runs none twice for it."""

import asyncio
import random
import threading
from typing import Any

import pytest

from doubles import READS, Blocked, holder, over
from licet import Runtime, ToolCapability
from licet.errors import ConfigurationError
from licet.ledger.call import NOTHING
from licet.model.entry import Draft
from licet.runtime import own_ledger
from licet.runtime.own_ledger import OwnLedger
from licet.sources.function import make
from licet.testing import fake_tool

WHO = holder("t")


def own(runtime: Runtime) -> OwnLedger:
    assert isinstance(runtime.ledger, OwnLedger)
    return runtime.ledger


def end(call_id: str, kind: str = "tool.completed") -> Draft:
    return Draft("elsewhere", kind, "alice", b'{"call":"%b","output":{}}' % call_id.encode(), b'{"at_us":1}')


@pytest.fixture
def short_memory(monkeypatch: pytest.MonkeyPatch) -> int:
    """A ledger that keeps 20 entries, and whose ids turn over every 620."""
    monkeypatch.setattr(own_ledger, "_LIMIT_ENTRIES", 20)
    monkeypatch.setattr(own_ledger, "_IN_LINE", 600)
    return 620


@pytest.mark.requirement("own.call-id-once")
async def test_an_id_is_new_once_and_then_answered_from_its_record() -> None:
    tool, transport = fake_tool("t", {"n": 1})
    async with Runtime([tool]) as runtime:
        assert own(runtime).is_new("run:c1")
        first = await runtime.call(WHO, "t", {"a": 1}, call_id="run:c1")
        assert not own(runtime).is_new("run:c1")
        again = await runtime.call(WHO, "t", {"a": 1}, call_id="run:c1")
        other = await runtime.call(WHO, "t", {"a": 2}, call_id="run:c1")
    assert first.success
    assert "replayed" not in first.metadata
    assert again.metadata["replayed"] is True
    assert other.code == "call_id_reused"
    assert transport.calls == [{"a": 1}]


@pytest.mark.requirement("own.call-id-once")
async def test_what_was_refused_abandoned_or_is_under_way_is_not_new() -> None:
    transport = Blocked({"n": 1})
    async with Runtime([over(transport, capabilities=READS)]) as runtime:
        refused = await runtime.call(holder(), "t", call_id="run:refused")
        call = asyncio.create_task(runtime.call(WHO, "t", call_id="run:left"))
        await transport.entered.wait()
        under_way = await runtime.call(WHO, "t", call_id="run:left")
        call.cancel()
        await asyncio.wait([call])
        again = await runtime.call(WHO, "t", call_id="run:left")
        assert [own(runtime).is_new(f"run:{id}") for id in ("refused", "left", "never")] == [False, False, True]
        assert (await runtime.call(holder(), "t", call_id="run:refused")).metadata["replayed"] is True
    assert refused.effect == "none"
    assert under_way.reason == "under_way"
    assert again.metadata["replayed"] is True
    assert again.code == "aborted"
    assert (transport.cancelled, transport.calls) == (1, []), "it came to the tool once"


@pytest.mark.requirement("own.call-id-once")
async def test_an_id_that_waits_for_a_yes_is_under_way() -> None:
    class Asked:
        name = "asked"

        def __init__(self) -> None:
            self.came, self.says = asyncio.Event(), asyncio.Event()

        async def approve(self, request: Any, /) -> bool:
            self.came.set()
            return await self.says.wait()

    approver = Asked()
    tool, transport = fake_tool("t", {"n": 1}, capabilities=ToolCapability(unsafe=True))
    async with Runtime([tool], approver=approver) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t", call_id="run:asks"))
        await approver.came.wait()
        second = await runtime.call(WHO, "t", call_id="run:asks")
        approver.says.set()
        assert (await call).success
    assert second.reason == "under_way"
    assert len(transport.calls) == 1


@pytest.mark.requirement("own.call-id-once")
@pytest.mark.parametrize("kind", ["tool.requested", "tool.completed", "tool.refused", "tool.settled"])
async def test_an_entry_that_somebody_else_wrote_is_found(kind: str) -> None:
    tool, transport = fake_tool("t", {"n": 1})
    async with Runtime([tool]) as runtime:
        await runtime.call(WHO, "t", call_id="run:ours")
        runtime.ledger.append(end("run:theirs", kind), durable=False)
        assert not own(runtime).is_new("run:theirs")
        assert not own(runtime).is_new("run:anything")
        result = await runtime.call(WHO, "t", call_id="run:theirs")
        assert (await runtime.call(WHO, "t", call_id="run:anything")).success
    assert result.code in ("call_id_reused", "effect_unknown")
    assert len(transport.calls) == 2


async def test_an_entry_that_is_of_no_call_changes_nothing() -> None:
    async with Runtime([]) as runtime:
        runtime.ledger.append(Draft("r", "loop.asked", "alice", b'{"call":"run:c"}', b'{"at_us":1}'), durable=False)
        assert own(runtime).is_new("run:c")


@pytest.mark.requirement("own.call-id-once")
async def test_two_runtimes_with_one_ledger_run_an_id_once() -> None:
    tool, transport = fake_tool("t", {"n": 1})
    async with Runtime([tool]) as first, Runtime([tool], ledger=first.ledger) as second:
        for number, (before, after) in enumerate(((first, second), (second, first))):
            assert "replayed" not in (await before.call(WHO, "t", call_id=f"run:c{number}")).metadata
            assert (await after.call(WHO, "t", call_id=f"run:c{number}")).metadata["replayed"] is True
    assert len(transport.calls) == 2


@pytest.mark.requirement("own.call-id-once")
@pytest.mark.parametrize("first_asks", [True, False])
async def test_an_id_under_way_in_another_runtime_with_this_ledger_is_not_run(first_asks: bool) -> None:
    transport = Blocked({"n": 1})
    tool = over(transport, capabilities=READS)
    async with Runtime([tool]) as first, Runtime([tool], ledger=first.ledger) as second:
        asking, other = (first, second) if first_asks else (second, first)
        call = asyncio.create_task(asking.call(WHO, "t", call_id="run:c"))
        await transport.entered.wait()
        transport.entered.clear()
        assert (await other.call(WHO, "t", call_id="run:c")).code == "effect_unknown"
        transport.released.set()
        assert (await call).success
    assert not transport.entered.is_set()
    assert len(transport.calls) == 1


async def test_an_id_that_a_run_may_have_made_is_looked_for() -> None:
    tool, transport = fake_tool("t", {"n": 1})
    async with Runtime([tool]) as runtime:
        minted = await runtime.call(WHO, "t")
        assert not own(runtime).is_new(minted.call_id)
        assert (await runtime.call(WHO, "t", call_id=minted.call_id)).metadata["replayed"] is True
        with pytest.raises(ConfigurationError, match="without a colon"):
            runtime.begin(WHO, id="order-7", prefix="order-7:1")
    assert len(transport.calls) == 1


@pytest.mark.requirement("own.call-id-once")
def test_no_id_is_new_while_the_ledger_keeps_an_entry_of_it(short_memory: int) -> None:
    def plain() -> int:
        """Answer."""
        return 1

    random_ = random.Random(7)
    with Runtime([make(plain, name="t", inline=True)]) as runtime:
        run = runtime.begin(WHO)
        for number in range(4 * short_memory):
            runtime.call_blocking(run, "t", call_id=f"run:{number}" if number % 3 else None)
            for asked in (number, number - random_.randrange(12), number - short_memory, random_.randrange(10**6)):
                if own(runtime).is_new(f"run:{asked}"):
                    assert runtime.ledger.find(f"run:{asked}") == NOTHING
        assert own(runtime).is_new("run:1"), "ids that the ledger forgot are forgotten too"
        assert len(own(runtime)._ids) <= short_memory + 1


@pytest.mark.requirement("own.call-id-once")
@pytest.mark.parametrize("leaves", [False, True], ids=["ends", "leaves"])
async def test_an_id_whose_call_took_longer_than_all_that_is_kept_runs_once(short_memory: int, leaves: bool) -> None:
    transport = Blocked({"n": 1})
    quick, _ = fake_tool("u", {"n": 2}, read_only=True)
    who = holder("t", "u")
    async with Runtime([over(transport, capabilities=READS), quick]) as runtime:
        call = asyncio.create_task(runtime.call(who, "t", call_id="run:slow"))
        await transport.entered.wait()
        for number in range(3 * short_memory):
            await runtime.call(who, "u", call_id=f"run:{number}")
        transport.entered.clear()
        _ = call.cancel() if leaves else transport.released.set()
        await asyncio.wait([call])
        assert not own(runtime).is_new("run:slow")
        again = await runtime.call(who, "t", call_id="run:slow")
    assert again.code == "call_id_reused", "its end is kept, and what was asked for is not"
    assert not transport.entered.is_set()


@pytest.mark.requirement("own.call-id-once")
def test_threads_that_race_with_the_same_ids_run_each_once() -> None:
    tool, transport = fake_tool("t", {"n": 1})
    with Runtime([tool]) as runtime:
        run = runtime.begin(WHO)
        barrier = threading.Barrier(4)
        results: list[Any] = []

        def ask() -> None:
            barrier.wait()
            for number in range(100):
                results.append(runtime.call_blocking(run, "t", call_id=f"run:{number}"))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(transport.calls) == 100
    assert all(result.success or result.reason == "under_way" for result in results)
