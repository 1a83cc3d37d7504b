"""An approver that answers by rule says yes to what it names, and to nothing else."""

from typing import Any

import pytest

from licet.approvals.rule import RuleApprover
from licet.errors import ConfigurationError
from licet.ports import ApprovalRequest


def request(tool: str, **fields: Any) -> ApprovalRequest:
    facts: dict[str, Any] = {
        "call_id": "c1",
        "run_id": "r1",
        "principal": "alice",
        "mode": "workspace_write",
        "tool": tool,
        "pin": "sha256:00",
        "description": "",
        "arguments": "{}",
        "reasons": ("it is declared unsafe",),
        "expires_s": 300.0,
    }
    return ApprovalRequest(**{**facts, **fields})


async def test_it_says_yes_to_exactly_the_named_tools_under_either_spelling() -> None:
    approver = RuleApprover("launch", "mcp/git.push")
    for yes in ("launch", "local/launch", "mcp/git.push"):
        assert await approver.approve(request(yes)) is True
    for no in ("launch2", "laun", "mcp/git.pus", "mcp/git.pushed", "mcp2/git.push", "git.push", "mcp/launch"):
        assert await approver.approve(request(no)) is False
    assert await RuleApprover().approve(request("launch")) is False


@pytest.mark.parametrize("answer", [False, None, 0, 1, "yes", [True]])
async def test_a_condition_must_say_true_itself(answer: Any) -> None:
    asked: list[str] = []

    def when(seen: ApprovalRequest) -> Any:
        asked.append(seen.arguments)
        return answer

    assert await RuleApprover("launch", when=when).approve(request("launch", arguments='{"n":1}')) is False
    assert asked == ['{"n":1}']


async def test_a_condition_is_only_asked_about_the_named_tools() -> None:
    asked: list[str] = []
    approver = RuleApprover("launch", when=lambda seen: asked.append(seen.tool) is None, name="duty officer")
    assert await approver.approve(request("other")) is False
    assert asked == []
    assert await approver.approve(request("launch")) is True
    assert asked == ["launch"]
    assert (approver.name, RuleApprover().name) == ("duty officer", "rule")


def test_a_rule_for_what_is_no_name_is_a_mistake_of_its_author() -> None:
    with pytest.raises(ConfigurationError):
        RuleApprover("mcp/*")
