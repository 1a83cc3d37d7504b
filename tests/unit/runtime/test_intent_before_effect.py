"""The ledger holds the intent before the effect and the end before the result; no ledger, no call."""

import asyncio
from typing import Any

import orjson
import pytest

from doubles import READS, WRITES, Blocked, Threaded, WatchedLedger, holder, over, until
from licet import Runtime, ToolCapability, tool
from licet.errors import LedgerUnavailableError
from licet.ledger.verify import verify
from licet.model.entry import Draft
from licet.testing import FakeTransport, FixedClock, RecordingLedger, fake_tool

WHO = holder("t")
UNDECLARED = ToolCapability()
INTENT = ["append tool.requested", "durable tool.requested"]


class Notes(FakeTransport):
    """Writes into the ledger's own log when it runs."""

    def __init__(self, log: list[str]) -> None:
        super().__init__({"ok": True})
        self.log = log

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        self.log.append("ran")
        return await super().call(arguments, context)


@pytest.mark.requirement("own.intent-before-effect")
@pytest.mark.parametrize("capabilities", [WRITES, UNDECLARED, ToolCapability(idempotent=True)])
async def test_a_call_that_may_change_something_is_on_the_ledger_before_it_starts_and_after_it_ended(
    capabilities: ToolCapability,
) -> None:
    ledger = WatchedLedger()
    async with Runtime([over(Notes(ledger.log), capabilities=capabilities)], ledger=ledger) as runtime:
        assert (await runtime.call(WHO, "t")).success
    assert ledger.log == [*INTENT, "ran", "append tool.completed", "durable tool.completed"]
    verify(ledger.entries())


@pytest.mark.requirement("own.intent-before-effect")
async def test_a_thread_starts_only_when_the_intent_is_durable() -> None:
    ledger = WatchedLedger()
    ledger.held = {"tool.requested"}
    transport = Threaded(lambda arguments: ledger.log.append("ran"))
    async with Runtime([over(transport)], ledger=ledger) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t"))
        await ledger.appended.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert ledger.log == INTENT[:1], "nothing runs on the strength of an entry that is only in line"
        ledger.release()
        await call
    assert ledger.log[:3] == [*INTENT, "ran"]


async def test_the_entries_of_a_read_stand_in_line_and_strict_durability_waits_for_them_too() -> None:
    for durability, waits in (("effects", False), ("strict", True)):
        ledger = WatchedLedger()
        tools = [over(Notes(ledger.log), capabilities=READS)]
        async with Runtime(tools, ledger=ledger, durability=durability) as runtime:  # type: ignore[arg-type]
            assert (await runtime.call(WHO, "t")).success
            await runtime.call(WHO, "nowhere")
        assert ("durable tool.requested" in ledger.log) is waits
        assert ("durable tool.completed" in ledger.log) is waits
        assert ("durable tool.refused" in ledger.log) is waits
        assert ledger.log.index("append tool.requested") < ledger.log.index("ran")


async def test_an_inline_tool_that_writes_has_its_intent_first_through_every_door() -> None:
    ledger = WatchedLedger()

    @tool(inline=True, writes=True)
    def t() -> None:
        ledger.log.append("ran")

    async with Runtime([t], ledger=ledger) as runtime:
        assert (await runtime.call(WHO, "t")).success
        assert runtime.call_blocking(runtime.begin(WHO), "t").success
    once = [*INTENT, "ran", "append tool.completed", "durable tool.completed"]
    assert ledger.log == once * 2


@pytest.mark.requirement("own.intent-before-effect")
@pytest.mark.parametrize("how", ["refuse_append", "refuse_wait"])
async def test_no_ledger_no_call(how: str) -> None:
    ledger = WatchedLedger()
    getattr(ledger, how).add("tool.requested")
    transport = FakeTransport()
    async with Runtime([over(transport)], ledger=ledger) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.success, result.code, result.effect, result.output) == (False, "ledger_unavailable", "none", {})
    assert transport.calls == []
    with pytest.raises(LedgerUnavailableError):
        result.unwrap()


@pytest.mark.requirement("own.intent-before-effect")
@pytest.mark.parametrize("how", ["refuse_append", "refuse_wait"])
@pytest.mark.parametrize("answer", [{"ok": 1}, ValueError("no")])
async def test_an_end_that_cannot_be_written_leaves_the_effect_unknown(how: str, answer: Any) -> None:
    ledger = WatchedLedger()
    getattr(ledger, how).update({"tool.completed", "tool.failed"})
    transport = FakeTransport(answer)
    async with Runtime([over(transport)], ledger=ledger) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.success, result.code, result.effect, result.output) == (False, "ledger_unavailable", "unknown", {})
    assert len(transport.calls) == 1
    assert "ok" not in result.content


async def test_a_refusal_that_cannot_be_written_is_still_a_refusal_of_effect_none(ledger: RecordingLedger) -> None:
    ledger.broken = True
    tool_, transport = fake_tool("t")
    async with Runtime([tool_], ledger=ledger) as runtime:
        for name, call_id in (("nowhere", None), ("t", None), ("t", "c"), ("nowhere", "c")):
            result = await runtime.call(WHO, name, call_id=call_id)
            assert (result.code, result.effect) == ("ledger_unavailable", "none")
        assert runtime._corridor._under_way == {}
    assert transport.calls == []


async def test_whatever_a_ledger_raises_is_a_ledger_that_is_unavailable() -> None:
    class Foreign(RecordingLedger):
        on = ""

        def append(self, draft: Draft, /, *, durable: bool) -> Any:
            if draft.kind in self.on:
                raise OSError(28, "No space left on device")
            return super().append(draft, durable=durable)

        def find(self, call_id: str, /) -> Any:
            if "find" in self.on:
                raise OSError(5, "Input/output error")
            return super().find(call_id)

    for on, effect, runs in (
        ("tool.requested", "none", 0),
        ("tool.completed tool.failed", "unknown", 1),
        ("tool.refused", "none", 0),
        ("find", "none", 0),
    ):
        ledger = Foreign()
        ledger.on = on
        tool_, transport = fake_tool("t")
        async with Runtime([tool_], ledger=ledger) as runtime:
            result = await runtime.call(WHO, "nowhere" if on == "tool.refused" else "t", call_id="c")
        assert (result.code, result.effect, len(transport.calls)) == ("ledger_unavailable", effect, runs), on


async def test_grants_that_cannot_be_put_on_the_ledger_grant_nothing(ledger: RecordingLedger) -> None:
    from licet import GrantSet

    tool_, transport = fake_tool("t")
    async with Runtime([tool_], ledger=ledger) as runtime:
        ledger.broken = True
        result = await runtime.call(holder(GrantSet.full()), "t")
        assert (result.code, result.effect, transport.calls) == ("ledger_unavailable", "none", [])
        assert result.call_id
        with pytest.raises(LedgerUnavailableError):
            runtime.begin(holder(GrantSet.full()))


async def test_a_checkpoint_that_cannot_be_put_on_the_ledger_stops_the_effect() -> None:
    for how in ("refuse_append", "refuse_wait"):
        ledger = WatchedLedger()
        getattr(ledger, how).add("tool.checkpointed")
        ran: list[int] = []

        @tool(writes=True, checkpoint=lambda arguments, context: {}, restore=lambda token, context: None)
        async def t(ran: list[int] = ran) -> None:
            ran.append(1)

        async with Runtime([t], ledger=ledger) as runtime, runtime.run(WHO) as run:
            result = await run.call("t")
            assert (result.code, result.effect, ran) == ("ledger_unavailable", "none", [])
            assert await run.rollback() == [], "there is nothing to undo"


@pytest.mark.requirement("own.denial-touches-nothing")
async def test_a_refused_call_writes_exactly_one_entry(ledger: RecordingLedger) -> None:
    tool_, transport = fake_tool("t", input_schema={"type": "object", "required": ["x"]})
    async with Runtime([tool_], ledger=ledger) as runtime:
        for name, arguments in (("u", {}), ("t", {}), ("t", "{"), ("no name", None), ("t", {"x": float("nan")})):
            before = len(ledger.kinds)
            assert (await runtime.call(WHO, name, arguments)).effect == "none"
            assert ledger.kinds[before:] == ["tool.refused"]
    assert transport.calls == []


async def test_entries_say_what_happened_in_the_body_and_when_and_how_in_the_trace(
    ledger: RecordingLedger, clock: FixedClock
) -> None:
    def slow(arguments: Any) -> Any:
        clock.advance(0.25)
        return {"n": arguments["n"]}

    tool_, _ = fake_tool("t", slow, capabilities=READS)
    clock.advance(1)
    async with Runtime([tool_], ledger=ledger, clock=clock) as runtime, runtime.run(WHO, id="mine") as run:
        await run.call("t", {"n": 1}, call_id="c")
        await run.call("t", call_id="d")
        await run.call("u\u202e", {"n": 1}, call_id="e")
    told = [(e.kind, e.run_id, e.actor, orjson.loads(e.body), orjson.loads(e.trace)) for e in ledger.entries()]
    at = {"at_us": 1_700_000_001_000_000}
    later = {"at_us": 1_700_000_001_250_000}
    last = {"at_us": 1_700_000_001_500_000}
    via = {"tool": "local/t", "via": "fake"}
    assert told == [
        (
            "tool.requested", "mine", "alice", {"call": "c", "tool": "local/t", "arguments": {"n": 1}}, {**at, **via},
        ),
        (
            "tool.completed", "mine", "alice", {"call": "c", "output": {"n": 1}},
            {**later, **via, "duration_us": 250_000},
        ),
        ("tool.requested", "mine", "alice", {"call": "d", "tool": "local/t", "arguments": {}}, {**later, **via}),
        (
            "tool.failed", "mine", "alice",
            {"call": "d", "code": "tool_failed", "effect": "unknown", "reason": "", "error": "KeyError"},
            {**last, **via, "duration_us": 250_000},
        ),
        (
            "tool.refused", "mine", "alice",
            {
                "call": "e", "code": "not_granted", "tool": "u\\u202e", "arguments": {"n": 1},
                "message": told[4][3]["message"],
            },
            last,
        ),
    ]  # fmt: skip


def test_a_durability_or_a_limit_that_is_none_is_a_configuration_error() -> None:
    from licet.errors import ConfigurationError
    from licet.runtime.limits import Limits

    for durability in ("Strict", "", None, "none"):
        with pytest.raises(ConfigurationError, match="durability"):
            Runtime(durability=durability)  # type: ignore[arg-type]
    for name, values in {
        "threads": (0, -1, 1.5, "4", None, True),
        "approval_s": (0, -1.0, float("inf"), float("nan"), "5"),
        "backoff_s": (-0.1, None),
        "arguments_bytes": (0, 1e6),
    }.items():
        for value in values:
            with pytest.raises(ConfigurationError, match=name):
                Limits(**{name: value})
    assert Limits(backoff_s=0, approval_s=1).approval_s == 1


# --- cancellation ---


@pytest.mark.parametrize("held", ["tool.requested", "handler", "tool.completed", "tool.failed", "tool.refused"])
async def test_a_cancelled_call_has_exactly_one_end_wherever_it_was(held: str) -> None:
    ledger = WatchedLedger()
    ledger.held = {held}
    transport = Blocked() if held == "handler" else FakeTransport(ValueError() if held == "tool.failed" else {})
    runtime = Runtime([over(transport)], ledger=ledger, durability="strict")
    name = "nowhere" if held == "tool.refused" else "t"
    call = asyncio.create_task(runtime.call(WHO, name, call_id="c"))
    await (transport.entered.wait() if isinstance(transport, Blocked) else until(lambda: held in ledger.kinds))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    ends = {
        "tool.requested": ["tool.requested", "tool.abandoned"],
        "handler": ["tool.requested", "tool.abandoned"],
        "tool.completed": ["tool.requested", "tool.completed"],
        "tool.failed": ["tool.requested", "tool.failed"],
        "tool.refused": ["tool.refused"],
    }
    assert ledger.kinds == ends[held]
    assert ledger.unknown() == ()
    if ledger.kinds[-1] == "tool.abandoned":
        effect = b'"effect":"none"' if held == "tool.requested" else b'"effect":"unknown"'
        assert effect in list(ledger.entries())[-1].body
    assert runtime._corridor._under_way == {}
    assert runtime._corridor._lane_now().flights == {}
    ledger.release()
    runtime.close()


class Interrupts(FakeTransport):
    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        raise KeyboardInterrupt


def test_a_keyboard_interrupt_passes_and_closes_the_entry(ledger: RecordingLedger) -> None:
    runtime = Runtime([over(Interrupts())], ledger=ledger)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(runtime.call(WHO, "t"))
    assert ledger.kinds == ["tool.requested", "tool.abandoned"]
    runtime.close()
