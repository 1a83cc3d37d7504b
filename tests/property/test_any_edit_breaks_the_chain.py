"""Any edit breaks the chain: whatever is changed, taken out, put in or moved, verification notices."""

import random
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chained import A_STORY, linked, packed
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify, verify_file
from licet.model.entry import Draft, Entry

TEXTS = st.text(max_size=20)
BODIES = st.dictionaries(st.sampled_from(["call", "tool", "output", "a", "ü"]), TEXTS | st.integers(-9, 9), max_size=3)
KINDS = st.sampled_from(["tool.requested", "tool.completed", "tool.refused", "tool.failed", "oracle.spoke"]) | TEXTS
DRAFTS = st.builds(Draft, TEXTS, KINDS, TEXTS, BODIES.map(packed), BODIES.map(packed))
CHAINS = st.lists(DRAFTS, min_size=1, max_size=8).map(lambda drafts: linked(*drafts))

OTHER = {
    "seq": st.integers(-(2**63), 2**63 - 1),
    "run_id": TEXTS,
    "kind": KINDS,
    "actor": TEXTS,
    "body": BODIES.map(packed) | st.binary(max_size=20),
    "trace": BODIES.map(packed) | st.binary(max_size=20),
    "digest": st.binary(min_size=0, max_size=64),
    "head": st.binary(min_size=0, max_size=64),
}


@given(CHAINS)
def test_an_honest_chain_is_sound(chain: list[Entry]) -> None:
    found = verify(chain)
    assert (found.ok, found.count, found.head) == (True, len(chain), chain[-1].head)


@given(CHAINS, st.data())
def test_any_other_value_in_any_column_is_found(chain: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(chain) - 1))
    column = data.draw(st.sampled_from(sorted(OTHER)))
    value = data.draw(OTHER[column])
    assume(value != getattr(chain[at], column))
    chain[at] = chain[at]._replace(**{column: value})
    found = verify(chain)
    assert (found.ok, found.seq, found.count) == (False, at + 1, at)


@given(CHAINS, st.data())
def test_any_bit_of_any_bytes_is_found(chain: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(chain) - 1))
    column = data.draw(st.sampled_from(["body", "trace", "digest", "head"]))
    value = bytearray(getattr(chain[at], column))
    bit = data.draw(st.integers(0, 8 * len(value) - 1))
    value[bit // 8] ^= 1 << bit % 8
    chain[at] = chain[at]._replace(**{column: bytes(value)})
    assert verify(chain).seq == at + 1


@given(CHAINS, st.data())
def test_an_entry_taken_out_is_found_unless_it_was_the_last(chain: list[Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(chain) - 1))
    last = at == len(chain) - 1
    del chain[at]
    found = verify(chain)
    assert found.ok == last
    assert "missing at the end" in found.text


@given(CHAINS, DRAFTS, st.data())
def test_an_entry_put_in_is_found(chain: list[Entry], draft: Draft, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(chain)))
    stranger = data.draw(st.sampled_from([*chain, *linked(draft)]))
    seq = data.draw(st.sampled_from([stranger.seq, at + 1]))
    assume(at > 0 or stranger.head != linked(draft)[0].head)  # alone, a chain of one is an honest one
    chain.insert(at, stranger._replace(seq=seq))
    assume(chain != linked(*(Draft(*entry[1:6]) for entry in chain)))
    assert not verify(chain).ok


@given(CHAINS, st.randoms(use_true_random=False))
def test_another_order_is_found(chain: list[Entry], chance: random.Random) -> None:
    moved = chain[:]
    chance.shuffle(moved)
    assume(moved != chain)
    assert not verify(moved).ok
    numbered = [entry._replace(seq=seq) for seq, entry in enumerate(moved, 1)]
    assert not verify(numbered).ok


@given(CHAINS, DRAFTS, st.data())
def test_a_tail_made_anew_has_another_head(chain: list[Entry], draft: Draft, data: st.DataObject) -> None:
    """No bare chain can show it; a head that was kept elsewhere does."""
    at = data.draw(st.integers(0, len(chain) - 1))
    assume(draft != Draft(*chain[at][1:6]))
    drafts = [Draft(*entry[1:6]) for entry in chain]
    forged = linked(*drafts[:at], draft, *drafts[at + 1 :])
    found = verify(forged)
    assert found.ok
    assert "made anew" in found.text
    assert found.head != chain[-1].head


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        for draft in A_STORY * 3:
            ledger.append(draft, durable=False)
    return path


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_bit_that_flips_in_the_file_is_found_or_changes_nothing(whole: Path, data: st.DataObject) -> None:
    """Free space holds bits that nobody reads; every bit that somebody reads is found."""
    before = whole.read_bytes()
    bit = data.draw(st.integers(0, 8 * len(before) - 1))
    changed = bytearray(before)
    changed[bit // 8] ^= 1 << bit % 8
    copy = whole.with_name("copy.db")
    copy.write_bytes(changed)
    try:
        found = verify_file(copy)
    except LedgerUnavailableError:
        return
    finally:
        for suffix in ("-wal", "-shm"):
            copy.with_name(f"copy.db{suffix}").unlink(missing_ok=True)
    if found.ok:
        assert (found.count, found.head) == (len(A_STORY) * 3, linked(*A_STORY * 3)[-1].head)
