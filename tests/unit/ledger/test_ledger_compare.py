"""Two stories are the same if the same events happened in the same order, over whatever way."""

import pytest

from chained import draft, linked, requested
from licet.ledger.compare import compare
from licet.model.entry import Draft

SPOKEN = (
    draft("oracle.spoke", at_us=1, omen="a fox"),
    draft("oracle.spoke", at_us=2, omen="an owl"),
    draft("reader.noted", at_us=3, omen="an owl"),
)


def test_stories_are_the_same_whatever_else_stands_between_their_events() -> None:
    other = [draft("run.started", run="", tools=3), SPOKEN[0], requested("c1"), *SPOKEN[1:]]
    found = compare(linked(*SPOKEN), linked(*other))
    assert (found.same, found.a, found.b, found.differs) == (3, None, None, False)


@pytest.mark.parametrize(
    "instead",
    [
        draft("oracle.spoke", at_us=2, omen="a crow"),
        draft("reader.noted", at_us=2, omen="an owl"),
        SPOKEN[1]._replace(actor="whisperer"),
    ],
)
def test_the_first_event_that_differs_is_named_on_both_sides(instead: Draft) -> None:
    found = compare(linked(*SPOKEN), linked(SPOKEN[0], instead, SPOKEN[2]))
    assert (found.same, found.differs) == (1, True)
    assert found.a is not None
    assert found.b is not None
    assert (found.a.body, found.b.body) == (SPOKEN[1].body, instead.body)


def test_a_story_that_ends_before_the_other_differs_where_it_ends() -> None:
    whole, cut = linked(*SPOKEN), linked(*SPOKEN[:2])
    assert (compare(whole, cut).same, compare(whole, cut).a, compare(whole, cut).b) == (2, whole[2], None)
    assert (compare(cut, whole).same, compare(cut, whole).a, compare(cut, whole).b) == (2, None, whole[2])
    assert not compare([], []).differs


def test_a_digest_is_not_believed() -> None:
    entry = linked(SPOKEN[0])[0]
    changed = entry._replace(body=linked(SPOKEN[1])[0].body)
    assert compare([entry], [changed]).differs
