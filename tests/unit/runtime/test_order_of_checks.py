"""What refuses first when several things are wrong, and that nothing behind the first no is touched."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from doubles import READS, WRITES, Says, Spy, holder
from licet import Ask, Deny, PathPolicy, Permit, Principal, Runtime, ToolCapability
from licet.model.result import ToolResult
from licet.testing import FakeTransport, RecordingLedger, fake_tool

CLOSED = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class Faulty:
    """One call with everything wrong with it; each repair leaves the next fault to be found."""

    def __init__(self) -> None:
        self.granted = self.registered = self.here = self.may_write = False
        self.readable = self.fitting = self.inside = self.ruled = self.approved = False

    async def called(self, ledger: RecordingLedger, transport: FakeTransport, spy: Spy) -> ToolResult:
        def rule(principal: Any, spec: Any, arguments: Any) -> Any:
            return Permit() if self.ruled or arguments is None else Deny("rule_forbids", "the rule")

        tools = []
        if self.registered:
            tool, transport_ = fake_tool(
                "t",
                source="builtin" if self.here else "hosted",
                capabilities=ToolCapability(unsafe=True),
                input_schema=CLOSED,
                path_access="current_project",
                path_arguments=("/path",),
            )
            transport_.calls = transport.calls
            tools = [tool if self.here else type(tool)(tool.spec)]
        runtime = Runtime(tools, ledger=ledger, approver=Says(self.approved), checks=[rule])
        runtime.attach(spy)
        who = Principal(
            "alice",
            grants=["t"] if self.granted else [],
            mode="workspace_write" if self.may_write else "read_only",
            paths=PathPolicy.current_project("/project"),
        )
        arguments: Any = {"path": "inside.txt" if self.inside else "../outside.txt"} if self.fitting else {"path": 1}
        result = await runtime.call(who, "t", arguments if self.readable else "{")
        runtime.close()
        return result


async def test_the_checks_refuse_in_the_order_of_the_contract(ledger: RecordingLedger) -> None:
    call, transport, spy = Faulty(), FakeTransport(), Spy()
    for repair, code in [
        (None, "not_granted"),
        ("granted", "unknown_tool"),
        ("registered", "hosted_tool"),
        ("here", "mode_forbids"),
        ("may_write", "invalid_arguments"),
        ("readable", "invalid_arguments"),
        ("fitting", "path_violation"),
        ("inside", "rule_forbids"),
        ("ruled", "approval_denied"),
    ]:
        if repair:
            setattr(call, repair, True)
        result = await call.called(ledger, transport, spy)
        assert (result.success, result.code, result.effect) == (False, code, "none"), repair
        assert transport.calls == []
    call.approved = True
    assert (await call.called(ledger, transport, spy)).success
    assert transport.calls == [{"path": "inside.txt"}]
    assert spy.seen == [("has", "t")], "the resolver is asked once: when the name was granted and not registered"
    assert ledger.kinds.count("tool.requested") == 1
    assert len([kind for kind in ledger.kinds if kind in ("tool.refused", "tool.denied")]) == 9


async def test_unreadable_arguments_are_told_before_the_paths_that_they_might_have_held(
    ledger: RecordingLedger,
) -> None:
    tool, transport = fake_tool("t", path_access="current_project", input_schema=CLOSED, path_arguments=("/path",))
    async with Runtime([tool], ledger=ledger) as runtime:
        result = await runtime.call(holder("t"), "t", "not json")
        assert result.code == "invalid_arguments"
        denial = runtime.why(holder("t"), "t", "not json").denial
        assert denial is not None
        assert denial.code == "invalid_arguments"
    assert transport.calls == []


@pytest.mark.requirement("call.grant-before-transport", "own.denial-touches-nothing")
@pytest.mark.parametrize("exists", [True, False])
async def test_an_ungranted_name_is_refused_before_any_lookup(ledger: RecordingLedger, exists: bool) -> None:
    tool, transport = fake_tool("secret")
    looked: list[str] = []
    spy = Spy(secret=dict, other=dict)
    runtime = Runtime([tool] if exists else [], ledger=ledger, checks=[lambda *_: looked.append("check") or Permit()])
    runtime.attach(spy)
    for name in ("secret", "local/secret", "SECRET", "secret ", "local//secret", "", "../secret", "a/b.secret"):
        result = await runtime.call(holder("other"), name, {"x": 1})
        assert (result.code, result.effect) == ("not_granted", "none"), name
    assert (looked, spy.seen, transport.calls) == ([], [], [])
    assert ledger.kinds == ["tool.refused"] * 8
    runtime.close()


VERDICTS: dict[str, Callable[..., Any]] = {
    "permit": lambda *_: Permit(),
    "ask": lambda *_: Ask("please"),
    "deny": lambda *_: Deny("rule_forbids", "no"),
    "raise": lambda *_: 1 // 0,
    "exit": lambda *_: exit(3),
    "nothing": lambda *_: None,
    "true": lambda *_: True,
    "class": lambda *_: Permit,
    "deny of nothing": lambda *_: Deny(None, None),  # type: ignore[arg-type]
    "ask of nothing": lambda *_: Ask(None),  # type: ignore[arg-type]
    "deny in half characters": lambda *_: Deny("rule_forbids", "\ud800"),
}


def test_deny_beats_ask_beats_permit_in_any_order_and_whatever_is_no_verdict_denies() -> None:
    import asyncio

    async def campaign() -> None:
        shuffled = random.Random(7)
        for _ in range(300):
            chosen = shuffled.sample(sorted(VERDICTS), k=shuffled.randint(1, 5))
            tool, transport = fake_tool("t", capabilities=WRITES)
            approver = Says(True)
            runtime = Runtime([tool], approver=approver, checks=[VERDICTS[name] for name in chosen])
            result = await runtime.call(holder("t"), "t")
            listed = runtime.tools_for(holder("t"))
            bad = [name for name in chosen if name not in ("permit", "ask")]
            assert result.success is bool(not bad), chosen
            assert len(transport.calls) == (not bad)
            assert bool(listed) is bool(not bad)
            assert len(approver.asked) == (not bad and "ask" in chosen), "nobody is asked about what is denied anyway"
            if bad:
                assert result.code == ("rule_forbids" if bad[0] == "deny" else "check_failed")
                assert result.effect == "none"
            runtime.close()

    asyncio.run(campaign())


async def test_a_check_that_denies_while_listing_denies_the_call_whatever_it_says_then() -> None:
    for listing, calling, runs in [
        (Permit(), Permit(), True),
        (Deny("rule_forbids", "hidden"), Permit(), False),
        (Permit(), Deny("rule_forbids", "not so"), False),
        (None, Permit(), False),
        (Permit(), None, False),
        (Ask("listing"), Permit(), True),
        (Permit(), Ask("calling"), True),
        (Ask("listing"), Ask("calling"), True),
        (Ask("listing"), Deny("rule_forbids", "not so"), False),
        (Ask("listing"), None, False),
        (None, Ask("calling"), False),
        (True, Deny("rule_forbids", "not so"), False),
    ]:
        tool, transport = fake_tool("t")
        approver = Says(True)
        async with Runtime(
            [tool],
            approver=approver,
            checks=[lambda p, s, a, listing=listing, calling=calling: calling if a else listing],
        ) as runtime:
            result = await runtime.call(holder("t"), "t", {"a": 1})
            assert runtime.why(holder("t"), "t", {"a": 1}).allowed is runs, (listing, calling)
            assert runtime.tools_for(holder("t")) or not runs, "what runs was listed"
        assert result.success is runs, (listing, calling)
        assert len(transport.calls) == runs
        assert len(approver.asked) == (runs and (isinstance(listing, Ask) or isinstance(calling, Ask)))


async def test_a_built_in_check_that_raises_denies(monkeypatch: pytest.MonkeyPatch) -> None:
    tool, transport = fake_tool("t", path_access="current_project", input_schema=CLOSED, path_arguments=("/path",))
    monkeypatch.setattr("licet.policy.judge.paths_fit", lambda *_: 1 // 0)
    async with Runtime([tool]) as runtime:
        who = holder("t", paths=PathPolicy.current_project("/project"))
        result = await runtime.call(who, "t", {"path": "a"})
        assert (result.code, result.effect, transport.calls) == ("check_failed", "none", [])
        assert runtime.tools_for(who) == []
        denial = runtime.why(who, "t", {"path": "a"}).denial
        assert denial is not None
        assert denial.code == "check_failed"


@pytest.mark.parametrize("word", [None, True, "permit", Permit])
async def test_a_built_in_check_that_gives_no_verdict_denies(monkeypatch: pytest.MonkeyPatch, word: Any) -> None:
    tool, transport = fake_tool("t", path_access="current_project", input_schema=CLOSED, path_arguments=("/path",))
    monkeypatch.setattr("licet.policy.judge.paths_fit", lambda *_: word)
    async with Runtime([tool]) as runtime:
        who = holder("t", paths=PathPolicy.current_project("/project"))
        result = await runtime.call(who, "t", {"path": "a"})
        assert (result.code, result.effect, transport.calls) == ("check_failed", "none", [])
        assert runtime.tools_for(who) == []
        assert not runtime.why(who, "t", {"path": "a"}).allowed


async def test_each_check_gets_its_own_copy_and_changes_nothing() -> None:
    seen: list[Any] = []

    def greedy(principal: Principal, spec: Any, arguments: Any) -> Permit:
        if arguments is not None:
            seen.append(dict(arguments))
            arguments["amount"] = 1_000_000
            arguments.clear()
        return Permit()

    tool, transport = fake_tool("pay", capabilities=READS)
    async with Runtime([tool], checks=[greedy, greedy]) as runtime:
        given = {"amount": 1}
        result = await runtime.call(holder("pay"), "pay", given)
    assert result.success
    assert seen == [{"amount": 1}, {"amount": 1}]
    assert transport.calls == [{"amount": 1}]
    assert given == {"amount": 1}
