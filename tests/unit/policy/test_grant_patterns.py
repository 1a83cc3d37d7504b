"""How a pattern of names is read: no part runs over into the next, and a star takes as much as it needs."""

import pytest

from licet import GrantSet
from licet.errors import ConfigurationError
from licet.model.tool import ToolSpec
from licet.policy.grants import covers

NAMES = [
    *("local/read", "local/reader", "local/git.read", "local/x"),
    *("mcp/git.read", "mcp/git2.read", "mcp/hub.read", "mcp/hub.write", "mcp/bare", "mcp2/git.read"),
]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("?", ["local/x"]),
        ("*r*d*", ["local/read", "local/reader", "local/git.read"]),
        ("*ead", ["local/read", "local/git.read"]),
        ("git.*", ["local/git.read"]),
        ("git?read", ["local/git.read"]),
        ("mcp/git?.read", ["mcp/git2.read"]),
        ("mcp/hub.?rite", ["mcp/hub.write"]),
        ("mcp/b*", ["mcp/bare"]),
        ("mcp?/git.read", ["mcp2/git.read"]),
        ("*/git.read", ["local/git.read", "mcp/git.read", "mcp2/git.read"]),
        *(
            (near, [])
            for near in ("mcp/git", "mcp/git.rea", "mcp/it.read", "mcp/git.read.", "cp/git.read", "rea", "r?")
        ),
        *((near, []) for near in ("eader", "readerx", "mcp/*.bare", "mcp/hub*git.read", "mcp/*.*.*")),
    ],
)
def test_a_pattern_covers_what_it_says(pattern: str, names: list[str]) -> None:
    assert [name for name in NAMES if covers(GrantSet.glob(pattern), ToolSpec(name=name))] == names


@pytest.mark.parametrize(
    ("pattern", "name", "alike"),
    [
        ("a*bc*d", "abxbcbd", True),
        ("a*bc*d", "abxbxd", False),
        ("*a**b*", "xxabxx", True),
        ("*aab", "aaaab", True),
        ("*aab", "aaaa", False),
        ("a*?b", "axb", True),
        ("a*?b", "ab", False),
        ("a*b*a*b", "aabbaabb", True),
        ("a*ab*b", "aab", False),
        ("x*", "x", True),
        ("x**", "xyz", True),
        ("x*y", "xy", True),
        ("xx", "x", False),
    ],
)
def test_a_star_that_matched_too_little_takes_more(pattern: str, name: str, alike: bool) -> None:
    assert covers(GrantSet.glob(pattern), ToolSpec(name=name)) is alike


@pytest.mark.parametrize("pattern", ["a/b/c", "*/*/*", "mcp/git.read/x", "mcp/*/", "local/local/x"])
def test_a_pattern_of_three_parts_can_match_no_name_and_is_its_authors_mistake(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a pattern of tool names"):
        GrantSet.glob(pattern)


def test_a_set_reads_as_it_is_written_in_a_command() -> None:
    sets = [GrantSet.glob("read*"), GrantSet.glob("mcp/*"), GrantSet.group("own"), GrantSet.full()]
    assert [str(each) for each in sets] == ["glob:local/read*", "glob:mcp/*", "group:own", "full"]
