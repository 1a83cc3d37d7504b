"""What an agent is told when its turn comes."""

from typing import NamedTuple

from ...model.event import Event


class Scene(NamedTuple):
    """``goal`` is the operator's word, ``seed`` what the run was begun with, ``turn`` counts from 1. ``events`` are all
    that happened, as far as anybody remembers them, the oldest first.
    """

    goal: str = ""
    events: tuple[Event, ...] = ()
    seed: str = ""
    turn: int = 1


__all__ = ["Event", "Scene"]
