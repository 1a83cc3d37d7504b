"""Every limit that is always on. Passing one is a typed error."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes in bytes, times in seconds."""

    arguments_bytes: int = 1 << 20
    output_bytes: int = 4 << 20
    ledger_value_bytes: int = 64 << 10
    """An argument object or output above this stands on the ledger as its digest and its beginning."""
    refused_text_bytes: int = 4 << 10
    calls_in_flight: int = 32
    """Of one principal on one event loop."""
    refusals_per_turn: int = 100
    approval_s: float = 300.0
    attempts: int = 3
    """Of an idempotent tool whose transport broke; any other tool is started once."""
    backoff_s: float = 0.1
    threads: int = 64
    """For synchronous handlers that are not inline."""
