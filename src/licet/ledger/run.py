"""What a ledger tells of its runs."""

from collections.abc import Iterable
from typing import NamedTuple

from .call import FAILED, REFUSED, REQUESTED, fields_of

AT_US = "at_us"
"""The key of an entry's trace that holds the wall time, in microseconds since 1970."""

ROLLBACK_BEGUN = "run.rollback_begun"
"""Somebody is about to undo calls of the run: until ``run.rolled_back`` some of its files may be as they were."""

ROLLED_BACK = "run.rolled_back"
"""The effects of calls of the run were undone; the body lists the calls."""

Line = tuple[str, str, str, str | None, bytes]
"""Run id, kind, actor, call id and trace of one entry."""


class RunSummary(NamedTuple):
    """One run. Times are microseconds since 1970, or None where the trace holds none.

    ``calls`` counts call ids; of these ``refused`` were stopped before a transport, ``failed`` after it, and
    ``unknown`` have no end (yet). ``rolled_back`` tells that calls were undone, and none began since.
    """

    run_id: str
    actor: str
    started_us: int | None
    ended_us: int | None
    calls: int
    refused: int
    failed: int
    unknown: int
    rolled_back: bool = False


class _Run:
    """One run while its entries are counted."""

    __slots__ = ("actor", "calls", "failed", "first", "last", "open", "refused", "rolled_back")

    def __init__(self, actor: str, trace: bytes) -> None:
        self.actor = actor
        self.first = self.last = trace
        self.calls = self.refused = self.failed = 0
        self.open: set[str] = set()
        self.rolled_back = False

    def count(self, kind: str, call_id: str) -> None:
        if kind == REQUESTED:
            self.open.add(call_id)
            self.calls += 1
            self.rolled_back = False
            return
        if call_id in self.open:
            self.open.discard(call_id)
        elif kind in REFUSED:
            self.calls += 1
        else:
            return
        self.refused += kind in REFUSED
        self.failed += kind in FAILED

    def summary(self, run_id: str) -> RunSummary:
        started_us, ended_us = _at_us(self.first), _at_us(self.last)
        counts = (self.calls, self.refused, self.failed, len(self.open))
        return RunSummary(run_id, self.actor, started_us, ended_us, *counts, self.rolled_back)


def summarise(lines: Iterable[Line]) -> list[RunSummary]:
    """One summary a run, in the order in which they began; entries that carry no run's id are left out."""
    runs: dict[str, _Run] = {}
    for run_id, kind, actor, call_id, trace in lines:
        if not run_id:
            continue
        run = runs.get(run_id)
        if run is None:
            run = runs[run_id] = _Run(actor, trace)
        run.last = trace
        if kind == ROLLED_BACK:
            run.rolled_back = True
        if call_id is not None:
            run.count(kind, call_id)
    return [run.summary(run_id) for run_id, run in runs.items()]


def _at_us(trace: bytes) -> int | None:
    value = fields_of(trace).get(AT_US)
    return value if isinstance(value, int) else None


__all__ = ["AT_US", "Line", "RunSummary", "summarise"]
