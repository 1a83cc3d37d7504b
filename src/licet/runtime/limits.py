"""Every limit that is always on. Passing one is a typed error."""

import math
from dataclasses import dataclass, fields

from ..errors import ConfigurationError


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
    progress_s: float = 600.0
    """For a call that reports progress: each report gives it its timeout anew, up to here after its start."""
    threads: int = 64
    """For synchronous handlers that are not inline."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError: a limit is no number, or would let nothing through."""
        for field in fields(self):
            value, kind = getattr(self, field.name), type(field.default)
            least = 0 if field.name == "backoff_s" else 1 if kind is int else math.ulp(0)
            if type(value) not in (int, kind) or not (math.isfinite(value) and value >= least):
                raise ConfigurationError(f"{field.name} is a finite {kind.__name__} above 0, not {value!r}")
