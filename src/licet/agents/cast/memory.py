"""Which events an agent remembers when it acts."""

from collections.abc import Sequence

from ...model.event import Event, is_ours
from ...project.manifest import Manifest

OWN, OTHER = 0.5, 0.25
"""How much an event matters that the agent emitted itself, and one that it does not subscribe to."""


def salience(manifest: Manifest, event: Event) -> float:
    """From 0 to 1. Of an agent that subscribes to nothing, everything matters; to all, how their scenario began."""
    if not manifest.subscribes_to or event.kind in manifest.subscribes_to or is_ours(event.kind):
        return 1.0
    return OWN if event.actor == manifest.name else OTHER


def recalled(manifest: Manifest, events: Sequence[Event]) -> list[tuple[int, Event]]:
    """The last of the events that matter enough, each with its position among all, the oldest first."""
    window, least = manifest.memory
    found: list[tuple[int, Event]] = []
    for at in range(len(events) - 1, -1, -1):
        if len(found) == window:
            break
        if salience(manifest, events[at]) >= least:
            found.append((at, events[at]))
    return found[::-1]


__all__ = ["OTHER", "OWN", "recalled", "salience"]
