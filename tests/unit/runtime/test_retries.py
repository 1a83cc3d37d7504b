"""Only an idempotent tool is started twice, only because its transport broke, and only while there is time."""

import asyncio
from typing import Any

import pytest

from doubles import READS, Threaded, holder, over
from licet import Runtime, ToolCapability
from licet.model.tool import Execution
from licet.runtime.limits import Limits
from licet.testing import FakeTransport, FixedClock, RecordingLedger

WHO = holder("t")
BROKEN = [ConnectionError("x"), ConnectionResetError(), BrokenPipeError(), InterruptedError(), TimeoutError()]
NO_PAUSE = Limits(backoff_s=0)


class Breaks(FakeTransport):
    """Raises each exception once, then answers; spoils its arguments every time."""

    def __init__(self, *exceptions: BaseException) -> None:
        super().__init__({"ok": 1})
        self.exceptions = list(exceptions)

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        self.calls.append(dict(arguments))
        arguments.clear()
        if self.exceptions:
            raise self.exceptions.pop(0)
        return self.answer


@pytest.mark.requirement("mcp.never-retry-non-idempotent")
@pytest.mark.parametrize("capabilities", [ToolCapability(), ToolCapability(writes=True)])
@pytest.mark.parametrize("broken", BROKEN)
async def test_a_tool_that_is_not_idempotent_is_started_once_whatever_fails(
    ledger: RecordingLedger, capabilities: ToolCapability, broken: BaseException
) -> None:
    for transport in (Breaks(broken), Threaded(lambda arguments, broken=broken: (_ for _ in ()).throw(broken))):
        calls = transport.calls if isinstance(transport, Breaks) else transport.threads
        async with Runtime([over(transport, capabilities=capabilities)], ledger=ledger, limits=NO_PAUSE) as runtime:
            result = await runtime.call(WHO, "t", {"a": 1})
        assert (result.success, result.effect) == (False, "unknown")
        assert result.metadata["retry"] == "not_retried"
        assert len(calls) == 1
    assert ledger.kinds == ["tool.requested", "tool.failed"] * 2


@pytest.mark.parametrize("broken", BROKEN)
async def test_an_idempotent_tool_is_tried_again_with_the_same_arguments(
    ledger: RecordingLedger, broken: BaseException
) -> None:
    for capabilities in (READS, ToolCapability(writes=True, idempotent=True)):
        transport = Breaks(broken, broken)
        async with Runtime([over(transport, capabilities=capabilities)], ledger=ledger, limits=NO_PAUSE) as runtime:
            result = await runtime.call(WHO, "t", {"a": [1]})
        assert result.output == {"ok": 1}
        assert transport.calls == [{"a": [1]}] * 3
    assert ledger.kinds == ["tool.requested", "tool.completed"] * 2, "one call, however many attempts"


async def test_attempts_are_counted() -> None:
    transport = Breaks(*[ConnectionError()] * 9)
    async with Runtime([over(transport, capabilities=READS)], limits=Limits(backoff_s=0, attempts=4)) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.code, len(transport.calls)) == ("transport", 4)
    assert "retry" not in result.metadata


@pytest.mark.parametrize("failing", [ValueError(), OSError(2, "no such file"), SystemExit(1), RuntimeError()])
async def test_a_tool_that_said_no_is_not_asked_again(failing: BaseException) -> None:
    transport = Breaks(failing)
    async with Runtime([over(transport, capabilities=READS)], limits=NO_PAUSE) as runtime:
        assert (await runtime.call(WHO, "t")).code == "tool_failed"
    assert len(transport.calls) == 1


async def test_a_pause_doubles_and_is_jittered(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def noted(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("licet.runtime.dispatch.asyncio.sleep", noted)
    transport = Breaks(*[ConnectionError()] * 9)
    async with Runtime([over(transport, capabilities=READS)], limits=Limits(backoff_s=1, attempts=5)) as runtime:
        await runtime.call(WHO, "t")
    assert [0.5 * 2**n <= pause <= 1.5 * 2**n for n, pause in enumerate(pauses)] == [True] * 4
    assert len(set(pauses)) == 4


async def test_a_pause_that_would_outlast_the_deadline_is_not_begun(clock: FixedClock) -> None:
    transport = Breaks(*[ConnectionError()] * 9)
    tools = [over(transport, capabilities=READS, execution=Execution(timeout_s=5))]
    async with Runtime(tools, clock=clock, limits=Limits(backoff_s=60)) as runtime:
        result = await asyncio.wait_for(runtime.call(WHO, "t"), 5)
    assert (result.code, len(transport.calls)) == ("transport", 1), "the failure itself, and at once"


async def test_a_call_that_was_ended_is_not_tried_again(clock: FixedClock) -> None:
    entered = asyncio.Event()
    attempts: list[int] = []

    class Turns(FakeTransport):
        async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
            attempts.append(1)
            entered.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise ConnectionError from None

    tools = [over(Turns(), capabilities=READS, execution=Execution(timeout_s=1))]
    async with Runtime(tools, clock=clock, limits=NO_PAUSE) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t"))
        await entered.wait()
        clock.advance(2)
        assert (await call).code == "timeout"
    assert attempts == [1]
