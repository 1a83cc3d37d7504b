"""The code, the reason and the length of what is told about a path."""

import pytest

from licet.model.paths import PathPolicy
from licet.policy.paths import closed, judge_path, outside_message, protected_message


@pytest.mark.parametrize(
    ("path", "writing", "reason"),
    [
        ("file", True, None),
        (".git/config", False, None),
        (".git/config", True, "path_protected"),
        ("../outside", False, "path_outside_root"),
        ("a\0b", False, "path_outside_root"),
    ],
)
def test_a_path_that_is_refused_is_a_path_violation_with_its_reason(
    path: str, writing: bool, reason: str | None
) -> None:
    denied = judge_path(path, PathPolicy.current_project("/project"), writing=writing)
    assert (denied and (denied.code, denied.reason)) == (reason and ("path_violation", reason))


def test_a_closed_policy_says_so_and_what_to_do() -> None:
    denied = closed()
    assert (denied.code, denied.reason) == ("path_violation", "path_outside_root")
    assert "roots: [.]" in str(denied.remedy)


@pytest.mark.parametrize("told", [outside_message, lambda path: protected_message(path, "it is")])
def test_two_hundred_characters_of_a_path_are_repeated_and_nothing_of_an_absolute_one(told: object) -> None:
    assert callable(told)
    assert f"'{'x' * 200}'" in told("x" * 300)
    assert "secret" not in told("/secret/place")
