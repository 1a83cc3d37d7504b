"""A check of yours hears who asks for what, at every place where it is heard; and who cannot ask anybody is told so."""

from typing import Any

import pytest

from doubles import WRITES, Says, holder
from licet import Runtime, ToolCapability
from licet.model.verdict import PERMIT, Ask, Deny, Verdict
from licet.testing import fake_tool


async def test_a_check_hears_the_principal_the_contract_and_the_arguments_wherever_it_is_heard() -> None:
    heard: list[tuple[Any, ...]] = []

    def check(*given: Any) -> Verdict:
        heard.append(given)
        return PERMIT

    tool, _ = fake_tool("t", capabilities=WRITES)
    who = holder("t")
    async with Runtime([tool], checks=[check]) as runtime:
        spec = runtime.spec("t")
        runtime.tools_for(who)
        assert heard == [(who, spec, None)]
        heard.clear()
        assert (await runtime.call(who, "t", {"a": [1]})).success
        assert heard == [(who, spec, None), (who, spec, {"a": [1]})]
        heard.clear()
        runtime.why(who, "t", {"a": [1]})
        assert heard == [(who, spec, None), (who, spec, {"a": [1]})]
        heard.clear()
        runtime.why(who, "t")
        assert heard == [(who, spec, None)]


@pytest.mark.parametrize("flag", ["unsafe", "human_approval_required", "a check"])
async def test_where_nobody_can_be_asked_the_answer_names_the_tool_the_reason_and_the_remedy(flag: str) -> None:
    capabilities = WRITES if flag == "a check" else ToolCapability(writes=True, **{flag: True})
    tool, transport = fake_tool("t", capabilities=capabilities)
    checks = [lambda *_: Ask("a reason of my own")] if flag == "a check" else []
    who = holder("t")
    async with Runtime([tool], checks=checks) as runtime:
        result = await runtime.call(who, "t")
        assert (result.code, result.reason, result.effect) == ("approval_denied", "no_approver", "none")
        assert result.error is not None
        assert result.error.startswith("'t' needs an approval (")
        assert ("a reason of my own" in result.error) is (flag == "a check")
        assert result.metadata["remedy"] == "give the Runtime an approver"
        assert runtime.tools_for(who) == transport.calls == []
        denial = runtime.why(who, "t").denial
        assert denial is not None
        assert (denial.code, denial.message) == (result.code, result.error)
    async with Runtime([tool], checks=checks, approver=Says(True)) as runtime:
        assert [spec.name for spec in runtime.tools_for(who)] == ["local/t"]
        explanation = runtime.why(who, "t")
        assert explanation.allowed
        assert explanation.asks


async def test_a_denial_beats_the_lack_of_somebody_to_ask() -> None:
    tool, _ = fake_tool("t", capabilities=WRITES)
    checks = [lambda *_: Ask("please"), lambda *_: Deny("own_code", "no")]
    async with Runtime([tool], checks=checks) as runtime:
        assert (await runtime.call(holder("t"), "t")).code == "own_code"
