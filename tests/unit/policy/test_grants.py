"""A grant is an exact name; what is not exact expands once, part by part, before a run begins."""

import time
from typing import Any

import pytest

from doubles import READS, holder
from licet import GrantSet, Principal, Runtime
from licet.errors import ConfigurationError
from licet.model.tool import ToolSpec
from licet.model.verdict import PERMIT, Deny
from licet.policy.grants import covers, expand, granted
from licet.testing import RecordingLedger, fake_tool

NAMES = [
    "read", "reader", "read.all", "team/read", "team/x.read", "mcp/git.status", "mcp/git.log", "mcp/git.log.all",
    "mcp/github.status", "mcp2/git.status", "mcp/git",
]  # fmt: skip
SPECS = [ToolSpec(name=name, group="files" if "read" in name else None) for name in NAMES]


def expanded(*sets: Any) -> set[str]:
    who = expand(Principal("p", grants=sets), SPECS)
    assert who.grant_sets == ()
    return {name.removeprefix("local/") for name in who.grants}


def test_a_grant_is_the_exact_canonical_name_and_nothing_near_it() -> None:
    who = Principal("p", grants=["read", "mcp/git.status"])
    for name in ("local/read", "mcp/git.status"):
        assert granted(who, name) is PERMIT
    for name in ("read", "local/reader", "local/rea", "local/Read", "team/read", "mcp/git.statu", "mcp/git.status2",
                 "mcp/git_status", "mcp/git", "mcp2/git.status", "", "local/read "):  # fmt: skip
        verdict = granted(who, name)
        assert isinstance(verdict, Deny)
        assert verdict.code == "not_granted"
        assert "exact name" in verdict.remedy


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", {"read", "reader", "read.all"}),
        ("read*", {"read", "reader", "read.all"}),
        ("re?d", {"read"}),
        ("team/*", {"team/read", "team/x.read"}),
        ("mcp/git.*", {"mcp/git.status", "mcp/git.log", "mcp/git.log.all"}),
        ("mcp/git*.status", {"mcp/git.status", "mcp/github.status"}),
        ("mcp/*.status", {"mcp/git.status", "mcp/github.status"}),
        ("mcp/git", {"mcp/git"}),
        ("mcp/git*", {"mcp/git", "mcp/git.status", "mcp/git.log", "mcp/git.log.all", "mcp/github.status"}),
        ("mcp*/git.status", {"mcp/git.status", "mcp2/git.status"}),
        ("*/*", set(NAMES)),
        ("nobody/*", set()),
    ],
)
def test_a_pattern_matches_part_by_part(pattern: str, names: set[str]) -> None:
    assert expanded(GrantSet.glob(pattern)) == names


def test_groups_and_full_and_exact_names_add_up() -> None:
    assert expanded(GrantSet.group("files")) == {name for name in NAMES if "read" in name}
    assert expanded(GrantSet.group("file")) == set()
    assert expanded(GrantSet.full()) == set(NAMES)
    assert expanded(GrantSet.glob("team/*"), GrantSet.group("files"), "later") == {
        "team/read", "team/x.read", "read", "reader", "read.all", "later",
    }  # fmt: skip
    assert not covers(GrantSet("profile", "x"), SPECS[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["", "/", "a/", "/a", "a b", "[a]", "{a,b}", "**/x y", "é*", "a\n", "x" * 400])
def test_what_is_no_pattern_is_a_configuration_error(pattern: str) -> None:
    with pytest.raises(ConfigurationError):
        GrantSet.glob(pattern)
    with pytest.raises(ConfigurationError):
        GrantSet.group("")


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    pattern = GrantSet.glob("*a" * 100 + "b")
    began = time.perf_counter()
    assert not covers(pattern, ToolSpec(name="a" * 300))
    assert time.perf_counter() - began < 1


async def test_a_set_expands_once_stands_on_the_ledger_and_holds_nothing_that_comes_later(
    ledger: RecordingLedger,
) -> None:
    early, _ = fake_tool("early", capabilities=READS)
    late, transport = fake_tool("late", capabilities=READS)
    async with Runtime([early], ledger=ledger) as runtime, runtime.run(holder(GrantSet.full(), "exact")) as run:
        runtime.register(late)
        assert run.principal.grants == {"local/early", "local/exact"}
        assert (await run.call("early")).success
        assert (await run.call("late")).code == "not_granted"
        assert transport.calls == []
        async with runtime.run(holder(GrantSet.full())) as next_run:
            assert (await next_run.call("late")).success
    entry = next(iter(ledger.entries()))
    assert (entry.kind, entry.run_id, entry.actor) == ("grant.expanded", run.id, "alice")
    assert entry.body == b'{"grants":["local/early","local/exact"],"sets":["full"]}'
