"""When a served client's turn ends. It shows no iterations, so silence, time and changes stand for them."""

from collections.abc import Callable

QUIET_S = 1.0
"""Without a call for so long, the client has read its results and thinks anew."""

LONGEST_S = 10.0
"""No turn is older than this when a call begins."""


class Turns:
    """Tells ``next_turn`` to begin another, at the call that finds the turn before it over. It keeps no timer.

    ``now_ns`` is monotonic.
    """

    def __init__(self, next_turn: Callable[[], None], now_ns: Callable[[], int]) -> None:
        self._next_turn = next_turn
        self._now_ns = now_ns
        self._under_way = 0
        self._begun = self._heard = 0
        self._over = True  # none is open before the first call

    def call_begins(self) -> None:
        now = self._now_ns()
        quiet = not self._under_way and now - self._heard >= QUIET_S * 1e9
        if self._over or quiet or now - self._begun >= LONGEST_S * 1e9:
            self._over = False
            self._begun = now
            self._next_turn()
        self._under_way += 1
        self._heard = now

    def call_ends(self) -> None:
        self._under_way -= 1
        self._heard = self._now_ns()

    def end(self) -> None:
        """What was listed has changed: the next call begins another turn."""
        self._over = True
