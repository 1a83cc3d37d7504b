"""Batches run side by side only where every tool allows it; budgets, turns and calls in flight are bounded."""

import asyncio
from typing import Any

import pytest

from doubles import READS, WRITES, Blocked, WatchedLedger, holder, over, until
from licet import Deny, Permit, Runtime
from licet.errors import ConfigurationError
from licet.model.call import Request
from licet.model.tool import Execution
from licet.runtime.limits import Limits
from licet.testing import RecordingLedger, fake_tool

PARALLEL = Execution(mode="parallel")


class Crowd:
    """Counts how many calls are inside at once; each stays for a few turns of the loop."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.order: list[Any] = []

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(5):
            await asyncio.sleep(0)
        self.inside -= 1
        self.order.append(arguments.get("n"))
        return arguments


@pytest.mark.requirement("execution.modes")
@pytest.mark.parametrize(
    ("names", "most"),
    [
        (["a", "b", "a"], 3),
        (["a", "s", "b"], 1),
        (["s", "s"], 1),
        (["a"], 1),
        (["a", "nowhere", "b"], 1),
        (["a", "not a name", "b"], 1),
        (["local/a", "b"], 2),
    ],
)
async def test_a_batch_runs_in_parallel_only_if_every_tool_in_it_does(names: list[str], most: int) -> None:
    crowd = Crowd()
    tools = [over(crowd, "a", execution=PARALLEL), over(crowd, "b", execution=PARALLEL), over(crowd, "s")]
    async with Runtime(tools) as runtime, runtime.run(holder("a", "b", "s", "nowhere")) as run:
        results = await run.batch([Request(name, {"n": n}) for n, name in enumerate(names)])
    assert crowd.most == most
    assert len({result.call_id for result in results}) == len(names), "exactly one result per call id"
    answered = [result.output.get("n") for result in results if result.success]
    assert answered == [n for n, name in enumerate(names) if name in ("a", "b", "s", "local/a")]


async def test_a_batch_answers_in_the_order_of_its_requests() -> None:
    transport = Blocked(lambda arguments: arguments)
    quick, _ = fake_tool("quick", lambda arguments: arguments, execution=PARALLEL)
    tools = [over(transport, "slow", execution=PARALLEL), quick]
    async with Runtime(tools) as runtime, runtime.run(holder("slow", "quick")) as run:
        batch = asyncio.create_task(run.batch([Request("slow", {"n": 1}), Request("quick", {"n": 2})]))
        await transport.entered.wait()
        transport.released.set()
        assert [result.output for result in await batch] == [{"n": 1}, {"n": 2}]
        assert await run.batch([]) == []


async def test_a_cancelled_batch_closes_every_call(ledger: RecordingLedger) -> None:
    transport = Blocked()
    tools = [over(transport, execution=PARALLEL)]
    async with Runtime(tools, ledger=ledger) as runtime, runtime.run(holder("t")) as run:
        batch = asyncio.create_task(run.batch([Request("t")] * 3))
        await until(lambda: ledger.kinds.count("tool.requested") == 3)
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
    assert sorted(ledger.kinds) == ["tool.abandoned"] * 3 + ["tool.requested"] * 3


async def test_a_batch_cannot_overdraw_its_budget(ledger: RecordingLedger) -> None:
    crowd = Crowd()
    async with (
        Runtime([over(crowd, execution=PARALLEL)], ledger=ledger) as runtime,
        runtime.run(holder("t"), max_calls=3) as run,
    ):
        await run.call("nowhere")
        results = await run.batch([Request("t", {"n": n}) for n in range(5)])
        late = await run.call("t")
    assert [result.success for result in results] == [True] * 3 + [False] * 2
    for result in (*results[3:], late):
        assert (result.code, result.reason, result.effect) == ("limit_exceeded", "budget", "none")
    assert sorted(crowd.order) == [0, 1, 2]
    assert ledger.kinds.count("tool.requested") == 3


@pytest.mark.parametrize("durable", [False, True])
async def test_a_principal_has_at_most_so_many_calls_in_flight(durable: bool) -> None:
    """Also while the intents of a crowd of them are being written."""
    transport = Blocked({"ok": 1})
    ledger = WatchedLedger()
    ledger.held = {"tool.requested"}
    capabilities = WRITES if durable else READS
    tools = [over(transport, execution=PARALLEL, capabilities=capabilities)]
    async with Runtime(tools, ledger=ledger, limits=Limits(calls_in_flight=4)) as runtime:
        calls = [asyncio.create_task(runtime.call(holder("t"), "t")) for _ in range(7)]
        await until(lambda: sum(call.done() for call in calls) == 3)
        other = asyncio.create_task(runtime.call(holder("t", name="carol"), "t"))
        await until(lambda: ledger.kinds.count("tool.requested") == 5)
        ledger.release()
        transport.released.set()
        results = await asyncio.gather(*calls)
        assert (await other).success, "another principal has its own"
        again = asyncio.create_task(runtime.call(holder("t"), "t"))
        await until(lambda: ledger.kinds.count("tool.requested") == 6)
        ledger.release()
        assert (await again).success
        assert runtime._corridor._lane_now().flights == {}
    assert len([result for result in results if result.success]) == 4
    for result in results:
        if not result.success:
            assert (result.code, result.reason, result.effect) == ("limit_exceeded", "calls_in_flight", "none")
    assert len(transport.calls) == 6


async def test_refusals_end_a_turn_until_the_next_one(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t")
    async with (
        Runtime([tool], ledger=ledger, limits=Limits(refusals_per_turn=100)) as runtime,
        runtime.run(holder("t")) as run,
    ):
        async with run.turn() as turn:
            for _ in range(99):
                assert (await run.call("nowhere")).code == "not_granted"
            assert (await run.call("t")).success
            await run.call("nowhere")
            shut = await run.call("t")
            assert (shut.code, shut.reason, shut.effect) == ("limit_exceeded", "turn_ended", "none")
            assert turn.refusals == 101
            with pytest.raises(ConfigurationError, match="is open"):
                async with run.turn():
                    raise AssertionError("entered")
        assert (await run.call("t")).success, "a call outside any turn is a turn of its own"
        async with run.turn():
            assert (await run.call("t")).success
    assert len(transport.calls) == 3
    assert ledger.kinds.count("tool.refused") == 101


async def test_nobody_is_asked_to_approve_what_a_limit_will_refuse() -> None:
    from doubles import Says
    from licet import ToolCapability

    tool, transport = fake_tool("t", capabilities=ToolCapability(unsafe=True))
    approver = Says(True)
    async with (
        Runtime([tool], approver=approver, limits=Limits(refusals_per_turn=1)) as runtime,
        runtime.run(holder("t"), max_calls=0) as spent,
        runtime.run(holder("t")) as run,
    ):
        assert (await spent.call("t")).reason == "budget"
        async with run.turn():
            await run.call("nowhere")
            assert (await run.call("t")).reason == "turn_ended"
    assert approver.asked == []
    assert transport.calls == []


async def test_a_run_id_is_checked_and_continues_an_earlier_run(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("t")
    async with Runtime([tool], ledger=ledger) as runtime:
        for bad in ("", "a b", "a/b", "x" * 65, "é", "a\n"):
            with pytest.raises(ConfigurationError, match="run id"):
                runtime.begin(holder("t"), id=bad)
        ids = []
        for _ in range(2):
            async with runtime.run(holder("t"), id="mine") as run:
                ids.append((await run.call("t")).call_id)
        assert len(set(ids)) == 2, "a continued run mints no id twice"
        assert {entry.run_id for entry in ledger.entries()} == {"mine"}


async def test_checks_of_a_turn_do_not_reach_into_another_run() -> None:
    tool, _ = fake_tool("t")
    async with (
        Runtime([tool], checks=[lambda p, s, a: Permit() if not a else Deny("rule_forbids", "no")]) as runtime,
        runtime.run(holder("t")) as one,
        runtime.run(holder("t")) as two,
        one.turn() as turn,
    ):
        await two.call("t", {"a": 1})
        assert turn.refusals == 0
        await one.call("t", {"a": 1})
        assert turn.refusals == 1
