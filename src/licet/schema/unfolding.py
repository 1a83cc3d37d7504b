"""How often the references and unions of a schema multiply: the work that one value may cause.

The validator remembers what it found only where a schema refers back to itself. Everywhere else a definition that two
ways lead to is checked twice, one that two such definitions lead to four times, and so on.
"""

from collections import Counter
from typing import NamedTuple

from .pointer import pointer
from .references import BadSchema, References
from .subschemas import ANY_ITEM, ANY_PROPERTY, Reach

MOST_VISITS = 10_000
"""Times that a schema may have one value checked: a few milliseconds."""

_MOST_STEPS = 50_000
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_UNEVALUATED_COST = 3  # the validator asks everything beside such a keyword again, as measured


class Unfolding:
    """Counts for one document. No count exceeds ``MOST_VISITS + 1``."""

    def __init__(self, references: References) -> None:
        self._places = references.places
        self._weights = [
            _UNEVALUATED_COST if any(word in place.schema for word in _UNEVALUATED) else 1 for place in self._places
        ]
        self._by_depth: list[list[int]] = []

    def refuse_bombs(self) -> None:
        """Raises BadSchema: some value would be checked more than ``MOST_VISITS`` times."""
        order = self._order(frozenset(Reach))
        counts = self._count(order, None)
        for number in order.places:
            if counts[number] > MOST_VISITS:
                problem = f"its references and unions multiply to more than {MOST_VISITS} checks of one value"
                raise BadSchema(pointer(self._places[number].path), f"{problem}; use fewer ways to one definition")

    def visits(self, depth: int) -> int:
        """The most often that one value is checked in a value nested ``depth`` deep, if nothing is remembered."""
        order = self._order(frozenset((Reach.HERE,)))
        if not self._by_depth:
            self._by_depth.append([1] * len(self._places))
        while len(self._by_depth) <= depth and self._by_depth[-1][0] <= MOST_VISITS:
            self._by_depth.append(self._count(order, self._by_depth[-1]))
        return self._by_depth[min(depth, len(self._by_depth) - 1)][0]

    def _order(self, followed: frozenset[Reach]) -> "_Order":
        """The places, each after what its followed links lead to; a link back to where it came from cannot count."""
        order = _Order([], set())
        unseen, entered, left = 0, 1, 2
        state = [unseen] * len(self._places)
        for start in range(len(self._places)):
            if state[start] != unseen:
                continue
            state[start] = entered
            way = [(start, iter(self._places[start].links))]
            while way:
                here, links = way[-1]
                for link in links:
                    if link.reach not in followed or state[link.target] == left:
                        continue
                    if state[link.target] == entered:
                        order.back.add((here, link.target))
                        continue
                    state[link.target] = entered
                    way.append((link.target, iter(self._places[link.target].links)))
                    break
                else:
                    way.pop()
                    state[here] = left
                    order.places.append(here)
        return order

    def _count(self, order: "_Order", below: list[int] | None) -> list[int]:
        """How often each place may check one value. ``below`` are the counts for values that are one level flatter."""
        here = [1] * len(self._places)  # checks of the value itself
        members: list[Counter[str]] = [Counter() for _ in self._places]  # checks of each of its members
        most = [1] * len(self._places)
        steps = 0
        for position, number in enumerate(order.places):
            weight, own = self._weights[number], members[number]
            for target, reach, member in self._places[number].links:
                back = (number, target) in order.back
                if reach is Reach.BELOW:
                    own[member] += below[target] if below else 1 if back else most[target]
                elif not back:
                    here[number] = min(here[number] + weight * here[target], MOST_VISITS + 1)
                    steps += len(members[target])
                    for name, count in members[target].items():
                        own[name] = min(own[name] + weight * count, MOST_VISITS + 1)
            most[number] = min(max(here[number], _most_of_one_member(own)), MOST_VISITS + 1)
            if steps > _MOST_STEPS:
                for uncounted in order.places[position:]:
                    most[uncounted] = MOST_VISITS + 1
                break
        return most


class _Order(NamedTuple):
    places: list[int]
    back: set[tuple[int, int]]


def _most_of_one_member(members: Counter[str]) -> int:
    most = 0
    for any_member in (ANY_PROPERTY, ANY_ITEM):
        one = max((count for name, count in members.items() if name != any_member and name[0] == any_member), default=0)
        most = max(most, members[any_member] + one)
    return most
