"""What a scenario puts on the ledger, besides the calls: where it began, its turns, its events, how it ended."""

import os
from collections.abc import Mapping
from typing import Any

import orjson

from ...ledger.redact import redact
from ...model.entry import Draft
from ...ports import Clock, Ledger
from ...runtime.append import append, append_blocking
from ...runtime.record import unavailable

OPENED = "scenario.opened"
EVENT_REFUSED = "scenario.event_refused"
TURN_FAILED = "scenario.turn_failed"
TURN_PASSED = "scenario.turn_passed"
LIMITED = "scenario.limited"
ASKING = "scenario.asking"
"""A provider's model is about to be asked. The tokens of its trace are those that it may use, too."""

RESUMED = "scenario.resumed"
ENDED = "scenario.ended"

MOST_EVENT_BYTES = 64 * 1024
"""Of one event's payload."""


class Journal:
    """Writes a run's own entries. Bodies hold what happened and nothing of when, how long or over which transport."""

    def __init__(self, ledger: Ledger, clock: Clock, run_id: str, *, folder: str = "") -> None:
        """``folder`` is where it is played; it stands in the trace of how it began."""
        self.run_id = run_id
        self._folder = folder
        self.turn = 0
        """Which turn it is, and how many tokens were used by its end; both stand in the trace."""
        self.tokens = 0
        self.clock = clock
        self._ledger = ledger
        self._key = os.urandom(32)  # a redacted value is told by it alone, and never twice alike

    def note(self, kind: str, actor: str, body: Mapping[str, Any]) -> None:
        """An entry of the scenario. Raises LedgerUnavailableError."""
        self._append(kind, actor, orjson.dumps(dict(body), option=orjson.OPT_SORT_KEYS))

    def event(self, kind: str, actor: str, payload: bytes) -> None:
        """An agent's event, whose payload is canonical JSON. Raises LedgerUnavailableError."""
        self._append(kind, actor, redact(payload, key=self._key, limit_bytes=MOST_EVENT_BYTES))

    async def asking(self, actor: str, tokens: int) -> None:
        """Note, and wait until it is kept, how many tokens are used if a model uses all that it may.

        Raises:
            LedgerUnavailableError: the ledger cannot be written.
        """
        told = {"at_us": self.clock.time_ns() // 1000, "tokens": tokens, "turn": self.turn}
        draft = Draft(self.run_id, ASKING, actor, b"{}", orjson.dumps(told))
        await append(self._ledger, draft, durable=True)

    def close(self) -> None:
        """Wait until all of it is on the ledger. Raises LedgerUnavailableError."""
        try:
            self._ledger.flush()
        except Exception as exc:
            raise unavailable(exc) from exc

    def _append(self, kind: str, actor: str, body: bytes) -> None:
        where = {"folder": self._folder} if self._folder and kind == OPENED else {}
        told = {"at_us": self.clock.time_ns() // 1000, **where, "tokens": self.tokens, "turn": self.turn}
        trace = orjson.dumps(told)
        append_blocking(self._ledger, Draft(self.run_id, kind, actor, body, trace), durable=False)


__all__ = [
    "ASKING",
    "ENDED",
    "EVENT_REFUSED",
    "LIMITED",
    "MOST_EVENT_BYTES",
    "OPENED",
    "RESUMED",
    "TURN_FAILED",
    "TURN_PASSED",
    "Journal",
]
