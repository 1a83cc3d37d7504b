"""Whether two stories are the same: events in order, by what happened, whatever else stands between them."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from ..model.entry import Entry
from ..model.event import problem_of_kind
from .chain import digest_of


class Comparison(NamedTuple):
    """So many events are the ``same``; then ``a`` and ``b`` differ, of which one is None where its story ends."""

    same: int
    a: Entry | None = None
    b: Entry | None = None

    @property
    def differs(self) -> bool:
        return self.a is not None or self.b is not None


def events(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Those that agents emitted, and none of licet's own."""
    return (entry for entry in entries if not problem_of_kind(entry.kind))


def compare(a: Iterable[Entry], b: Iterable[Entry]) -> Comparison:
    """Up to the first event that differs. Digests are computed from what is stored, not taken from it."""
    same = 0
    for one, other in zip_longest(events(a), events(b)):
        if one is None or other is None or _digest(one) != _digest(other):
            return Comparison(same, one, other)
        same += 1
    return Comparison(same)


def _digest(entry: Entry) -> bytes:
    return digest_of(entry.kind, entry.actor, entry.body)


__all__ = ["Comparison", "compare", "events"]
