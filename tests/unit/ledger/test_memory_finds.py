"""Finding a call in a ledger in memory: most ids are new, and that is known without linking anything."""

import json
import random

import pytest

from licet.ledger.call import NOTHING
from licet.ledger.memory import MemoryLedger
from licet.model.entry import Draft


def draft(kind: str, **body: object) -> Draft:
    return Draft("r", kind, "a", json.dumps(body, separators=(",", ":")).encode(), b"{}")


def requested(call: str, /, **arguments: object) -> Draft:
    return draft("tool.requested", arguments=arguments, call=call, tool="local/t")


@pytest.mark.parametrize(
    "entry",
    [
        requested("c"),
        requested("c", call="x", tool="y"),
        requested("c", **{'"call': "x", "a": 'z","call":"x","tool":"y"}'}),
        draft("tool.requested", call="c", tool="local/t", more={"call": "x", "tool": "y"}),
        draft("tool.requested", arguments={}, call="c", tool="local/t", more={"a": 1, "call": "x", "tool": "y"}),
        draft("tool.requested", arguments={}, call="c", tool="local/t", zzz=[{"call": "x", "tool": "y"}]),
        draft("tool.requested", call="c", tool="local/t"),
        draft("tool.requested", arguments={}, call="c"),
        draft("tool.completed", call="c", output={"call": "x"}),
        draft("tool.refused", arguments={"call": "x"}, call="c", code="no", message='"call":"x"', tool="local/t"),
        draft("tool.settled", note="n", call="c", outcome="done"),
        Draft("r", "tool.refused", "a", b'{ "call" : "c" }', b"{}"),
    ],
)
@pytest.mark.parametrize("asked_before", [False, True])
def test_an_entry_is_found_by_its_own_id_and_by_no_other(entry: Draft, asked_before: bool) -> None:
    ledger = MemoryLedger()
    if asked_before:
        assert ledger.find("c") == NOTHING
    ledger.append(entry, durable=False)
    assert ledger.find("x") == ledger.find("y") == NOTHING
    assert ledger.find("c") != NOTHING
    assert ledger.find("c\ud800") == NOTHING


def test_it_says_the_same_as_a_ledger_that_indexes_every_entry_at_once() -> None:
    chance = random.Random(7)
    lazy, eager = MemoryLedger(), MemoryLedger()
    for _ in range(4000):
        call = f"c{chance.randrange(60)}:{chance.randrange(9)}"
        made = [
            requested(call, call="c1:1"),
            draft("tool.completed", call=call, output=1),
            draft("tool.refused", arguments={}, call=call, code="no"),
            draft("note.made", call=call),
        ]
        entry = chance.choice(made)
        lazy.append(entry, durable=False)
        eager.append(entry, durable=False)
        eager.unknown()
        if chance.random() < 0.02:
            lazy.flush()
        if chance.random() < 0.3:
            asked = f"c{chance.randrange(60)}:{chance.randrange(9)}"
            assert lazy.find(asked) == eager.find(asked)
    assert lazy.head == eager.head


@pytest.mark.parametrize("flushed", [False, True])
def test_of_more_calls_than_are_kept_the_last_ones_are_found(flushed: bool) -> None:
    ledger = MemoryLedger(40)
    for number in range(2000):
        assert ledger.find(f"c{number}") == NOTHING
        ledger.append(requested(f"c{number}"), durable=False)
        if flushed:
            ledger.flush()
    assert ledger.find("c1999") != NOTHING
    assert ledger.find("c1960") != NOTHING
    assert ledger.find("c1959") == ledger.find("c0") == NOTHING
