"""One link of the ledger."""

from typing import NamedTuple

GENESIS = b"\0" * 32
"""The head before the first entry."""


class Draft(NamedTuple):
    """An entry before the ledger gave it a place. ``body`` and ``trace`` are canonical JSON in UTF-8."""

    run_id: str
    kind: str
    actor: str
    body: bytes
    trace: bytes


class Entry(NamedTuple):
    """An entry in its place: ``digest`` says what happened, ``head`` chains it to everything before."""

    seq: int
    run_id: str
    kind: str
    actor: str
    body: bytes
    trace: bytes
    digest: bytes
    head: bytes


class CallRecord(NamedTuple):
    """What the ledger knows of one call id: how it began and how it ended, if it did."""

    opened: Entry | None
    closed: Entry | None
