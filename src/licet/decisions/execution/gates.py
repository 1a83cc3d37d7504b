"""The three gates, in their order. Each is a question to one logged decision; the first that is answered yes blocks."""

from typing import Literal, NamedTuple

from ..memory.facts import Decision, Standing

Gate = Literal["idempotency", "confidence", "risk_floor"]


class Policy(NamedTuple):
    """The operator's thresholds; None: none is set. ``risk_floor`` is in the objective's unit, as a loss above zero."""

    min_confidence: float | None = None
    risk_floor: float | None = None


class Bypass(NamedTuple):
    """What an operator sets by hand, for one execution."""

    force: bool = False
    override_safety: bool = False


NO_BYPASS = Bypass()


def blocking(decision: Decision, standing: Standing, policy: Policy, bypass: Bypass = NO_BYPASS) -> Gate | None:
    """The one gate that blocks; None: none does.

    ``force`` passes over what was delivered or left unknown, and never over what is under way.
    """
    if standing == "in_flight" or (standing != "fresh" and not bypass.force):
        return "idempotency"
    return None if bypass.override_safety else unsafe(decision, policy)


def unsafe(decision: Decision, policy: Policy) -> Literal["confidence", "risk_floor"] | None:
    """Which number of the decision is not good enough. An unknown one is not, where a threshold is set; equal is."""
    least, floor = policy
    if least is not None and (decision.confidence is None or decision.confidence < least):
        return "confidence"
    if floor is not None and (decision.risk_p5 is None or decision.risk_p5 < -floor):
        return "risk_floor"
    return None


_WHY = {
    "idempotency": "this decision was delivered already, is under way, or was begun and its effect is not known",
    "confidence": "its confidence is below policy.min_confidence, or not known: it was logged without a run",
    "risk_floor": "its risk_p5 is below -policy.risk_floor, or not known: it was logged without a run",
}


def told(gate: Gate) -> str:
    """Why, for whoever called. It names no number of the policy."""
    return f"execution is blocked by {gate}: {_WHY[gate]}"


__all__ = ["NO_BYPASS", "Bypass", "Gate", "Policy", "blocking", "told", "unsafe"]
