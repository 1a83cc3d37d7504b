"""Names: one parser, one grammar, and nothing that is equal without being the same."""

import pytest

from doubles import holder
from licet import Runtime
from licet.errors import ConfigurationError
from licet.model.names import MAX_NAME, canonical, parse, short, skeletons
from licet.testing import RecordingLedger, fake_tool

LONGEST = "l" * (MAX_NAME - len("local/"))


def test_a_bare_name_is_shorthand_for_local_by_a_pure_string_rule() -> None:
    assert canonical("read") == "local/read"
    assert canonical("local/read") == "local/read"
    assert canonical("git.read") == "local/git.read"
    assert canonical("mcp/git.read") == "mcp/git.read"
    assert [short(name) for name in ("local/read", "read", "mcp/git.read")] == ["read", "read", "mcp/git.read"]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            "a/b/c",
            ".a",
            "-a",
            "_a",
            "a/.b",
            "a b",
            " a",
            "a ",
            "a\n",
            "a\0",
            "é",
            "\uff41",
        ),
        *("\uff41", "a\u200b", "a/b\n", "a;b", "a\\b", "*", "a/*", "../a", "a" * 1000),
    ],
)
def test_what_does_not_match_the_grammar_is_no_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a tool's name; use namespace/name"):
        canonical(name)
    with pytest.raises(ConfigurationError):
        parse(name)


@pytest.mark.parametrize("name", [None, 7, b"read", ["read"]])
def test_a_name_is_text(name: object) -> None:
    with pytest.raises(ConfigurationError, match=f"is text, not {type(name).__name__}"):
        canonical(name)  # type: ignore[arg-type]


def test_every_character_of_the_grammar_may_stand_in_a_name() -> None:
    assert canonical("0aZ_.-9/9.-_Za0") == "0aZ_.-9/9.-_Za0"


def test_the_length_of_a_name_counts_its_namespace_whether_or_not_it_was_written() -> None:
    assert MAX_NAME == 320
    assert canonical(LONGEST) == canonical(f"local/{LONGEST}") == f"local/{LONGEST}"
    for longer in (f"{LONGEST}l", f"local/{LONGEST}l"):
        with pytest.raises(ConfigurationError, match=f"at most {MAX_NAME} characters"):
            canonical(longer)


def test_the_first_dot_after_a_plugin_ends_the_server_and_a_local_name_has_none() -> None:
    assert parse("mcp/git.git_status") == ("mcp", "git", "git_status")
    assert parse("mcp/git.status.short") == ("mcp", "git", "status.short")
    assert parse("mcp/git..status") == ("mcp", "git", ".status")
    assert parse("mcp/git.") == ("mcp", "git", "")
    assert parse("mcp/status") == ("mcp", "", "status")
    assert parse("local/git.status") == parse("git.status") == ("local", "", "git.status")


def test_names_that_a_person_may_confuse_have_a_skeleton_in_common() -> None:
    def alike(one: str, other: str) -> bool:
        return any(a == b for a, b in zip(skeletons(one), skeletons(other), strict=True))

    for one, other in [("read", "READ"), ("Il1", "l1I"), ("o0", "0O"), ("modern", "modem"), ("AI", "Al"), ("a|", "al")]:
        assert alike(one, other), (one, other)
    for one, other in [("read", "rea"), ("read", "reed"), ("modern", "moden"), ("a_b", "a-b"), ("o", "c")]:
        assert not alike(one, other), (one, other)


async def test_what_is_no_name_never_stands_on_the_ledger_as_the_name_of_a_tool(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool(LONGEST)
    runtime = Runtime([tool], ledger=ledger)
    for asked in (f"local/{LONGEST}l", f"local/{LONGEST}" * 2, f"local/{LONGEST}".encode(), f"{LONGEST}l"):
        result = await runtime.call(holder(LONGEST), asked)  # type: ignore[arg-type]
        assert (result.code, result.effect) == ("not_granted", "none")
        assert result.tool != tool.spec.name
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"] * 4
    assert not any(f'"local/{LONGEST}"'.encode() in entry.body for entry in ledger.entries())
