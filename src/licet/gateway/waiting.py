"""Calls that wait between two requests: in the stateless era a question ends the first, and the second answers it."""

from typing import Any

from .flight import Flight

MOST_WAITING = 64
"""The one that waits longest is refused when one more comes."""


class Waiting:
    """By call id, each taken out once: an answer that is sent again finds nothing."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._flights: dict[str, Flight] = {}

    def put(self, call_id: str, flight: Flight) -> None:
        for ended in [other for other, known in self._flights.items() if known.task.done()]:
            del self._flights[ended]
        if len(self._flights) >= self._most:
            self._flights.pop(next(iter(self._flights))).answer(accepted=False)
        self._flights[call_id] = flight

    def take(self, call_id: Any, name: str, arguments: Any) -> Flight | None:
        """The call, if this request speaks of that very one."""
        flight = self._flights.pop(call_id, None) if isinstance(call_id, str) else None
        return flight if flight is not None and flight.is_of(name, arguments) else None


__all__ = ["Waiting"]
