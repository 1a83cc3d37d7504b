"""The executing tool of the contract is never pending: what would ask about it is refused, early or at the call."""

from typing import Any

import pytest

from doubles import Says
from licet import Ask, Principal, Runtime
from licet.errors import RegistrationError
from licet.model.tool import ToolCapability
from licet.policy.rules import ask_before
from licet.sources.combine import Tool
from licet.testing import RecordingLedger, fake_tool

NAMES = ["execute_decision", "algenta_execute_decision", "mcp/algenta.execute_decision", "other/any.execute_decision"]


def engine(name: str, **capabilities: bool) -> tuple[Tool, Any]:
    source = {"source": "mcp"} if "/" in name else {}
    return fake_tool(name, capabilities=ToolCapability(writes=True, **capabilities), **source)


def asks(principal: Any, spec: Any, arguments: Any) -> Any:
    return Ask("somebody should look")


@pytest.mark.requirement("engine.synchronous")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("flag", ["human_approval_required", "unsafe"])
def test_a_flag_that_asks_is_refused_at_registration(name: str, flag: str) -> None:
    tool, transport = engine(name, **{flag: True})
    with pytest.raises(RegistrationError, match="answers at once"):
        Runtime([tool], approver=Says(True))
    assert transport.calls == []


@pytest.mark.requirement("engine.synchronous")
@pytest.mark.parametrize("name", NAMES)
def test_a_rule_that_asks_is_refused_at_registration_now_and_later(name: str) -> None:
    tool, transport = engine(name)
    rule = ask_before(name, reason="look")
    with pytest.raises(RegistrationError, match="a rule asks before it"):
        Runtime([tool], checks=[rule], approver=Says(True))
    with Runtime(checks=[rule], approver=Says(True)) as runtime:
        with pytest.raises(RegistrationError, match="a rule asks before it"):
            runtime.register(tool)
        assert runtime.spec(name) is None
    assert transport.calls == []


@pytest.mark.requirement("engine.synchronous")
@pytest.mark.parametrize("name", NAMES)
async def test_a_check_that_asks_denies_and_nobody_is_asked(ledger: RecordingLedger, name: str) -> None:
    tool, transport = engine(name)
    approver = Says(True)
    who = Principal("model", grants=[name], mode="workspace_write")
    async with Runtime([tool], checks=[asks], approver=approver, ledger=ledger) as runtime:
        assert runtime.tools_for(who) == []
        result = await runtime.call(who, name, {})
        assert (result.code, result.reason, result.effect) == ("rule_forbids", "asks_at_once", "none")
        denial = runtime.why(who, name).denial
        assert denial is not None
        assert denial.reason == "asks_at_once"
    assert (transport.calls, ledger.kinds) == ([], ["tool.refused"])


async def test_other_tools_still_ask(ledger: RecordingLedger) -> None:
    tool, transport = engine("log_decision", human_approval_required=True)
    who = Principal("model", grants=["log_decision"], mode="workspace_write")
    rule = ask_before("log_decision", reason="look")
    async with Runtime([tool], checks=[rule, asks], approver=Says(True), ledger=ledger) as runtime:
        assert (await runtime.call(who, "log_decision", {})).success
    assert len(transport.calls) == 1
