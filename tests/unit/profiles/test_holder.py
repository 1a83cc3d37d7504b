"""A profile as a grant and as a principal: exact tools of one engine, expanded once, on the ledger."""

import json

import pytest

from licet import GrantSet, Principal, Runtime, Tool, ToolSpec, profiles
from licet.errors import ConfigurationError
from licet.model.tool import ToolCapability
from licet.policy.grants import covers
from licet.testing import FakeTransport, RecordingLedger

ENGINE = ("get_contract", "query_data", "simulate", "recommend", "plan_decision", "log_decision", "execute_decision")
READS = ToolCapability(read_only=True)


def tools(*names: str) -> list[Tool]:
    reads = {name for name, told in profiles.shipped().tools.items() if told.read_only}
    return [
        Tool(ToolSpec(name=name, capabilities=READS if name in reads else ToolCapability()), FakeTransport({}))
        for name in names
    ]


@pytest.mark.requirement("profile.cumulative")
@pytest.mark.requirement("profile.absent-not-hidden")
@pytest.mark.parametrize(("name", "count"), [(None, 4), ("observe", 4), ("govern", 6), ("execute", 7), ("full", 8)])
async def test_a_principal_sees_exactly_its_profile_and_the_expansion_is_recorded(
    name: str | None, count: int, ledger: RecordingLedger
) -> None:
    async with Runtime(tools(*ENGINE, "reindex"), ledger=ledger) as runtime:
        clerk = profiles.principal("clerk", name)
        seen = [spec.name.removeprefix("local/") for spec in runtime.tools_for(clerk)]
        assert seen == [*ENGINE, "reindex"][:count]
        outside = [tool for tool in (*ENGINE, "reindex", "nothing") if tool not in seen]
        answers = [await runtime.call(clerk, tool, {}) for tool in outside]
        assert {answer.code for answer in answers} <= {"not_granted"}
        told = {answer.content.partition("unknown_tool")[1] for answer in answers}
        assert told <= {"unknown_tool"}
    first = next(entry for entry in ledger.entries() if entry.kind == "grant.expanded") if outside else None
    if first is not None:
        body = json.loads(first.body)
        assert body["sets"] == [f"profile:{name or 'observe'}@local"]
        assert body["grants"] == sorted(f"local/{tool}" for tool in seen)


async def test_a_tool_that_comes_later_is_not_in_a_run_that_began() -> None:
    async with Runtime(tools("simulate")) as runtime:
        run = runtime.begin(profiles.principal("admin", "full"))
        runtime.register(*tools("reindex"))
        assert (await run.call("reindex", {})).code == "not_granted"
        assert (await runtime.begin(profiles.principal("admin", "full")).call("reindex", {})).success
        run.close()


def test_a_profile_of_one_engine_is_nothing_elsewhere() -> None:
    grant = profiles.grant("observe", server="mcp/algenta")
    assert covers(grant, ToolSpec(name="mcp/algenta.simulate", source="mcp"))
    for other in ("mcp/evil.simulate", "local/simulate", "mcp/algenta2.simulate", "mcp/algenta.simulate.x"):
        assert not covers(grant, ToolSpec(name=other))
    full = profiles.grant("full", server="mcp/algenta")
    assert covers(full, ToolSpec(name="mcp/algenta.anything"))
    assert not covers(full, ToolSpec(name="mcp/algenta2.anything"))
    local = profiles.grant("full")
    assert covers(local, ToolSpec(name="anything"))
    assert not covers(local, ToolSpec(name="plan", source="builtin", tool_type="intrinsic"))


def test_a_profile_of_which_nothing_is_there_begins_no_run_and_a_pattern_may_match_nothing() -> None:
    with Runtime(tools("reindex")) as runtime:
        for name in ("observe", "govern", "execute"):
            with pytest.raises(ConfigurationError, match=f"the profile {name} resolves to no tool: local offers none"):
                runtime.begin(profiles.principal("clerk", name))
        with pytest.raises(ConfigurationError, match="resolves to no tool: mcp/algenta"):
            runtime.begin(Principal("clerk", grants=["reindex", profiles.grant("full", server="mcp/algenta")]))
        runtime.begin(profiles.principal("admin", "full")).close()
        runtime.begin(Principal("clerk", grants=[GrantSet.glob("mcp/algenta.*")])).close()


@pytest.mark.parametrize("server", ["", "algenta", "mcp", "mcp/a.b", "a/b/c", "*/*", "mcp/*", "local/x"])
def test_an_engine_is_named_exactly(server: str) -> None:
    with pytest.raises(ConfigurationError):
        profiles.grant("observe", server=server)


def test_a_mode_narrows_and_never_widens() -> None:
    assert profiles.principal("a", "execute").mode == "workspace_write"
    assert profiles.principal("a", "execute", mode="read_only").mode == "read_only"
    for name, mode in (("observe", "workspace_write"), ("full", "danger_full_access"), ("observe", "rw")):
        with pytest.raises(ConfigurationError, match="mode"):
            profiles.principal("a", name, mode=mode)  # type: ignore[arg-type]


def test_tools_that_are_one_text_are_no_list() -> None:
    with pytest.raises(ConfigurationError):
        GrantSet.profile("observe", "simulate")


def test_what_is_missing_is_told_by_name_whatever_it_is_called_there() -> None:
    held = profiles.profile("observe")
    assert profiles.missing(held, ["mcp/algenta.simulate", "algenta_recommend", "get_contract", "x"]) == ("query_data",)
    assert profiles.missing(profiles.profile("full"), []) == ()
