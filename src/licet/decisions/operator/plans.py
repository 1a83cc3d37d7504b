"""A plan that a person answers: what its hash binds, and who may answer it when."""

import hmac
import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ...schema.canonical import NotJson, digest, freeze
from ..error import DecisionError
from ..execution import MOST_PAYLOAD, Snapshots
from ..memory import Plan


def plan_of(execution: Mapping[str, Any], snapshots: Snapshots, expires_at_us: int) -> Plan:
    """The hash is of the plan's canonical JSON, a random part included, so that no two plans have the same.

    Raises DecisionError ``payload_too_large`` (422).
    """
    whole = {
        "execution": dict(execution),
        "in_force": list(snapshots),
        "expires_at_us": expires_at_us,
        "salt": secrets.token_hex(16),
    }
    try:
        body, _ = freeze(whole, limit_bytes=2 * MOST_PAYLOAD)
    except NotJson as exc:
        raise DecisionError("payload_too_large", f"the plan cannot be kept: {exc.problem}; send less of it") from None
    return Plan(digest(body), "", body.decode(), expires_at_us, "proposed")


def read(body: str) -> dict[str, Any]:
    return dict(json.loads(body))


def answerable(plan: Plan | None, nonce: str, now_us: int) -> None:
    """Raises DecisionError: nobody may answer this plan with this nonce now. A wrong nonce learns nothing else."""
    found = _found(plan)
    if not hmac.compare_digest(found.nonce_digest, sha256(nonce.encode("utf-8", "surrogateescape")).hexdigest()):
        raise DecisionError("plan_nonce_wrong", "the nonce is not this plan's; nothing was answered", status=403)
    if found.state != "proposed":
        raise DecisionError("plan_answered", f"this plan was {found.state} already; propose another", status=409)
    _in_time(found, now_us)


def due(plan: Plan | None, now_us: int) -> str:
    """The body of a plan that may be executed. Raises DecisionError: it may not."""
    found = _found(plan)
    if found.state == "executed":
        raise DecisionError("plan_executed", "this plan was executed already; propose another", status=409)
    if found.state != "approved":
        raise DecisionError("plan_not_approved", "nobody approved this plan", status=409)
    _in_time(found, now_us)
    return found.body


def _found(plan: Plan | None) -> Plan:
    if plan is None:
        raise DecisionError("plan_not_found", "there is no plan of this hash", status=404)
    return plan


def _in_time(plan: Plan, now_us: int) -> None:
    if now_us >= plan.expires_at_us:
        raise DecisionError("plan_expired", "the time for this plan is over; propose it again", status=410)


__all__ = ["answerable", "due", "plan_of", "read"]
