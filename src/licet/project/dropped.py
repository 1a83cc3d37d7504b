"""What is left of the operator's word on a tool whose definition was accepted anew since the word was given."""

from ..policy.operator import Word

_KEPT = {"read_only": (False,), "approval": ("ask", True), "idempotent": (False,)}
"""What only restricts was not said because of what the definition said, and goes on counting."""


def without_classification(word: Word | None) -> Word | None:
    """The word without what it vouched for: what makes a tool readable, retried, or called without a question.

    Restrictions and times stay: no accepted change may lift them.
    """
    if word is None:
        return None
    kept = {part: value for part, value in word._asdict().items() if value in _KEPT.get(part, (value,))}
    return Word(**kept) if any(value is not None for value in kept.values()) else None


__all__ = ["without_classification"]
