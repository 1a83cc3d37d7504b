"""What the engine holds: runs, decisions, and the policy that its operator set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Run(NamedTuple):
    """One simulation. ``confidence`` is a share of 0 to 1, ``risk_p5`` is in the objective's unit."""

    confidence: float
    risk_p5: float


@dataclass
class Decision:
    """Null numbers: it was logged without a run. ``state`` is ``logged``, ``in flight`` or ``delivered``."""

    id: str
    confidence: float | None = None
    risk_p5: float | None = None
    state: str = "logged"


class Policy(NamedTuple):
    """None: no threshold is set."""

    min_confidence: float | None = None
    risk_floor: float | None = None


def simulated(variables: Any) -> Run:
    """A run of the sum of variables, as if each were uniform between its bounds and all moved together."""
    low = sum(float(one["low"]) for one in variables)
    high = sum(float(one["high"]) for one in variables)
    width = high - low
    above = 1.0 if low > 0 else 0.0 if high <= 0 or not width else high / width
    return Run(round(above, 6), round(low + 0.05 * width, 6))


def decisions(told: Mapping[str, Mapping[str, Any]]) -> dict[str, Decision]:
    """Those that stand there before a vector begins."""
    return {
        name: Decision(
            name, one.get("confidence"), one.get("risk_p5"), "delivered" if one.get("delivered") else "logged"
        )
        for name, one in told.items()
    }
