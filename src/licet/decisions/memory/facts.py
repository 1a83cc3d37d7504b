"""What is remembered, as it is handed out."""

from typing import Literal, NamedTuple

Standing = Literal["fresh", "in_flight", "delivered", "unknown"]
"""Of a decision's executions. ``fresh``: none, or all failed. ``unknown``: of one nobody knows the effect."""

Outcome = Literal["delivered", "failed", "unknown"]
"""Of one execution. ``failed``: the target did not take it. ``unknown``: it was sent, and no answer came."""


class Decision(NamedTuple):
    """One logged decision.

    ``confidence`` is a share of 0 to 1, ``risk_p5`` is in the objective's unit: both of its run, None without one.
    """

    decision_id: str
    tenant: str
    chosen_action: str
    run_id: str | None
    rationale: str | None
    confidence: float | None
    risk_p5: float | None
    created_at: str


class Execution(NamedTuple):
    """One that was begun: ``number`` is its place in the file, ``execution_id`` its name on the wire."""

    number: int
    execution_id: str


class Plan(NamedTuple):
    """What a person was asked: exactly these bytes, until then. ``state`` is what was answered."""

    plan_hash: str
    nonce_digest: str
    body: str
    expires_at_us: int
    state: Literal["proposed", "approved", "rejected", "executed"]


__all__ = ["Decision", "Execution", "Outcome", "Plan", "Standing"]
