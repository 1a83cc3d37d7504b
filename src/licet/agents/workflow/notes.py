"""How the entries of a workflow come to its run's ledger."""

from typing import Any

import orjson

from ...model.entry import Draft
from ...ports import Clock, Ledger
from ...runtime.append import append_blocking
from ...runtime.clock import SystemClock
from .entries import BEGUN, ENDED, REPLIED
from .task import Note

_WAITED_FOR = frozenset({BEGUN, REPLIED, ENDED})
"""What the calls of a run do not say themselves: lost, it could not be had again."""


def notes(ledger: Ledger, run_id: str, actor: str, clock: Clock | None = None) -> Note:
    """Writes entries for a ``Driver``, by its actor, or by the participant who answered.

    What it gives raises LedgerUnavailableError: the entry could not be written.
    """
    timed = clock or SystemClock()

    def note(kind: str, body: dict[str, Any]) -> None:
        by = body["participant"] if kind == REPLIED else actor
        text, trace = orjson.dumps(body, option=orjson.OPT_SORT_KEYS), b'{"at_us":%d}' % (timed.time_ns() // 1000)
        append_blocking(ledger, Draft(run_id, kind, by, text, trace), durable=kind in _WAITED_FOR)

    return note
