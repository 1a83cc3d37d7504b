"""Which of the known names was probably meant."""

from collections.abc import Iterable

_LONGEST = 80
"""Characters of a name that is compared: comparing takes up to the square of it, and names come from strangers."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like it, or an empty text."""
    from difflib import get_close_matches

    if len(name) > _LONGEST:
        return ""
    near = get_close_matches(name, [one for one in known if len(one) <= _LONGEST], 1, 0.6)
    return near[0] if near else ""


__all__ = ["nearest"]
