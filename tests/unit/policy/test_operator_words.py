"""What a tool may be taken for: by what its source claims, and by what the operator says of it."""

from itertools import product
from typing import Any

import pytest

from licet import Principal, ToolCapability, ToolSpec
from licet.errors import ConfigurationError
from licet.model.paths import RUN_MODES
from licet.model.tool import Annotations, Execution
from licet.model.verdict import PERMIT
from licet.policy.modes import mode_allows
from licet.policy.operator import NOTHING_SAID, Word, capabilities_of, classified

SAID = (None, False, True)
CLAIMS = [
    Annotations(read_only=r, destructive=d, open_world=o, idempotent=i)
    for r, d, o, i in product(SAID, SAID, SAID, SAID)
]
WORDS = [
    Word(read_only=r, approval=a, idempotent=i)
    for r, a, i in product((None, False, True, "hinted"), (None, False, True, "ask", "client"), SAID)
]


@pytest.mark.requirement("mcp.idempotency-from-hints")
@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_a_remote_tool_is_idempotent_if_its_hints_say_idempotent_or_read_only(claims: Annotations) -> None:
    expected = claims.idempotent is True or claims.read_only is True
    for word in (None, NOTHING_SAID, Word(read_only=True), Word(read_only="hinted"), Word(approval=False)):
        assert capabilities_of(claims, word, remote=True).idempotent is expected


@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_no_hint_makes_a_remote_tool_read_only_and_what_is_absent_counts_as_writing(claims: Annotations) -> None:
    for word in (None, NOTHING_SAID, Word(approval=False), Word(idempotent=True), Word(timeout_s=1)):
        capabilities = capabilities_of(claims, word, remote=True)
        assert (capabilities.read_only, capabilities.writes) == (False, True)


@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_an_operator_who_believes_the_hints_believes_a_read_only_one_that_does_not_destroy(claims: Annotations) -> None:
    capabilities = capabilities_of(claims, Word(read_only="hinted"), remote=True)
    assert capabilities.read_only is (claims.read_only is True and claims.destructive is not True)
    assert capabilities.writes is not capabilities.read_only


@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_the_operators_own_word_is_taken_whatever_was_claimed(claims: Annotations) -> None:
    assert capabilities_of(claims, Word(read_only=True), remote=True).read_only
    assert not capabilities_of(claims, Word(read_only=False), remote=True).read_only
    assert capabilities_of(claims, Word(idempotent=True), remote=True).idempotent
    assert not capabilities_of(claims, Word(idempotent=False, read_only=True), remote=True).idempotent


def test_a_read_only_hint_that_the_operator_denies_starts_no_second_attempt() -> None:
    claims = Annotations(read_only=True)
    assert not capabilities_of(claims, Word(read_only=False), remote=True).idempotent
    assert capabilities_of(Annotations(idempotent=True), Word(read_only=False), remote=True).idempotent


@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_a_remote_tool_that_says_it_destroys_asks_until_the_operator_lifts_it(claims: Annotations) -> None:
    destroys = claims.destructive is True
    for word in (None, NOTHING_SAID, Word(read_only=True), Word(read_only="hinted"), Word(idempotent=True)):
        assert capabilities_of(claims, word, remote=True).asks is destroys
    for lifted in (False, "client"):
        assert not capabilities_of(claims, Word(approval=lifted), remote=True).asks  # type: ignore[arg-type]
    for asked in (True, "ask", "no such word"):
        assert capabilities_of(claims, Word(approval=asked), remote=True).asks  # type: ignore[arg-type]


@pytest.mark.parametrize("claims", CLAIMS, ids=str)
def test_a_tool_in_process_is_what_its_author_says_and_asks_by_the_operators_word_only(claims: Annotations) -> None:
    capabilities = capabilities_of(claims, None, remote=False)
    assert capabilities.read_only is (claims.read_only is True and claims.destructive is not True)
    assert not capabilities.asks
    assert capabilities_of(claims, Word(approval="ask"), remote=False).asks
    assert not capabilities_of(claims, Word(read_only=False), remote=False).read_only


def test_every_word_on_every_claim_is_a_capability_and_none_is_unsafe_or_checkpointable() -> None:
    for claims, word, remote in product(CLAIMS, WORDS, (True, False)):
        capabilities = capabilities_of(claims, word, remote=remote)
        assert isinstance(capabilities, ToolCapability)
        assert not capabilities.unsafe
        assert not capabilities.checkpointable
        assert capabilities.read_only is not capabilities.writes


def test_an_open_world_hint_changes_nothing() -> None:
    for word in (None, *WORDS):
        assert len({capabilities_of(Annotations(open_world=said), word, remote=True) for said in SAID}) == 1


@pytest.mark.parametrize("strange", ["Hinted", "yes", 1, "true", {}])
def test_a_word_that_is_none_makes_nothing_read_only(strange: Any) -> None:
    claims = Annotations(read_only=True)
    assert not capabilities_of(claims, Word(read_only=strange), remote=True).read_only
    assert not capabilities_of(claims, Word(idempotent=strange), remote=True).idempotent


# --- on a whole tool ---


def remote(claims: Annotations, **more: Any) -> ToolSpec:
    return ToolSpec(name="mcp/git.git_status", source="mcp", group="mcp/git", annotations=claims, **more)


def test_an_unclassified_tool_is_hidden_from_runs_that_only_read_and_no_other() -> None:
    for word in (None, Word(read_only=False)):
        spec = classified(remote(Annotations(read_only=True)), word)
        assert [mode for mode in RUN_MODES if mode_allows(Principal("p", mode=mode), spec) is PERMIT] == [
            "workspace_write", "danger_full_access",
        ]  # fmt: skip
    for word in (Word(read_only=True), Word(read_only="hinted")):
        spec = classified(remote(Annotations(read_only=True)), word)
        assert all(mode_allows(Principal("p", mode=mode), spec) is PERMIT for mode in RUN_MODES)


def test_a_word_changes_capabilities_and_timeout_and_no_part_that_is_pinned() -> None:
    from licet.schema.pin import pin_of

    spec = remote(Annotations(destructive=True), description="d", execution=Execution(timeout_s=60))
    for word in (None, *WORDS, Word(timeout_s=2.5)):
        known = classified(spec, word)
        assert known.capabilities == capabilities_of(spec.annotations, word, remote=True)
        assert known.execution.timeout_s == (2.5 if word is not None and word.timeout_s else 60)
        assert pin_of(known) == pin_of(spec)
        assert (known.annotations, known.source, known.group) == (spec.annotations, spec.source, spec.group)


@pytest.mark.parametrize("timeout_s", [0, -1, 4000, float("nan")])
def test_a_timeout_that_is_none_is_the_operators_mistake(timeout_s: float) -> None:
    with pytest.raises(ConfigurationError, match="timeout_s is"):
        classified(remote(Annotations()), Word(timeout_s=timeout_s))


def test_these_tests_know_every_claim_that_there_is() -> None:
    assert set(Annotations.__dataclass_fields__) == {"read_only", "destructive", "open_world", "idempotent"}
