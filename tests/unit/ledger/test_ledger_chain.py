"""The bytes that are hashed: anybody can compute them again from this page."""

import hashlib
from itertools import combinations
from struct import pack

import pytest

from chained import A_STORY, linked
from licet.ledger.chain import START, digest_of, head_of
from licet.ledger.chain import linked as links
from licet.model.entry import GENESIS


def framed(*parts: bytes) -> bytes:
    return b"".join(pack(">Q", len(part)) + part for part in parts)


def test_the_digest_is_sha256_over_tagged_and_framed_parts() -> None:
    expected = b"licet.entry.v1\0" + framed(b"tool.requested", "Zoë".encode(), b'{"call":"c1"}')
    assert digest_of("tool.requested", "Zoë", b'{"call":"c1"}') == hashlib.sha256(expected).digest()


def test_the_head_is_sha256_over_the_one_before_and_the_place() -> None:
    lengths = pack(">QQQQQ", 32, 7, 5, 32, 2)
    expected = b"licet.head.v1\0" + lengths + GENESIS + b"run-1" + b"d" * 32 + b"{}"
    assert head_of(GENESIS, 7, "run-1", b"d" * 32, b"{}") == hashlib.sha256(expected).digest()


def test_a_digest_and_a_head_never_change_again() -> None:
    """Ledgers outlive versions: whoever changes these numbers makes every ledger in the world look forged."""
    (entry,) = linked(A_STORY[1])
    assert entry.digest.hex() == "fdc82c3efc45a19575ad49bf75bbd565160c5422df58363829ffd51e1e2ce9f3"
    assert entry.head.hex() == "cacd7364a491eb6c3fed24215b5952fef5a5e5045081452a7e1436c5fec4b945"


def test_linked_entries_are_what_the_two_functions_say() -> None:
    head = START.head
    for seq, (entry, draft) in enumerate(zip(linked(*A_STORY), A_STORY, strict=True), 1):
        assert entry[:6] == (seq, *draft)
        assert entry.digest == digest_of(draft.kind, draft.actor, draft.body)
        assert entry.head == head_of(head, seq, draft.run_id, entry.digest, draft.trace)
        head = entry.head


def test_parts_do_not_run_into_each_other() -> None:
    digests = [
        digest_of("ab", "c", b"d"),
        digest_of("a", "bc", b"d"),
        digest_of("a", "b", b"cd"),
        digest_of("", "", b"abcd"),
    ]
    heads = [
        head_of(GENESIS, 1, "ab", b"d" * 32, b"c"),
        head_of(GENESIS, 1, "a", b"b" + b"d" * 32, b"c"),
        head_of(GENESIS, 1, "a", b"d" * 32, b"bc"),
        head_of(GENESIS + b"a", 1, "", b"d" * 32, b"bc"),
    ]
    for one, other in combinations(digests + heads, 2):
        assert one != other


def test_a_digest_is_never_a_head() -> None:
    assert digest_of("", "", b"") != head_of(b"", 0, "", b"", b"")


@pytest.mark.parametrize("half", ["\ud800", "a\udfff"])
def test_half_a_surrogate_pair_is_not_hashed(half: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        digest_of(half, "x", b"{}")
    with pytest.raises(UnicodeEncodeError):
        head_of(GENESIS, 1, half, b"d" * 32, b"{}")
    with pytest.raises(UnicodeEncodeError):
        list(links(START, [A_STORY[0]._replace(actor=half)]))


def test_names_of_kinds_and_actors_do_not_mix_up_what_is_remembered() -> None:
    """The beginning of a hash is remembered by kind and actor: more of them than are remembered change nothing."""
    first = digest_of("a.b", "x", b"{}")
    for number in range(1000):
        digest_of("a.b", f"x{number}", b"{}")
    assert digest_of("a.b", "x", b"{}") == first
