"""A granted name that is not registered is asked of the attached resolver, and of nobody else."""

import asyncio
import threading
from typing import Any

import pytest

from doubles import Spy, holder, until
from licet import Deny, Principal, Runtime, ToolCapability, ToolRegistry
from licet.errors import ServerUnavailableError, UnknownToolError
from licet.model.names import short
from licet.testing import RecordingLedger, fake_tool

WHO = holder("near", "far", "nowhere")


def answer() -> dict[str, Any]:
    return {}


class Manifest:
    tools = ("near", "far", "nowhere")


@pytest.mark.requirement("resolver.in-process-first")
async def test_a_registered_tool_is_called_here_though_the_resolver_has_its_name_too(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("near", {"from": "here"})
    spy = Spy(near=lambda **_: {"from": "afar"})
    async with Runtime([tool], ledger=ledger) as runtime:
        runtime.attach(spy)
        assert (await runtime.call(WHO, "near", {"a": 1})).output == {"from": "here"}
    assert transport.calls == [{"a": 1}]
    assert spy.seen == []
    registry = ToolRegistry()
    registry.register("near", "Here.", lambda **params: {"from": "here"})
    registry.set_resolver(spy)
    assert registry.call("alice", Manifest, "near", {"a": 1}) == {"from": "here"}
    assert spy.seen == []
    registry.close()


@pytest.mark.requirement("resolver.fallback")
async def test_a_granted_name_goes_to_the_resolver_with_exactly_its_params(ledger: RecordingLedger) -> None:
    spy = Spy(far=lambda **params: {"got": params})
    params = {"b": [1, 2.5, None, {"x": True}], "a": "é"}
    async with Runtime(ledger=ledger) as runtime:
        runtime.attach(spy)
        result = await runtime.call(WHO, "far", params)
        assert result.output == {"got": params}
        assert (await runtime.call(WHO, "local/far", params)).success
        assert (await runtime.call(WHO, "nowhere", params)).code == "unknown_tool"
        runtime.attach(None)
        assert (await runtime.call(WHO, "far", params)).code == "unknown_tool"
    assert spy.seen == [("has", "far"), ("call", "far", params)] * 2 + [("has", "nowhere")]
    assert ledger.kinds == ["tool.requested", "tool.completed"] * 2 + ["tool.refused"] * 2
    trace = next(iter(ledger.entries())).trace
    assert b'"via":"resolver"' in trace
    body = next(iter(ledger.entries())).body
    assert b'"tool":"local/far"' in body, "the ledger names the tool as it was granted"


def test_the_seeds_door_raises_a_key_error_where_nobody_has_the_tool() -> None:
    registry = ToolRegistry()
    spy = Spy(far=lambda **params: params)
    registry.set_resolver(spy)
    assert registry.call("alice", Manifest, "far", {"a": 1}) == {"a": 1}
    with pytest.raises(KeyError) as raised:
        registry.call("alice", Manifest, "nowhere", {})
    assert isinstance(raised.value, UnknownToolError)
    assert raised.value.tool_name == "local/nowhere"
    assert "nowhere" in str(raised.value)
    registry.close()


@pytest.mark.requirement("call.grant-before-transport", "own.denial-touches-nothing")
async def test_a_resolver_sees_nothing_of_a_name_that_is_not_granted(ledger: RecordingLedger) -> None:
    spy = Spy(far=dict)
    async with Runtime(ledger=ledger) as runtime:
        runtime.attach(spy)
        for who in (holder(), holder("farther"), holder("mcp/far")):
            assert (await runtime.call(who, "far")).code == "not_granted"
    assert spy.seen == []


async def test_a_resolvers_tool_counts_as_writing_and_is_refused_before_it_is_called() -> None:
    spy = Spy(far=dict)
    async with Runtime() as runtime:
        runtime.attach(spy)
        assert (await runtime.call(Principal("r", grants=["far"]), "far")).code == "mode_forbids"
        assert (await runtime.call(WHO, "far", "no json")).code == "invalid_arguments"
    assert {seen[0] for seen in spy.seen} == {"has"}


async def test_a_resolver_that_fails_to_answer_is_a_refusal_and_nothing_ran(ledger: RecordingLedger) -> None:
    for has in (lambda: 1 // 0, lambda: exit(3)):
        spy = Spy(far=dict)
        spy.has = lambda tool, has=has: has()  # type: ignore[method-assign, assignment, misc]
        async with Runtime(ledger=ledger) as runtime:
            runtime.attach(spy)
            result = await runtime.call(WHO, "far")
            assert (result.code, result.reason, result.effect) == ("check_failed", "resolver_failed", "none")
    assert ledger.kinds == ["tool.refused"] * 2


async def test_a_resolver_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, ledger: RecordingLedger) -> None:
    monkeypatch.setattr("licet.runtime.resolve.PATIENCE_S", 0.01)
    release = threading.Event()
    spy = Spy(far=dict)
    spy.has = lambda tool: release.wait(20)  # type: ignore[method-assign, assignment, misc]
    async with Runtime(ledger=ledger) as runtime:
        runtime.attach(spy)
        result = await runtime.call(WHO, "far")
        assert (result.code, result.reason, result.effect) == ("check_failed", "resolver_failed", "none")
        release.set()
    assert ledger.kinds == ["tool.refused"]


async def test_what_a_resolver_raises_or_gives_is_a_result_like_any_other(ledger: RecordingLedger) -> None:
    def fails(**_: Any) -> Any:
        raise ValueError("secret")

    def broken(**_: Any) -> Any:
        raise ConnectionError

    calls: list[int] = []

    def flaky(**_: Any) -> Any:
        calls.append(1)
        raise ConnectionError

    spy = Spy(fails=fails, broken=broken, odd=lambda: object(), flaky=flaky, seven=lambda: 7)
    async with Runtime(ledger=ledger) as runtime:
        runtime.attach(spy)
        who = holder("fails", "broken", "odd", "flaky", "seven")
        codes = {name: (await runtime.call(who, name)).code for name in ("fails", "broken", "odd", "flaky", "seven")}
        text = (await runtime.call(who, "fails")).content
    assert codes == {
        "fails": "tool_failed", "broken": "transport", "odd": "invalid_result", "flaky": "transport", "seven": None,
    }  # fmt: skip
    assert "secret" not in text
    assert calls == [1], "nothing says that it may be tried twice"


async def test_a_resolver_may_be_asynchronous() -> None:
    class Asynchronous:
        async def has(self, tool: str, /) -> bool:
            await asyncio.sleep(0)
            return tool == "far"

        def describe(self, tool: str, /) -> str:
            return ""

        async def call(self, tool: str, params: Any, /) -> Any:
            await asyncio.sleep(0)
            return {"got": params}

    async with Runtime() as runtime:
        runtime.attach(Asynchronous())  # type: ignore[arg-type]
        assert (await runtime.call(WHO, "far", {"a": 1})).output == {"got": {"a": 1}}
        assert (await runtime.call(WHO, "nowhere")).code == "unknown_tool"


async def test_a_caller_that_goes_away_while_the_resolver_is_asked_leaves_no_thread_waiting() -> None:
    entered, release = threading.Event(), threading.Event()
    spy = Spy(far=dict)

    def has(tool: str) -> bool:
        entered.set()
        return release.wait(20)

    spy.has = has  # type: ignore[method-assign, assignment]
    async with Runtime() as runtime:
        runtime.attach(spy)
        call = asyncio.create_task(runtime.call(WHO, "far"))
        await until(entered.is_set)
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        release.set()
    assert "call" not in {seen[0] for seen in spy.seen}


@pytest.mark.requirement("resolver.describe")
def test_descriptions_are_the_registered_ones_and_else_the_resolvers() -> None:
    registry = ToolRegistry()
    registry.register("near", "Here.", answer)
    spy = Spy(near=dict, far=dict)
    registry.set_resolver(spy)
    described = registry.describe(["near", "far", "local/far", "nowhere", "no name", "local/near"])
    assert described == {
        "near": "Here.", "far": "far from afar", "local/far": "far from afar", "local/near": "Here.",
    }  # fmt: skip
    assert list(described) == ["near", "far", "local/far", "local/near"], "in the order they were asked for"
    assert ("has", "near") not in spy.seen
    registry.set_resolver(None)
    assert registry.describe(["near", "far"]) == {"near": "Here."}
    registry.close()


@pytest.mark.requirement("resolver.describe")
def test_a_prompt_is_the_same_bytes_whichever_side_has_the_tool() -> None:
    here, there = ToolRegistry(), ToolRegistry()
    here.register("far", "far from afar", answer)
    there.set_resolver(Spy(far=dict))
    assert list(here.describe(["far"]).items()) == list(there.describe(["far"]).items())
    here.close()
    there.close()


class Finding(Spy):
    """One that hands over the tools themselves; one name of them cannot be had now."""

    def __init__(self, *made: Any) -> None:
        super().__init__()
        self.made = {f"mcp/far.{tool.spec.name.partition('/')[2]}": tool for tool in made}

    def find(self, tool: str, /) -> Any:
        self.seen.append(("find", tool))
        if tool == "dead":
            raise ServerUnavailableError("nobody answers", tool_name=tool)
        return self.made.get(tool if "/" in tool else f"mcp/far.{tool}")


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.requirement("own.listed-iff-callable")
@pytest.mark.parametrize("mode", ["read_only", "workspace_write"])
async def test_what_a_resolver_holds_is_listed_under_its_grants_exactly_where_it_may_be_called(mode: Any) -> None:
    reads, _ = fake_tool("reads", {"a": 1}, input_schema=SCHEMA, capabilities=ToolCapability(read_only=True))
    writes, _ = fake_tool("writes", {"a": 1}, input_schema=SCHEMA, description="Writes.")
    near, _ = fake_tool("near", {"from": "here"})
    resolver = Finding(reads, writes)
    grants = ("near", "reads", "mcp/far.writes", "dead", "nowhere")
    async with Runtime([near]) as runtime:
        runtime.attach(resolver)
        run = runtime.begin(Principal("alice", grants=grants, mode=mode))
        listed = {spec.name: spec for spec in await runtime.resolved_for(run.principal)}
        assert {asked for _, asked in resolver.seen} == {"reads", "mcp/far.writes", "dead", "nowhere"}
        called = {name: (await run.call(name, {"n": 1})).success for name in grants if name != "near"}
    assert {short(name) for name in listed} == {name for name, success in called.items() if success}
    assert set(listed) == {"local/reads"} | ({"mcp/far.writes"} if mode == "workspace_write" else set())
    assert all(dict(spec.input_schema) == SCHEMA for spec in listed.values())


async def test_nothing_is_asked_of_a_resolver_for_whom_it_grants_nothing() -> None:
    resolver = Finding()
    async with Runtime() as runtime:
        assert await runtime.resolved_for(WHO) == []
        runtime.attach(resolver)
        runtime.withhold({"mcp/far": Deny("server_unavailable", "gone")})
        assert await runtime.resolved_for(Principal("alice", grants=["mcp/far.x"])) == []
    assert resolver.seen == []
