"""What a completed execution is answered with: ten fields, whether the target took it or not."""

from typing import Any, NamedTuple

from .webhook import Delivery


class Snapshots(NamedTuple):
    """Digests of what was in force: the policy, the tools' schemas, and the manifest of the engine."""

    policy: str
    schema: str
    manifest: str


FIELDS = (
    "decision_id",
    "webhook_url",
    "execution_status",
    "response_code",
    "executed_at",
    "policy_snapshot_id",
    "schema_snapshot_id",
    "manifest_version",
    "payload_summary",
    "safety_overridden",
)
"""Of every receipt, exactly."""


def receipt(
    decision_id: str,
    webhook_url: str,
    delivery: Delivery,
    executed_at: str,
    snapshots: Snapshots,
    payload_summary: str,
    safety_overridden: bool,
) -> dict[str, Any]:
    """``execution_status`` is ``delivered`` or ``failed``; without an answer ``response_code`` is null."""
    status = "delivered" if delivery.state == "delivered" else "failed"
    told = (decision_id, webhook_url, status, delivery.response_code, executed_at, *snapshots, payload_summary)
    return dict(zip(FIELDS, (*told, safety_overridden), strict=True))


__all__ = ["FIELDS", "Snapshots", "receipt"]
