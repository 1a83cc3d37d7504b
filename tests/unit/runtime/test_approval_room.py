"""A yes covers exactly one call as it was shown; anything else about it, or about who says it, is a no."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from doubles import READS, Says, Spy, WatchedLedger, holder, over
from licet import Ask, Permit, Runtime, ToolCapability, ToolRegistry, ToolRunner
from licet.errors import ApprovalDeniedError, ApprovalExpiredError
from licet.policy.judge import Judgement
from licet.ports import ApprovalRequest
from licet.runtime.authorize import Approval, AuthorizedCall, NeedsApproval, authorize, binding
from licet.runtime.limits import Limits
from licet.testing import FakeTransport, FixedClock, RecordingLedger, fake_tool

UNSAFE = ToolCapability(unsafe=True)
WHO = holder("t")


class Waits:
    """An approver that answers when it is told to."""

    name = "bob"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[Any] | None = None

    async def approve(self, request: ApprovalRequest, /) -> Any:
        self.answer = asyncio.get_running_loop().create_future()
        self.asked.set()
        return await self.answer

    def say(self, word: Any) -> None:
        assert self.answer is not None
        self.answer.set_result(word)


async def test_the_approver_sees_the_whole_call_and_the_ledger_holds_the_yes(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE, description="Fires \u202e\x1b[2J")
    approver = Says(True)
    async with Runtime([tool], ledger=ledger, approver=approver) as runtime:
        result = await runtime.call(WHO, "t", {"b": [1, "\u202e"], "a": None})
    assert result.success
    assert transport.calls == [{"a": None, "b": [1, "\u202e"]}]
    (request,) = approver.asked
    assert (request.principal, request.tool, request.mode) == ("alice", "t", "workspace_write")
    assert request.arguments == '{"a":null,"b":[1,"\u202e"]}', "canonical, and the very text that runs"
    assert request.description == "Fires \\u202e\\u001b\\u005b2J"
    assert request.pin.startswith("sha256:")
    assert request.reasons == ("it is declared unsafe",)
    assert ledger.kinds == ["tool.approved", "tool.requested", "tool.completed"]


@pytest.mark.requirement("capability.enforced", "own.approval-binding")
@pytest.mark.parametrize(
    ("word", "code", "reason"),
    [
        (False, "approval_denied", ""),
        (None, "approval_denied", ""),
        (1, "approval_denied", ""),
        ("yes", "approval_denied", ""),
        ([True], "approval_denied", ""),
        (Permit(), "approval_denied", ""),
        (ValueError("secret"), "approval_denied", "approver_failed"),
        (SystemExit(0), "approval_denied", "approver_failed"),
        (asyncio.CancelledError(), "approval_denied", "approver_failed"),
        (TimeoutError(), "approval_expired", ""),
    ],
)
async def test_only_true_is_a_yes(ledger: RecordingLedger, word: Any, code: str, reason: str) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    async with Runtime([tool], ledger=ledger, approver=Says(word)) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.code, result.reason, result.effect) == (code, reason, "none")
    assert "secret" not in result.content
    assert transport.calls == []
    assert ledger.kinds == ["tool.denied"], "a refused call writes exactly one entry"
    with pytest.raises(ApprovalDeniedError if code == "approval_denied" else ApprovalExpiredError):
        result.unwrap()


async def test_an_approver_that_is_none_refuses(ledger: RecordingLedger) -> None:
    class Nameless:
        async def approve(self, request: Any, /) -> bool:
            return True

    class Synchronous:
        name = "bob"

        def approve(self, request: Any, /) -> bool:
            return True

    for approver in (Nameless(), Synchronous(), object()):
        tool, transport = fake_tool("t", capabilities=UNSAFE)
        async with Runtime([tool], ledger=ledger, approver=approver) as runtime:  # type: ignore[arg-type]
            result = await runtime.call(WHO, "t")
        assert (result.code, result.reason, transport.calls) == ("approval_denied", "approver_failed", [])


@pytest.mark.requirement("own.approval-binding")
async def test_nobody_approves_their_own_call() -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    approver = Says(True, name="alice")
    async with Runtime([tool], approver=approver) as runtime:
        result = await runtime.call(WHO, "t")
        assert (result.code, result.reason) == ("approval_denied", "self_approval")
        assert (await runtime.call(holder("t", name="carol"), "t")).success
    assert len(approver.asked) == len(transport.calls) == 1


@pytest.mark.requirement("own.approval-binding")
@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_yes_that_comes_late_is_a_no(ledger: RecordingLedger, stubborn: bool) -> None:
    class Late:
        name = "bob"

        async def approve(self, request: Any, /) -> bool:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if not stubborn:
                    raise
            return True

    tool, transport = fake_tool("t", capabilities=UNSAFE)
    clock = FixedClock()  # stands still: the wait itself is what ended
    async with Runtime([tool], ledger=ledger, approver=Late(), clock=clock, limits=Limits(approval_s=0.01)) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.code, result.effect, transport.calls) == ("approval_expired", "none", [])
    assert ledger.kinds == ["tool.denied"]


async def test_a_yes_that_the_clock_or_the_ledger_overtook_is_a_no(clock: FixedClock) -> None:
    for where in ("approver", "ledger"):
        ledger = WatchedLedger()
        tool, transport = fake_tool("t", capabilities=UNSAFE)

        def slow(request: Any, where: str = where) -> bool:
            if where == "approver":
                clock.advance(301)
            return True

        if where == "ledger":
            ledger.held = {"tool.approved"}
        async with Runtime([tool], ledger=ledger, approver=Says(slow), clock=clock) as runtime:
            call = asyncio.create_task(runtime.call(WHO, "t"))
            if where == "ledger":
                await ledger.appended.wait()
                clock.advance(301)
                ledger.release()
            result = await call
        assert (result.code, result.effect, transport.calls) == ("approval_expired", "none", []), where


def other_tool(runtime: Runtime, run: Any) -> None:
    runtime.register(fake_tool("t", capabilities=UNSAFE)[0], replace=True)


def other_schema(runtime: Runtime, run: Any) -> None:
    runtime.register(
        fake_tool("t", capabilities=UNSAFE, input_schema={"type": "object", "title": "x"})[0], replace=True
    )


def harmless_tool(runtime: Runtime, run: Any) -> None:
    runtime.register(fake_tool("t", capabilities=READS)[0], replace=True)


def no_tool(runtime: Runtime, run: Any) -> None:
    runtime.remove("t")


def resolvers_tool(runtime: Runtime, run: Any) -> None:
    runtime.remove("t")
    runtime.attach(Spy(t=dict))


def other_name(runtime: Runtime, run: Any) -> None:
    run.principal = holder("t", name="mallory")


def other_mode(runtime: Runtime, run: Any) -> None:
    run.principal = holder("t", mode="danger_full_access")


def lesser_mode(runtime: Runtime, run: Any) -> None:
    run.principal = holder("t", mode="read_only")


def no_grant(runtime: Runtime, run: Any) -> None:
    run.principal = holder()


def more_grants(runtime: Runtime, run: Any) -> None:
    run.principal = holder("t", "u")


@pytest.mark.requirement("own.approval-binding")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (other_tool, "approval_denied"),
        (other_schema, "approval_denied"),
        (harmless_tool, "approval_denied"),
        (no_tool, "unknown_tool"),
        (resolvers_tool, "approval_denied"),
        (other_name, "approval_denied"),
        (other_mode, "approval_denied"),
        (lesser_mode, "mode_forbids"),
        (no_grant, "not_granted"),
        (more_grants, "approval_denied"),
    ],
)
async def test_what_changes_while_the_approver_waits_refuses(
    ledger: RecordingLedger, change: Callable[[Runtime, Any], None], code: str
) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    approver = Waits()
    async with Runtime([tool], ledger=ledger, approver=approver) as runtime, runtime.run(WHO) as run:
        call = asyncio.create_task(run.call("t", {"a": 1}))
        await approver.asked.wait()
        change(runtime, run)
        approver.say(True)
        result = await call
    assert (result.code, result.effect, transport.calls) == (code, "none", [])
    if code == "approval_denied":
        assert result.reason == "changed_while_pending"
    assert ledger.kinds[0] == "tool.approved"
    assert "tool.requested" not in ledger.kinds
    assert len(ledger.kinds) == 2


async def test_a_tool_that_was_deactivated_while_the_approver_waited_does_not_run(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    registry = ToolRegistry(ledger=ledger)
    registry.register(tool)
    runner: ToolRunner
    runner = ToolRunner(registry, approver=Says(lambda request: runner.deactivate("t")))
    runner.activate("t")
    result = runner.execute("t")
    assert (result.success, result.effect, transport.calls) == (False, "none", [])
    registry.close()


async def test_arguments_that_change_while_the_approver_waits_are_not_what_runs() -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    approver = Waits()
    given = {"amount": 1, "to": ["a"]}
    async with Runtime([tool], approver=approver) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t", given))
        await approver.asked.wait()
        given["amount"] = 1_000_000
        given["to"].append("b")  # type: ignore[attr-defined]
        approver.say(True)
        assert (await call).success
    assert transport.calls == [{"amount": 1, "to": ["a"]}]


@pytest.mark.requirement("own.approval-binding")
async def test_a_yes_is_for_one_call_and_the_same_call_asks_again(ledger: RecordingLedger) -> None:
    tool, _ = fake_tool("t", capabilities=UNSAFE)
    answers = iter([True, False, True])
    approver = Says(lambda request: next(answers))
    async with Runtime([tool], ledger=ledger, approver=approver) as runtime:
        results = [await runtime.call(WHO, "t", {"a": 1}) for _ in range(3)]
    assert [result.success for result in results] == [True, False, True]
    assert len(approver.asked) == 3
    assert len({entry.body for entry in ledger.entries() if entry.kind == "tool.approved"}) == 2


@pytest.mark.requirement("own.approval-binding")
def test_any_difference_in_what_a_yes_is_bound_to_is_another_binding() -> None:
    from licet.catalog import Bound
    from licet.model.call import ToolCall

    def bound(name: str = "t", **spec: Any) -> Bound:
        return Bound(over(FakeTransport(), name, capabilities=UNSAFE, **spec))

    def check(*_: Any) -> Any:
        return Ask("x")

    by, tool = Judgement((check,), True), bound()
    call = ToolCall("c", "r", WHO, "local/t", b'{"a":1}')
    yes = Approval(binding(call, tool, by, "n", 5), "n", 5, "bob")
    again = authorize(call, {"a": 1}, tool, by, yes)
    assert isinstance(again, AuthorizedCall)
    for other in (
        (call._replace(id="d"), tool, by, yes),
        (call._replace(run_id="s"), tool, by, yes),
        (call._replace(payload=b'{"a":2}'), tool, by, yes),
        (call._replace(principal=holder("t", name="eve")), tool, by, yes),
        (call._replace(principal=holder("t", "u")), tool, by, yes),
        (call._replace(principal=holder("t", mode="danger_full_access")), tool, by, yes),
        (call, bound(description="another"), by, yes),
        (call, bound(title="another"), by, yes),
        (call, bound(output_schema={"type": "object"}), by, yes),
        (call, tool, Judgement((), True), yes),
        (call, tool, Judgement((check, check), True), yes),
        (call, tool, by, yes._replace(nonce="m")),
        (call, tool, by, yes._replace(expires_ns=6)),
        (call, tool, by, yes._replace(binding=yes.binding[::-1])),
    ):
        changed, its_tool, its_by, its_yes = other
        verdict = authorize(changed, {"a": 1}, its_tool, its_by, its_yes)
        assert not isinstance(verdict, AuthorizedCall), other
    assert isinstance(authorize(call, {"a": 1}, tool, by), NeedsApproval)


async def test_a_ledger_that_cannot_hold_the_yes_refuses(ledger: RecordingLedger) -> None:
    for refusing in ("refuse_append", "refuse_wait"):
        watched = WatchedLedger()
        getattr(watched, refusing).add("tool.approved")
        tool, transport = fake_tool("t", capabilities=UNSAFE)
        async with Runtime([tool], ledger=watched, approver=Says(True)) as runtime:
            result = await runtime.call(WHO, "t")
        assert (result.code, result.effect, transport.calls) == ("ledger_unavailable", "none", [])
        assert "tool.requested" not in watched.kinds


async def test_a_caller_that_goes_away_while_somebody_is_asked_leaves_one_entry(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    approver = Waits()
    async with Runtime([tool], ledger=ledger, approver=approver) as runtime:
        call = asyncio.create_task(runtime.call(WHO, "t", call_id="c"))
        await approver.asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert ledger.kinds == ["tool.denied"]
        assert transport.calls == []
        assert runtime._corridor._under_way == {}


async def test_a_caller_that_is_about_to_go_away_asks_nobody(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("t", capabilities=UNSAFE)
    approver = Waits()
    async with Runtime([tool], ledger=ledger, approver=approver) as runtime:

        async def caller() -> None:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()  # delivered at the next await
            await runtime.call(WHO, "t", call_id="c")

        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(caller())
        assert not approver.asked.is_set()
        assert (ledger.kinds, transport.calls) == (["tool.denied"], [])
