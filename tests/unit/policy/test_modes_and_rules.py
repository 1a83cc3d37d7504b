"""Run modes by fact and never by name; rules only tighten."""

from typing import Any, get_args

import pytest

from doubles import READS, Says, holder
from licet import Principal, Runtime, ToolCapability, ToolSpec
from licet.errors import ConfigurationError
from licet.model.paths import RUN_MODES
from licet.model.tool import Category
from licet.model.verdict import PERMIT, Deny
from licet.policy.judge import relevant
from licet.policy.modes import mode_allows
from licet.policy.rules import ask_before, forbid
from licet.testing import RecordingLedger, fake_tool

FLAGS = {
    "nothing": (ToolCapability(), False),
    "reads": (ToolCapability(read_only=True), True),
    "writes": (ToolCapability(writes=True), False),
    "idempotent": (ToolCapability(idempotent=True), False),
    "reads, unsafe": (ToolCapability(read_only=True, unsafe=True), True),
}


@pytest.mark.requirement("mode.visibility")
@pytest.mark.parametrize("flags", sorted(FLAGS))
def test_a_read_only_run_lists_what_reads_by_fact_and_every_other_run_the_rest_too(flags: str) -> None:
    capabilities, reads = FLAGS[flags]
    spec = ToolSpec(name="t", capabilities=capabilities)
    for mode in RUN_MODES:
        allowed = mode_allows(Principal("p", mode=mode), spec)
        assert (allowed is PERMIT) is (reads or mode != "read_only")
        assert allowed is PERMIT or (isinstance(allowed, Deny) and allowed.code == "mode_forbids")


@pytest.mark.requirement("contract.name-is-not-classification")
async def test_a_name_changes_no_verdict(ledger: RecordingLedger) -> None:
    for name in ("read", "write", "rm-rf", "team/read_only", "ls", "mcp/a.b"):
        for capabilities, runs in ((READS, True), (ToolCapability(writes=True), False)):
            tool, transport = fake_tool(name, capabilities=capabilities)
            async with Runtime([tool], ledger=ledger) as runtime:
                who = Principal("p", grants=[name])
                assert bool(runtime.tools_for(who)) is runs
                assert (await runtime.call(who, name)).success is runs
                assert len(transport.calls) is int(runs)


@pytest.mark.requirement("contract.name-is-not-classification")
def test_no_claim_category_group_or_title_is_a_fact_either() -> None:
    from licet.model.tool import Annotations

    claims = Annotations(read_only=True, destructive=False, idempotent=True)
    for category in get_args(Category):
        spec = ToolSpec(
            name="read", title="Read", category=category, group="read_only_builtins", annotations=claims, source="mcp"
        )
        assert isinstance(mode_allows(Principal("p"), spec), Deny)


@pytest.mark.requirement("mode.hidden-call-refused")
async def test_a_hidden_tool_is_refused_under_every_spelling(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("write")
    async with Runtime([tool], ledger=ledger) as runtime:
        who = Principal("p", grants=["write"])
        for name in ("write", "local/write", "WRITE", "write ", "local//write", "./write", "wr\u0456te", "\uff57rite"):
            result = await runtime.call(who, name, {"path": "x"})
            assert (result.success, result.effect) == (False, "none")
            assert "there is no tool of this name" in result.content
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"] * 8


def test_only_what_comes_with_licet_is_an_intrinsic() -> None:
    def intrinsic(source: Any) -> ToolSpec:
        return ToolSpec(name="t", tool_type="intrinsic", source=source, capabilities=ToolCapability(writes=True))

    assert mode_allows(Principal("p"), intrinsic("builtin")) is PERMIT
    for source in ("dynamic", "mcp", "hosted"):
        assert isinstance(mode_allows(Principal("p"), intrinsic(source)), Deny)
        assert any(check.__name__ == "_mode" for check in relevant(intrinsic(source)))


def test_what_is_left_out_at_registration_could_only_have_permitted() -> None:
    """``relevant`` saves checks; it may never save one that has something to say."""
    names = {check.__name__ for check in relevant(ToolSpec(name="t", capabilities=READS))}
    assert names == {"arguments_fit"}
    worst = ToolSpec(name="t", source="hosted", capabilities=ToolCapability(unsafe=True), path_access="current_project")
    assert [check.__name__ for check in relevant(worst)] == [
        "_callable_here", "_mode", "arguments_fit", "_paths", "_approval",
    ]  # fmt: skip


async def test_a_rule_of_the_operator_forbids_or_asks_and_permits_nothing() -> None:
    rules = [forbid("a", "team/b", reason="not here"), ask_before("c", reason="think twice")]
    tools, transports = zip(*(fake_tool(name) for name in ("a", "team/b", "c", "d")), strict=True)
    approver = Says(True)
    async with Runtime(tools, checks=rules, approver=approver) as runtime:
        who = holder("a", "team/b", "c")
        for name in ("a", "local/a", "team/b"):
            result = await runtime.call(who, name)
            assert (result.code, result.effect) == ("rule_forbids", "none")
            assert "not here" in str(result.error)
        assert (await runtime.call(who, "c")).success
        assert approver.asked[0].reasons == ("think twice",)
        assert (await runtime.call(who, "d")).code == "not_granted", "a rule grants nothing"
        assert [spec.name for spec in runtime.tools_for(who)] == ["local/c"]
    assert [len(transport.calls) for transport in transports] == [0, 0, 1, 0]
    with pytest.raises(ConfigurationError):
        forbid("no name", reason="x")


async def test_a_code_of_your_own_check_is_told_and_unwraps_as_a_rule_violation() -> None:
    from licet.errors import RuleViolation

    tool, _ = fake_tool("t")
    deny = Deny("office_hours", "come back at nine", reason="closed", remedy="wait")
    async with Runtime([tool], checks=[lambda *_: deny]) as runtime:
        result = await runtime.call(holder("t"), "t")
    assert (result.code, result.error, result.reason) == ("office_hours", "come back at nine", "closed")
    assert result.metadata["remedy"] == "wait"
    with pytest.raises(RuleViolation, match="nine"):
        result.unwrap()
