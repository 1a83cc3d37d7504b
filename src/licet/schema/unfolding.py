"""How often the references and unions of a schema multiply: the work that one value may cause.

The validator remembers what it found only where a schema refers back to itself. Everywhere else a definition that two
ways lead to is checked twice, one that two such definitions lead to four times, and so on.
"""

from collections import Counter

from .pointer import pointer
from .references import BadSchema, References
from .subschemas import Reach

MOST_VISITS = 10_000
"""Times that a schema may have one value checked: a few milliseconds."""

_MOST_STEPS = 200_000
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_UNEVALUATED_COST = 3  # the validator asks everything beside such a keyword again, as measured


class Unfolding:
    """Counts for one document. A count never exceeds ``MOST_VISITS + 1``."""

    def __init__(self, references: References) -> None:
        self._places = references.places
        self._weights = [
            _UNEVALUATED_COST if any(word in place.schema for word in _UNEVALUATED) else 1 for place in self._places
        ]
        self._order: list[int] = []
        self._back: set[tuple[int, int]] = set()
        self._walk()
        self._by_depth: list[list[int]] = []

    def refuse_bombs(self) -> None:
        """Raises BadSchema: some value would be checked more than ``MOST_VISITS`` times."""
        counts = self._pass(None)
        for number in self._order:
            if counts[number] > MOST_VISITS:
                problem = f"its references and unions multiply to more than {MOST_VISITS} checks of one value"
                raise BadSchema(pointer(self._places[number].path), f"{problem}; use fewer ways to one definition")

    def visits(self, depth: int) -> int:
        """The most often that one value is checked in a value nested ``depth`` deep, if nothing is remembered."""
        if not self._by_depth:
            self._by_depth.append([1] * len(self._places))
        while len(self._by_depth) <= depth and self._by_depth[-1][0] <= MOST_VISITS:
            self._by_depth.append(self._pass(self._by_depth[-1]))
        return self._by_depth[min(depth, len(self._by_depth) - 1)][0]

    def _walk(self) -> None:
        """Order the places so that each comes after what it leads to, but for the links that lead back."""
        state = [0] * len(self._places)  # 0 not seen, 1 on the way, 2 done
        state[0] = 1
        way = [(0, iter(self._places[0].links))]
        while way:
            here, links = way[-1]
            for link in links:
                if state[link.target] == 0:
                    state[link.target] = 1
                    way.append((link.target, iter(self._places[link.target].links)))
                    break
                if state[link.target] == 1:
                    self._back.add((here, link.target))
            else:
                way.pop()
                state[here] = 2
                self._order.append(here)

    def _pass(self, below: list[int] | None) -> list[int]:
        """The counts of all places; ``below`` are those for values that are one level flatter."""
        here = [1] * len(self._places)  # checks of the value itself
        members: list[Counter[str]] = [Counter() for _ in self._places]  # checks of each of its members
        most = [1] * len(self._places)
        steps = 0
        for number in self._order:
            weight = self._weights[number]
            for target, reach, member in self._places[number].links:
                back = (number, target) in self._back
                if reach is Reach.BELOW:
                    members[number][member] += below[target] if below else 1 if back else most[target]
                elif not back:
                    here[number] += weight * here[target]
                    steps += len(members[target])
                    for name, count in members[target].items():
                        members[number][name] = min(members[number][name] + weight * count, MOST_VISITS + 1)
            any_member = members[number][""]
            one_member = max((count for name, count in members[number].items() if name), default=0)
            most[number] = min(max(here[number], any_member + one_member), MOST_VISITS + 1)
            here[number] = min(here[number], MOST_VISITS + 1)
            if steps > _MOST_STEPS:
                return [MOST_VISITS + 1] * len(self._places)
        return most
