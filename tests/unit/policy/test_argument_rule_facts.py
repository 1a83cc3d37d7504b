"""Rules for arguments are facts: equal if they say the same, shown as they were written, and complete when made."""

from typing import Any

import pytest

from licet.errors import ConfigurationError
from licet.policy import argument_rule
from licet.policy.operator import Rule


@pytest.mark.parametrize(
    "says", [{"pattern": "[a-z]+"}, {"least": 1, "most": 2}, {"one_of": ("a", "b")}, {"under": "src"}]
)
def test_rules_that_say_the_same_are_equal_and_show_only_what_was_said(says: dict[str, Any]) -> None:
    one, same = Rule("/a", **says), Rule("/a", **says)
    assert one == same
    assert one != Rule("/b", **says)
    assert "demands" not in repr(one)
    assert "steps" not in repr(one)


@pytest.mark.parametrize("derived", ["demands", "steps"])
def test_what_a_rule_derives_is_not_given_to_it(derived: str) -> None:
    with pytest.raises(TypeError):
        Rule("/a", equals=1, **{derived: ()})


@pytest.mark.parametrize(("pattern", "told"), [(r"(?:\pL{100}){3}", "steps"), ("a" * 1001, "1000 characters")])
def test_a_pattern_that_is_too_much_work_is_refused_when_the_rule_is_made(pattern: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        Rule("/a", pattern=pattern)


def test_the_longest_pattern_is_a_thousand_characters() -> None:
    assert Rule("/a", pattern="a" * 1000).broken_by({"a": "a" * 1000}) == ""
    assert (argument_rule.MAX_PATTERN_CHARACTERS, argument_rule.MAX_PATTERN_STEPS) == (1000, 10_000)
