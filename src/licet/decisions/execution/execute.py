"""One execution of a logged decision, from the gates to the receipt."""

import json
import ssl
import time
from collections.abc import Callable, Mapping, Set
from hashlib import sha256
from typing import Any, NamedTuple

from ...schema.canonical import NotJson, freeze
from ..error import DecisionError
from ..memory import Decision, Memory, Standing
from ..memory.moment import written
from .gates import NO_BYPASS, Bypass, Gate, Policy, blocking, told, unsafe
from .receipt import Snapshots, receipt
from .webhook import Delivery, Dial, Resolve, WebhookTerms, deliver, target_of
from .webhook.delivery import dial as dial_directly
from .webhook.signature import headers

MOST_PAYLOAD = 64 * 1024
"""Bytes of the body that a webhook gets."""


class Order(NamedTuple):
    """What is to be done. ``actor`` is a key's id, or ``operator``. ``timeout_s`` only shortens the operator's."""

    actor: str
    webhook_url: str
    metadata: Mapping[str, Any] | None = None
    timeout_s: float | None = None
    bypass: Bypass = NO_BYPASS


class Executor:
    """Executes decisions of one memory. It blocks its thread until the other side has answered, or the time is over.

    ``own_ports`` are ports of the engine itself, which no webhook may be: whoever listens adds to them.
    """

    def __init__(
        self,
        memory: Memory,
        policy: Policy,
        terms: WebhookTerms,
        snapshots: Snapshots,
        resolve: Resolve,
        *,
        own_ports: Set[int] = frozenset(),
        dial: Dial = dial_directly,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._memory = memory
        self._policy = policy
        self._terms = terms
        self._snapshots = snapshots
        self._resolve = resolve
        self._own_ports = own_ports
        self._dial = dial
        self._tls = tls
        self._now = now

    def execute(self, tenant: str, decision_id: str, order: Order) -> dict[str, Any]:
        """The receipt. Its beginning is on stable storage before anything is sent.

        Raises:
            DecisionError: ``decision_not_found`` (404), ``webhook_not_allowed`` or ``payload_too_large`` (422),
                ``execution_blocked_<gate>`` (409) with the member ``gate``, ``memory_unavailable`` (503). Nothing was
                sent.
        """
        decision = self._memory.decision(tenant, decision_id)
        if decision is None:
            raise DecisionError("decision_not_found", "there is no such decision; log it first", status=404)
        body = self._payload(decision, order)
        target = target_of(order.webhook_url, self._terms, self._resolve, self._own_ports)
        overridden = order.bypass.override_safety and unsafe(decision, self._policy) is not None

        def judge(decision: Decision, standing: Standing) -> Gate | None:
            return blocking(decision, standing, self._policy, order.bypass)

        intent = {"webhook_url": order.webhook_url, "bypass": order.bypass._asdict(), "payload": json.loads(body)}
        begun, gate = self._memory.begin(decision, order.actor, intent, judge)
        if gate is not None:
            raise DecisionError(f"execution_blocked_{gate}", told(gate), status=409, details={"gate": gate})
        assert begun is not None
        delivery, made = Delivery("unknown", None), {}
        try:
            signed = headers(self._terms.secret, begun.execution_id, int(self._now()), body)
            patience_s = min(order.timeout_s or self._terms.timeout_s, self._terms.timeout_s)
            delivery = deliver(target, body, signed, patience_s, dial=self._dial, tls=self._tls)
        finally:
            made = receipt(
                decision.decision_id,
                order.webhook_url,
                delivery,
                written(self._now()),
                self._snapshots,
                _summary(body, order.metadata),
                overridden,
            )
            self._end(begun, delivery, made)
        return made

    def _end(self, begun: Any, delivery: Delivery, made: Mapping[str, Any]) -> None:
        """What was done cannot be undone: where the end is not kept the receipt is true all the same, and the next
        execution finds a beginning without an end.
        """
        try:
            self._memory.end(begun, delivery.state, made)
        except DecisionError:
            return

    def _payload(self, decision: Decision, order: Order) -> bytes:
        whole = {
            "decision_id": decision.decision_id,
            "chosen_action": decision.chosen_action,
            "rationale": decision.rationale,
            "run_id": decision.run_id,
            "confidence": decision.confidence,
            "risk_p5": decision.risk_p5,
            "logged_at": decision.created_at,
            "policy_snapshot_id": self._snapshots.policy,
            "schema_snapshot_id": self._snapshots.schema,
            "manifest_version": self._snapshots.manifest,
            "metadata": dict(order.metadata or {}),
        }
        try:
            return freeze(whole, limit_bytes=MOST_PAYLOAD)[0]
        except NotJson as exc:
            raise DecisionError(
                "payload_too_large", f"metadata cannot be sent: {exc.problem}; send less of it", status=422
            ) from None


def _summary(body: bytes, metadata: Mapping[str, Any] | None) -> str:
    return f"{len(body)} bytes of JSON, {len(metadata or {})} members of metadata, sha256:{sha256(body).hexdigest()}"


__all__ = ["MOST_PAYLOAD", "Executor", "Order"]
