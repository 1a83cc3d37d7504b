"""The three gates, in their order. Each is a question to one decision; the first that is answered yes blocks."""

from collections.abc import Callable

from .decision import Decision, Policy

Gate = Callable[[Decision, Policy], bool]


def idempotency(decision: Decision, policy: Policy) -> bool:
    """It was delivered, or its execution is under way. One that failed may be tried again."""
    return decision.state != "logged"


def confidence(decision: Decision, policy: Policy) -> bool:
    """It is below the threshold, or not known where one is set. Equal passes."""
    least = policy.min_confidence
    return least is not None and (decision.confidence is None or decision.confidence < least)


def risk_floor(decision: Decision, policy: Policy) -> bool:
    """The fifth percentile lies below the negative floor, or is not known where one is set. Equal passes."""
    floor = policy.risk_floor
    return floor is not None and (decision.risk_p5 is None or decision.risk_p5 < -floor)


GATES: tuple[tuple[str, Gate], ...] = (
    ("idempotency", idempotency),
    ("confidence", confidence),
    ("risk_floor", risk_floor),
)


def blocking(decision: Decision, policy: Policy, bypassed: frozenset[str] = frozenset()) -> str | None:
    """The one gate that blocks; None: none does. ``bypassed`` is an operator's affair."""
    return next((name for name, gate in GATES if name not in bypassed and gate(decision, policy)), None)
