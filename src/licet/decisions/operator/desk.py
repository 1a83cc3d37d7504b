"""What an operator does: executes by hand, switches keys, and answers plans."""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from ..caller import Caller
from ..error import DecisionError
from ..execution import Bypass, Executor, Order, Snapshots
from ..memory import Memory
from . import plans

OPERATOR = "operator"
MOST_PATIENCE_S = 7 * 24 * 3600
"""How long a plan may wait for its answer."""


class Desk:
    """Each method takes and gives JSON values, raises DecisionError, and may block its thread.

    An answer to a plan is ``{code, plan_hash}`` with ``plan_approved`` or ``plan_rejected``; the errors are
    ``plan_not_found`` (404: the hash is wrong), ``plan_nonce_wrong`` (403), ``plan_answered`` (409: somebody answered
    already) and ``plan_expired`` (410).
    """

    def __init__(
        self,
        memory: Memory,
        executor: Executor,
        callers: Iterable[Caller],
        snapshots: Snapshots,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._memory = memory
        self._executor = executor
        self._callers = {caller.key_id: caller for caller in callers}
        self._snapshots = snapshots
        self._now = now

    def execute(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The receipt of one execution, with ``force`` and ``override_safety`` as they are told."""
        return self._executor.execute(told["tenant"], told["decision_id"], _order(told))

    def keys(self) -> dict[str, Any]:
        """Every key by its id, with what it may do now."""
        return {"keys": [self._key(caller) for caller in self._callers.values()]}

    def enable(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Switch executing on or off for a key. Of the role that the file gives it nothing changes.

        Raises DecisionError ``key_not_found`` (404).
        """
        caller = self._callers.get(told["key_id"])
        if caller is None:
            raise DecisionError("key_not_found", "there is no such key; list the keys", status=404)
        self._memory.enable(caller.key_id, told["enabled"])
        return self._key(caller)

    def propose(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """A plan for somebody to answer: ``{plan_hash, nonce, expires_at_us, plan}``. Nothing is executed.

        The hash binds tenant, decision, webhook, payload, flags, expiry and the policy in force.

        Raises DecisionError ``decision_not_found`` (404).
        """
        if self._memory.decision(told["tenant"], told["decision_id"]) is None:
            raise DecisionError("decision_not_found", "there is no such decision; log it first", status=404)
        patience_s = told.get("expires_in_seconds", 900)
        execution = {name: value for name, value in told.items() if name != "expires_in_seconds"}
        made = plans.plan_of(execution, self._snapshots, self._now_us() + round(patience_s * 1_000_000))
        nonce = secrets.token_hex(32)  # a word of a command line may not begin with a dash
        self._memory.propose(made.plan_hash, nonce, made.body, made.expires_at_us)
        return {
            "plan_hash": made.plan_hash,
            "nonce": nonce,
            "expires_at_us": made.expires_at_us,
            "plan": plans.read(made.body),
        }

    def approve(self, told: Mapping[str, Any]) -> dict[str, Any]:
        return self._answer(told, "approved")

    def reject(self, told: Mapping[str, Any]) -> dict[str, Any]:
        return self._answer(told, "rejected")

    def execute_plan(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The receipt of a plan that was approved: what is executed is what its hash binds, once.

        Raises DecisionError: ``plan_not_found``, ``plan_not_approved`` (409), ``plan_executed`` (409), ``plan_expired``
        (410), ``plan_stale`` (409: the policy changed since), and what ``execute`` raises.
        """
        body = self._memory.answer(told["plan_hash"], lambda plan: plans.due(plan, self._now_us()), "executed")
        plan = plans.read(body)
        if plan["in_force"] != list(self._snapshots):
            raise DecisionError("plan_stale", "what is in force changed since; propose it again", status=409)
        return self.execute(plan["execution"])

    def _answer(self, told: Mapping[str, Any], answer: Literal["approved", "rejected"]) -> dict[str, Any]:
        def judge(plan: Any) -> None:
            plans.answerable(plan, told["nonce"], self._now_us())

        self._memory.answer(told["plan_hash"], judge, answer)
        return {"code": f"plan_{answer}", "plan_hash": told["plan_hash"]}

    def _key(self, caller: Caller) -> dict[str, Any]:
        switched = self._memory.enabled(caller.key_id)
        enabled = caller.enabled if switched is None else switched
        return {
            "key_id": caller.key_id,
            "tenant": caller.tenant,
            "role": caller.role,
            "role_may_execute": caller.may_execute,
            "enabled": enabled,
        }

    def _now_us(self) -> int:
        return int(self._now() * 1_000_000)


def _order(told: Mapping[str, Any]) -> Order:
    bypass = Bypass(told.get("force", False), told.get("override_safety", False))
    return Order(OPERATOR, told["webhook_url"], told.get("metadata"), told.get("timeout_seconds"), bypass)


__all__ = ["MOST_PATIENCE_S", "Desk"]
