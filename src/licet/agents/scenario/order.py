"""Whose turn it is: the cast in its order, round after round."""

from collections.abc import Iterator, Sequence

from .performer import Performer


def turns(cast: Sequence[Performer]) -> Iterator[Performer]:
    """Whose turn is next, as long as somebody has something to do.

    In round r, counted from 1, an agent is due if ``tick_every`` divides r and, where it subscribes to anything,
    something of that happened since its last turn; what opened the scenario counts for everybody. Nobody acts more
    than ``max_consecutive`` times in a row.
    """
    last: Performer | None = None
    in_a_row = number = 0
    idle = 0
    patience = max(one.manifest.schedule.tick_every for one in cast)
    while idle < patience:  # after so many rounds everybody had a tick
        number += 1
        idle += 1
        for one in cast:
            schedule = one.manifest.schedule
            if number % schedule.tick_every or not one.has_news:
                continue
            if one is last and schedule.max_consecutive is not None and in_a_row >= schedule.max_consecutive:
                continue
            in_a_row = in_a_row + 1 if one is last else 1
            last, idle = one, 0
            yield one


__all__ = ["turns"]
