"""Which files stand for the rest of a large project, and what they say of it. Nothing is drawn by lot."""

from collections.abc import Mapping, Sequence

LEAST = 100
"""Files of one language that are counted, if there are as many."""


def spread(paths: Sequence[str], most: int) -> list[str]:
    """At most so many, evenly spaced."""
    if len(paths) <= most:
        return list(paths)
    return [paths[place * len(paths) // most] for place in range(most)]


def shares(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """How many of each group to take, by the group's size: about ``most`` in all, and of none fewer than ``LEAST``."""
    total = max(sum(sizes.values()), 1)
    return {group: max(most * size // total, LEAST) for group, size in sizes.items()}


def estimated(
    unread: Sequence[str], sizes: Mapping[str, int], counted: Mapping[str, int], example: Sequence[str]
) -> int:
    """The lines of files that were not read: as many for their bytes as in the ``example`` files that were counted.

    A file of unknown size has as many lines as the mean example.
    """
    known = [path for path in example if path in counted]
    lines = sum(counted[path] for path in known)
    measured = [path for path in known if path in sizes]
    by_byte = sum(counted[path] for path in measured) / max(sum(sizes[path] for path in measured), 1)
    by_file = lines / max(len(known), 1)
    return round(sum(sizes[path] * by_byte if path in sizes else by_file for path in unread))
