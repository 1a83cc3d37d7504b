"""What an accepted change takes away is what the operator vouched for, never what the operator forbade."""

from typing import Any

import pytest

from licet.model.tool import Annotations
from licet.policy.operator import Word, capabilities_of
from licet.project.dropped import without_classification


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ({"read_only": True}, None),
        ({"read_only": "hinted"}, None),
        ({"read_only": False}, {"read_only": False}),
        ({"approval": "ask"}, {"approval": "ask"}),
        ({"approval": "client"}, None),
        ({"approval": False}, None),
        ({"idempotent": True}, None),
        ({"idempotent": False}, {"idempotent": False}),
        ({"timeout_s": 5.0}, {"timeout_s": 5.0}),
        ({"read_only": "hinted", "approval": "ask", "timeout_s": 5.0}, {"approval": "ask", "timeout_s": 5.0}),
        ({"read_only": True, "approval": "ask", "idempotent": True}, {"approval": "ask"}),
        ({}, None),
    ],
)
def test_what_vouches_goes_and_what_forbids_stays(said: dict[str, Any], left: dict[str, Any] | None) -> None:
    assert without_classification(Word(**said)) == (None if left is None else Word(**left))
    assert without_classification(None) is None


def test_a_tool_that_asked_before_its_change_was_accepted_asks_after() -> None:
    claims = Annotations(read_only=True)
    before = capabilities_of(claims, Word(read_only="hinted", approval="ask"), remote=True)
    after = capabilities_of(claims, without_classification(Word(read_only="hinted", approval="ask")), remote=True)
    assert (before.read_only, before.human_approval_required) == (True, True)
    assert (after.read_only, after.human_approval_required) == (False, True)
