"""How long what a model writes may become. A schema that sets no bound gets one here."""

from typing import NamedTuple

MOST_BYTES = 4096
"""Of one call, if a caller says nothing else. No tokenizer makes more tokens of a text than it has bytes."""

MOST_CHARACTERS_OF_A_KEY = 32
"""Of a member whose name no schema gives."""

MOST_DIGITS = 15
"""Before the point: what every program reads exactly."""

MOST_DECIMALS = 6


class Bounds(NamedTuple):
    """Limits where a schema sets none, or a higher one. What a schema demands is demanded all the same.

    ``characters`` of a text, ``items`` of an array, ``members`` of an object that names none, and ``levels``: how
    often a definition that leads back to itself is entered.
    """

    characters: int
    items: int
    members: int
    levels: int


STEPS = (
    Bounds(512, 16, 8, 3),
    Bounds(256, 12, 6, 3),
    Bounds(128, 8, 4, 3),
    Bounds(96, 6, 4, 3),
    Bounds(64, 4, 3, 2),
    Bounds(48, 4, 3, 2),
    Bounds(32, 3, 2, 2),
    Bounds(16, 2, 2, 1),
    Bounds(8, 1, 1, 1),
)
"""From generous to narrow: a tool gets the first under which its longest call fits."""

__all__ = ["MOST_BYTES", "MOST_CHARACTERS_OF_A_KEY", "MOST_DECIMALS", "MOST_DIGITS", "STEPS", "Bounds"]
