"""Tools that a model's provider runs itself: offered under narrow conditions, recorded, never called here."""

import json
from typing import Any

import pytest

from licet import Ask, Deny, GrantSet, Principal, Runtime, ToolSpec
from licet.errors import ConfigurationError, LedgerUnavailableError
from licet.model.said import HostedItem
from licet.model.tool import ToolCapability
from licet.policy.operator import Rule, argument_rules
from licet.testing import RecordingLedger

DECLARED = {"openai_responses": {"type": "web_search"}}
READS = ToolCapability(read_only=True)
WHO = Principal("a", grants=["search"])


def hosted(**changes: Any) -> ToolSpec:
    said: dict[str, Any] = {"name": "search", "source": "hosted", "hosted": DECLARED, "capabilities": READS}
    return ToolSpec(**{**said, **changes})


def asks(principal: Any, spec: Any, arguments: Any) -> Any:
    return Ask("somebody should look")


def denies(principal: Any, spec: Any, arguments: Any) -> Any:
    return Deny("rule_forbids", "no")


def raises(principal: Any, spec: Any, arguments: Any) -> Any:
    raise RuntimeError


def test_a_classified_tool_that_is_granted_by_name_is_offered_with_its_declaration_alone() -> None:
    with Runtime([hosted(description="Searches.", metadata={"secret": 1})]) as runtime:
        (offered,) = runtime.hosted_for(WHO)
        assert offered._asdict() == {"name": "local/search", "declared": DECLARED}
        assert runtime.tools_for(WHO) == [], "nothing here can call it"


@pytest.mark.parametrize(
    ("who", "spec"),
    [
        (Principal("a"), hosted()),
        (Principal("a", grants=["other"]), hosted()),
        (Principal("a", grants=[GrantSet.full()]), hosted()),
        (Principal("a", grants=[GrantSet.glob("local/*")]), hosted()),
        (Principal("a", grants=[GrantSet.group("web")]), hosted(group="web")),
        (WHO, hosted(hosted=None)),
        (WHO, hosted(hosted={})),
        (WHO, hosted(capabilities=ToolCapability())),
        (WHO, hosted(capabilities=ToolCapability(writes=True))),
        (WHO, hosted(capabilities=ToolCapability(read_only=True, unsafe=True))),
        (WHO, hosted(capabilities=ToolCapability(read_only=True, human_approval_required=True))),
        (WHO, hosted(path_access="current_project")),
    ],
)
def test_what_is_not_granted_by_name_classified_allowed_by_the_mode_and_free_of_questions_is_not_offered(
    who: Principal, spec: ToolSpec
) -> None:
    with Runtime([spec]) as runtime:
        assert runtime.hosted_for(who) == []


def test_a_writing_one_is_offered_in_a_writing_run() -> None:
    with Runtime([hosted(capabilities=ToolCapability(writes=True))]) as runtime:
        assert len(runtime.hosted_for(Principal("a", grants=["search"], mode="workspace_write"))) == 1


@pytest.mark.parametrize("check", [asks, denies, raises, argument_rules({"search": [Rule("/q", equals="x")]})])
def test_no_rule_that_asks_denies_breaks_or_is_about_arguments_lets_one_through(check: Any) -> None:
    with Runtime([hosted()], checks=[check]) as runtime:
        assert runtime.hosted_for(WHO) == []


def test_rules_about_other_tools_change_nothing() -> None:
    with Runtime([hosted()], checks=[argument_rules({"other": [Rule("/q", equals="x")]})]) as runtime:
        assert len(runtime.hosted_for(WHO)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "dynamic"},
        {"hosted": {"openai_responses": "web_search"}},
        {"hosted": {"openai_responses": None}},
    ],
)
def test_a_declaration_is_an_object_by_dialect_and_a_hosted_tools_alone(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="hosted holds one object by dialect"):
        hosted(**wrong)


async def test_what_a_provider_ran_is_on_the_ledger_and_its_effect_is_unknown(ledger: RecordingLedger) -> None:
    async with Runtime([hosted()], ledger=ledger) as runtime, runtime.run(WHO) as run:
        assert await run.hosted(HostedItem("local/search", "web_search_call", "ws_1")) is True
        (entry,) = ledger.entries(run.id)
        assert entry.kind == "tool.hosted"
        assert json.loads(entry.body) == {
            "effect": "unknown",
            "item": "ws_1",
            "kind": "web_search_call",
            "permitted": True,
            "tool": "search",
        }


@pytest.mark.parametrize("tool", [None, "local/other", "search", "not offered: \u202esearch"])
async def test_an_item_that_nothing_offered_explains_is_recorded_and_refused(
    ledger: RecordingLedger, tool: str | None
) -> None:
    async with Runtime([hosted()], ledger=ledger) as runtime, runtime.run(WHO) as run:
        assert await run.hosted(HostedItem(tool, "forged\u202e[" + "x" * 1000, "\ud800" * 300)) is False
        (entry,) = ledger.entries(run.id)
        body = json.loads(entry.body)
        assert body["permitted"] is False
        assert "\u202e" not in entry.body.decode()
        assert len(entry.body) < 4096


async def test_without_a_ledger_nobody_says_that_it_was_recorded(ledger: RecordingLedger) -> None:
    class Gone(RecordingLedger):
        def append(self, draft: Any, /, *, durable: bool) -> Any:
            raise OSError("gone")

    async with Runtime([hosted()], ledger=Gone()) as runtime:
        run = runtime.begin(WHO)
        with pytest.raises(LedgerUnavailableError):
            await run.hosted(HostedItem("local/search", "web_search_call"))
