"""The operator's word on a tool: a name beats patterns, and between patterns the stricter word holds."""

from itertools import permutations

import pytest

from licet.policy.operator import Word
from licet.project.word import Words, word_for, words


def of(*entries: tuple[str, Word]) -> Words:
    return entries


def test_nothing_said_is_none() -> None:
    assert word_for((), "mcp/git.log") is None
    assert word_for(of(("mcp/git.status", Word(read_only=True))), "mcp/git.log") is None
    assert word_for(of(("mcp/gi.*", Word(read_only=True))), "mcp/git.log") is None


def test_a_name_beats_a_pattern_part_by_part() -> None:
    said = of(
        ("mcp/git.*", Word(read_only=False, approval="ask", timeout_s=5.0)),
        ("mcp/git.log", Word(read_only=True, approval=False)),
    )
    for order in permutations(said):
        assert word_for(order, "mcp/git.log") == Word(read_only=True, approval=False, timeout_s=5.0)
        assert word_for(order, "mcp/git.reset") == Word(read_only=False, approval="ask", timeout_s=5.0)


@pytest.mark.parametrize(
    ("part", "loose", "strict"),
    [
        ("read_only", True, "hinted"),
        ("read_only", True, False),
        ("read_only", "hinted", False),
        ("approval", False, "client"),
        ("approval", False, "ask"),
        ("approval", "client", "ask"),
        ("idempotent", True, False),
        ("timeout_s", 60.0, 5.0),
    ],
)
def test_between_patterns_the_stricter_word_holds_in_any_order(part: str, loose: object, strict: object) -> None:
    said = of(("mcp/*", Word(**{part: loose})), ("mcp/git.*", Word(**{part: strict})), ("mcp/git.l?g", Word()))
    for order in permutations(said):
        found = word_for(order, "mcp/git.log")
        assert found is not None
        assert getattr(found, part) == strict


def test_a_pattern_never_reaches_over_the_dot_of_a_server() -> None:
    said = of(("mcp/git.*", Word(read_only=True)))
    assert word_for(said, "mcp/git-evil.log") is None
    assert word_for(said, "mcp/evil.git.log") is None
    assert word_for(said, "other/git.log") is None


def test_names_become_canonical_and_two_spellings_of_one_are_told() -> None:
    told: list[tuple[object, str]] = []
    found = words({"read": {"read_only": True}, "local/read": {"read_only": False}}, lambda *t: told.append(t))
    assert found == (("local/read", Word(read_only=True)),)
    assert told[0][0] == ("tools", "local/read")


def test_what_is_no_name_is_told() -> None:
    told: list[tuple[object, str]] = []
    assert words({"a b": {"read_only": True}, "mcp/../x*": {"read_only": True}}, lambda *t: told.append(t)) == ()
    assert [place for place, _ in told] == [("tools", "a b"), ("tools", "mcp/../x*")]
