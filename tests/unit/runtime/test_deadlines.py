"""A call that passes its time, or is aborted, ends as a typed result; who cancels a task still cancels it."""

import asyncio
import threading
from typing import Any

import pytest

from doubles import READS, Blocked, Threaded, holder, over, until
from licet import Runtime, tool
from licet.errors import CallAbortedError, ToolTimeoutError
from licet.model.tool import Execution
from licet.runtime.limits import Limits
from licet.testing import FixedClock, RecordingLedger, fake_tool

WHO = holder("t")


async def started(runtime: Runtime, transport: Blocked, **options: Any) -> "asyncio.Task[Any]":
    call = asyncio.create_task(runtime.call(WHO, "t", **options))
    await transport.entered.wait()
    return call


@pytest.mark.requirement("execution.timeout-and-abort", "result.duration")
@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_call_past_its_time_is_a_timeout_and_its_late_answer_is_dropped(
    ledger: RecordingLedger, clock: FixedClock, stubborn: bool
) -> None:
    transport = Blocked({"late": True}, stubborn=stubborn)
    runtime = Runtime([over(transport, execution=Execution(timeout_s=5))], ledger=ledger, clock=clock)
    call = await started(runtime, transport)
    clock.advance(4.9)
    runtime._corridor._lane_now()._sweep()  # nothing is due
    await asyncio.sleep(0)
    assert not call.done()
    clock.advance(0.2)
    result = await call
    assert (result.success, result.code, result.effect, result.output) == (False, "timeout", "unknown", {})
    assert result.duration_ms == pytest.approx(5100)
    assert "late" not in result.content
    assert ledger.kinds == ["tool.requested", "tool.failed"]
    with pytest.raises(ToolTimeoutError):
        result.unwrap()
    assert len(transport.calls) == stubborn, "a stubborn handler did go on"
    runtime.close()


@pytest.mark.requirement("execution.timeout-and-abort")
async def test_an_aborted_call_says_so_and_one_that_is_not_abortable_goes_on(ledger: RecordingLedger) -> None:
    for abortable in (True, False):
        transport = Blocked({"done": 1})
        runtime = Runtime([over(transport, execution=Execution(abortable=abortable))], ledger=ledger)
        async with runtime.run(WHO) as run, runtime.run(WHO) as other:
            assert not run.abort("c")
            call = asyncio.create_task(run.call("t", call_id=f"c{abortable}"))
            await transport.entered.wait()
            assert not other.abort(f"c{abortable}"), "another run's call is none of its business"
            assert run.abort(f"c{abortable}") is abortable
            assert not run.abort(f"c{abortable}") or not abortable
            transport.released.set()
            result = await call
        if abortable:
            assert (result.code, result.effect) == ("aborted", "unknown")
            with pytest.raises(CallAbortedError):
                result.unwrap()
        else:
            assert result.output == {"done": 1}
        runtime.close()
    assert ledger.kinds == ["tool.requested", "tool.failed", "tool.requested", "tool.completed"]


@pytest.mark.parametrize("made_of_it", [ValueError("mine"), SystemExit(3), GeneratorExit()])
async def test_what_a_handler_makes_of_its_cancellation_is_still_the_timeout(
    clock: FixedClock, made_of_it: BaseException
) -> None:
    entered = asyncio.Event()

    class Remaking:
        async def call(self, arguments: Any, context: Any, /) -> Any:
            entered.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise made_of_it from None

    async with Runtime([over(Remaking(), execution=Execution(timeout_s=1))], clock=clock) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t"))
        await entered.wait()
        clock.advance(2)
        assert (await call).code == "timeout"
        assert call.cancelling() == 0, "the timer's cancellation is taken back"


async def test_a_timeout_leaves_the_task_as_it_found_it(clock: FixedClock) -> None:
    """Or the caller's own ``asyncio.timeout`` would take the timer's cancellation for one of its own."""
    for stubborn in (False, True):
        transport = Blocked(stubborn=stubborn)
        runtime = Runtime([over(transport, execution=Execution(timeout_s=1))], clock=clock)

        async def caller(runtime: Runtime = runtime) -> str | None:
            async with asyncio.timeout(20):
                code = (await runtime.call(WHO, "t")).code
                await asyncio.sleep(0)
                return str(code)

        call = asyncio.create_task(caller())
        await transport.entered.wait()
        clock.advance(2)
        assert await call == "timeout"
        assert call.cancelling() == 0
        runtime.close()


async def test_a_call_in_a_task_that_was_cancelled_before_still_times_out(clock: FixedClock) -> None:
    transport = Blocked()
    runtime = Runtime([over(transport, execution=Execution(timeout_s=1))], clock=clock)

    async def caller() -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return await runtime.call(WHO, "t")  # cleaning up

    call = asyncio.create_task(caller())
    await asyncio.sleep(0)
    call.cancel()
    await transport.entered.wait()
    clock.advance(2)
    assert (await call).code == "timeout"
    runtime.close()


@pytest.mark.parametrize("before", [0, 1])
async def test_a_cancellation_that_is_not_delivered_yet_ends_the_caller_and_starts_nothing(
    ledger: RecordingLedger, before: int
) -> None:
    """As an interrupt does it that comes while the task is running: it waits for the task's next await."""
    tool, transport = fake_tool("t")
    async with Runtime([tool], ledger=ledger) as runtime:

        async def caller() -> Any:
            task = asyncio.current_task()
            assert task is not None
            for _ in range(before):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asyncio.sleep(0)
            task.cancel()
            return await runtime.call(WHO, "t")

        call = asyncio.create_task(caller())
        with pytest.raises(asyncio.CancelledError):
            await call
        assert call.cancelled()
        assert (call.cancelling(), transport.calls) == (before + 1, [])
        assert "tool.completed" not in ledger.kinds


@pytest.mark.parametrize("first", ["timer", "caller"])
async def test_a_cancellation_that_races_the_timer_wins(ledger: RecordingLedger, clock: FixedClock, first: str) -> None:
    transport = Blocked()
    runtime = Runtime([over(transport, execution=Execution(timeout_s=1))], clock=clock, ledger=ledger)
    call = await started(runtime, transport)
    lane = runtime._corridor._lane_now()
    clock.advance(2)
    for who in ("timer", "caller") if first == "timer" else ("caller", "timer"):
        lane._sweep() if who == "timer" else call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert call.cancelled()
    assert ledger.kinds == ["tool.requested", "tool.abandoned"]
    runtime.close()


async def test_a_cancelled_future_that_the_handler_awaits_is_its_failure_and_cancels_nobody(
    ledger: RecordingLedger,
) -> None:
    class Leaning:
        async def call(self, arguments: Any, context: Any, /) -> Any:
            inner = asyncio.get_running_loop().create_future()
            inner.cancel()
            return await inner

    def leaning_inline() -> None:
        raise asyncio.CancelledError

    tools = [over(Leaning()), tool(inline=True, read_only=True)(leaning_inline)]
    async with Runtime(tools, ledger=ledger) as runtime:
        for name in ("t", "leaning_inline"):
            result = await runtime.call(holder("t", "leaning_inline"), name)
            assert (result.code, result.effect) == ("tool_failed", "unknown")
    assert ledger.kinds == ["tool.requested", "tool.failed"] * 2


async def test_no_timer_is_left_behind_and_no_flight(clock: FixedClock) -> None:
    bad, _ = fake_tool("bad", ValueError("no"))
    transport = Blocked()
    runtime = Runtime([bad, over(transport)], clock=clock)
    lane = runtime._corridor._lane_now()
    for _ in range(3):
        assert (await runtime.call(holder("bad"), "bad")).code == "tool_failed"
    call = await started(runtime, transport)
    call.cancel()
    await asyncio.wait([call])
    assert lane.flights == {}
    lane._sweep()
    assert lane._timer is None
    runtime.close()


async def test_a_checkpoint_that_hangs_times_out_and_the_effect_never_starts(
    ledger: RecordingLedger, clock: FixedClock
) -> None:
    ran: list[int] = []
    entered = asyncio.Event()

    async def checkpoint(arguments: Any, context: Any) -> None:
        entered.set()
        await asyncio.Event().wait()

    @tool(writes=True, timeout_s=1, checkpoint=checkpoint, restore=lambda token, context: None)
    async def t() -> None:
        ran.append(1)

    async with Runtime([t], ledger=ledger, clock=clock) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t"))
        await entered.wait()
        clock.advance(2)
        assert (await call).code == "timeout"
        assert runtime._corridor._lane_now().flights == {}
    assert ran == []
    assert ledger.kinds == ["tool.requested", "tool.failed"]


# --- threads ---


@pytest.mark.requirement("execution.timeout-and-abort")
async def test_a_thread_that_hangs_may_still_run_and_what_waits_behind_it_never_started(
    ledger: RecordingLedger, clock: FixedClock
) -> None:
    entered, release, ran = threading.Event(), threading.Event(), list[int]()

    def work(arguments: dict[str, Any]) -> Any:
        ran.append(arguments["n"])
        entered.set()
        release.wait(20)
        return {}

    transport = Threaded(work)
    limits = Limits(threads=1, attempts=3, backoff_s=0)
    tools = [over(transport, execution=Execution(timeout_s=1), capabilities=READS)]
    runtime = Runtime(tools, ledger=ledger, clock=clock, limits=limits)
    first = asyncio.create_task(runtime.call(WHO, "t", {"n": 1}))
    await until(entered.is_set)
    second = asyncio.create_task(runtime.call(WHO, "t", {"n": 2}))
    await asyncio.sleep(0)
    clock.advance(2)
    hung, waited = await first, await second
    assert (hung.code, hung.effect, hung.metadata["may_still_run"]) == ("timeout", "unknown", True)
    assert (waited.code, waited.effect, waited.reason) == ("timeout", "none", "not_started")
    assert "may_still_run" not in waited.metadata
    release.set()
    after = await runtime.call(WHO, "t", {"n": 3})
    assert after.success
    assert ran == [1, 3], "what was given up while it waited is not made up for"
    assert ledger.kinds == ["tool.requested"] * 2 + ["tool.failed", "tool.refused", "tool.requested", "tool.completed"]
    runtime.close()


async def test_a_call_that_is_cancelled_while_it_waits_for_a_thread_never_starts(ledger: RecordingLedger) -> None:
    entered, release, ran = threading.Event(), threading.Event(), list[int]()

    def work(arguments: dict[str, Any]) -> Any:
        ran.append(arguments["n"])
        entered.set()
        release.wait(20)

    runtime = Runtime([over(Threaded(work))], ledger=ledger, limits=Limits(threads=1))
    first = asyncio.create_task(runtime.call(WHO, "t", {"n": 1}))
    await until(entered.is_set)
    second = asyncio.create_task(runtime.call(WHO, "t", {"n": 2}))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    release.set()
    assert (await first).success
    assert (await runtime.call(WHO, "t", {"n": 3})).success
    assert ran == [1, 3]
    assert second.cancelled()
    runtime.close()


async def test_a_second_attempt_in_line_does_not_hide_that_the_first_one_started(clock: FixedClock) -> None:
    hog_entered, release, ran = threading.Event(), threading.Event(), list[str]()

    def work(arguments: dict[str, Any]) -> Any:
        ran.append("t")
        raise ConnectionError

    def hog(arguments: dict[str, Any]) -> Any:
        hog_entered.set()
        release.wait(20)

    tools = [
        over(Threaded(work), execution=Execution(timeout_s=1), capabilities=READS),
        over(Threaded(hog), "hog", execution=Execution(timeout_s=50)),
    ]
    runtime = Runtime(tools, clock=clock, limits=Limits(threads=1, attempts=5, backoff_s=0.02))
    call = asyncio.create_task(runtime.call(WHO, "t"))
    await until(lambda: ran)
    hogging = asyncio.create_task(runtime.call(holder("hog"), "hog"))
    await until(hog_entered.is_set)
    await until(lambda: runtime._corridor._workers._queue.qsize())  # the next attempt has joined the line
    clock.advance(2)
    result = await call
    assert (result.code, result.effect, result.reason) == ("timeout", "unknown", "")
    release.set()
    await hogging
    runtime.close()


@pytest.mark.parametrize("odd", [StopIteration("x"), GeneratorExit(), asyncio.CancelledError(), SystemExit(2)])
async def test_what_a_synchronous_handler_raises_that_loops_take_for_their_own_is_its_failure(
    ledger: RecordingLedger, odd: BaseException
) -> None:
    def fails(arguments: dict[str, Any]) -> None:
        raise odd

    tools = [
        over(Threaded(fails), "thread"),
        over(Threaded(fails), "inline", execution=Execution(inline=True), capabilities=READS),
    ]
    async with Runtime(tools, ledger=ledger) as runtime:
        for name in ("thread", "inline"):
            result = await runtime.call(holder("thread", "inline"), name)
            assert (result.code, result.effect) == ("tool_failed", "unknown"), name
        stepped = runtime.call_blocking(runtime.begin(holder("inline")), "inline")
        assert stepped.code == "tool_failed"
    assert ledger.kinds == ["tool.requested", "tool.failed"] * 3
