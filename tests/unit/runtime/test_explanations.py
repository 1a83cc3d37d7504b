"""``why`` gives every check in order with its verdict and its remedy, and touches nothing."""

import pytest

from doubles import Says, Spy, holder
from licet import Ask, Deny, PathPolicy, Permit, Principal, Runtime, ToolCapability
from licet.errors import ConfigurationError
from licet.testing import RecordingLedger, fake_tool

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def checks_of(runtime: Runtime, who: Principal, name: str, arguments: object = None) -> list[tuple[str, type]]:
    found = runtime.why(who, name, arguments).findings  # type: ignore[arg-type]
    return [(finding.check, type(finding.verdict)) for finding in found]


def test_why_gives_every_check_in_order_also_those_after_a_no(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool(
        "t",
        capabilities=ToolCapability(unsafe=True),
        input_schema=SCHEMA,
        path_access="current_project",
        path_arguments=("/path",),
    )

    def no_fridays(*_: object) -> Deny:
        return Deny("rule_forbids", "not on a Friday", remedy="wait")

    spy = Spy(t=dict)
    with Runtime([tool], ledger=ledger, checks=[no_fridays]) as runtime:
        runtime.attach(spy)
        who = Principal("alice", paths=PathPolicy.current_project("/project"))
        assert checks_of(runtime, who, "t", {"path": 1}) == [
            ("grant", Deny),
            ("lookup", Permit),
            ("source", Permit),
            ("mode", Deny),
            ("arguments", Deny),
            ("paths", Deny),
            ("approval", Ask),
            ("no_fridays", Deny),
            ("approver", Deny),
        ]
        assert checks_of(runtime, who, "gone") == [("grant", Deny), ("lookup", Deny)]
        found = runtime.why(who, "t", {"path": 1})
        assert not found.allowed
        assert found.denial is not None
        assert found.denial.code == "not_granted"
        assert all(f.verdict.remedy for f in found.findings if isinstance(f.verdict, Deny) and f.check != "paths")
    assert (transport.calls, spy.seen, ledger.kinds) == ([], [], [])


async def test_why_and_the_corridor_agree_on_the_first_no() -> None:
    tool, _ = fake_tool("t", input_schema=SCHEMA, path_access="current_project", path_arguments=("/path",))
    project = PathPolicy.current_project("/project")
    async with Runtime([tool]) as runtime:
        for who in (holder("t", paths=project), holder("t"), holder(paths=project), Principal("r", grants=["t"])):
            for arguments in ({"path": "a"}, {"path": "../a"}, {"path": 1}, {}, "x", {"path": "a", "b": 1}):
                denial = runtime.why(who, "t", arguments).denial
                result = await runtime.call(who, "t", arguments)
                assert result.code == (denial.code if denial else None), (who, arguments)
                assert result.success is runtime.why(who, "t", arguments).allowed


def test_why_says_what_would_be_asked() -> None:
    tool, _ = fake_tool("t", capabilities=ToolCapability(human_approval_required=True))
    with Runtime([tool], approver=Says(True)) as runtime:
        found = runtime.why(holder("t"), "t", {})
        assert found.allowed
        assert found.asks
    with Runtime([tool]) as runtime:
        found = runtime.why(holder("t"), "t", {})
        assert not found.allowed
        assert not found.asks
        assert found.denial is not None
        assert found.denial.reason == "no_approver"


def test_a_mode_refusal_tells_the_developer_the_remedy() -> None:
    tool, _ = fake_tool("t")
    with Runtime([tool]) as runtime:
        denial = runtime.why(Principal("r", grants=["t"]), "t").denial
        assert denial is not None
        assert denial.code == "mode_forbids"
        assert "@tool(read_only=True)" in denial.remedy
        with pytest.raises(ConfigurationError, match="not a tool's name"):
            runtime.why(Principal("r"), "no name")
