"""The engine behind one caller's key."""

import asyncio
import itertools
import json
from collections.abc import Mapping
from typing import Any

from ...model.answer import FailedAnswer
from .decision import Decision, Policy, Run, decisions, simulated
from .gates import blocking

EXECUTE = "execute_decision"
RECEIPT = (
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
"""The ten fields of an ExecutionReceipt."""

DELIVERING_S = 0.02
_NOW = "2026-01-01T00:00:00Z"


class ReferenceEngine:
    """It does what it is told, ``force`` and ``override_safety`` included: that no model says so is others' to see to.

    ``sent`` is how often its webhook was called.
    """

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._admits = told.get("enabled", True) and told.get("role", True)
        self._policy = Policy(told.get("min_confidence"), told.get("risk_floor"))
        self._webhook = told.get("webhook", "delivered")
        self._decisions = decisions(told.get("decisions", {}))
        self._runs: dict[str, Run] = {}
        self._ids = itertools.count(1)
        self.sent = 0

    def advertises(self, tool: str) -> bool:
        """Whether this caller is told of a tool: of the executing one only if it is enabled and the role is held."""
        return tool != EXECUTE or bool(self._admits)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Raises FailedAnswer: the engine says why not."""
        match tool:
            case "get_contract":
                return {"contract_version": "0.1.0", "tools": 7}
            case "query_data":
                return {"rows": [{"dataset_id": arguments.get("dataset_id"), "value": 42}]}
            case "simulate":
                return self._simulate(arguments)
            case "recommend":
                return {"ranking": [one["name"] for one in arguments["actions"]], "method": "closed form"}
            case "plan_decision":
                return {"options": list(arguments.get("run_ids", ())), "rationale": "nothing is executed"}
            case "log_decision":
                return self._log(arguments)
            case _:
                return await self._execute(arguments)

    def _simulate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        run = simulated(arguments["variables"])
        run_id = f"run-{next(self._ids)}"
        self._runs[run_id] = run
        return {"run_id": run_id, "confidence": run.confidence, "p5_downside": run.risk_p5}

    def _log(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of the gates come from the engine's own run, and never from arguments."""
        run = self._runs.get(arguments.get("run_id", ""))
        if run is None and "run_id" in arguments:
            raise _failed(404, "run_not_found", "there is no such run")
        made = Decision(f"decision-{next(self._ids)}", *(run or (None, None)))
        self._decisions[made.id] = made
        return {"decision_id": made.id, "created_at": _NOW}

    async def _execute(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        decision = self._decisions.get(str(arguments.get("decision_id")))
        if decision is None:
            raise _failed(404, "decision_not_found", "there is no such decision; log it first")
        overrides = arguments.get("override_safety") is True
        forced = ("idempotency",) if arguments.get("force") is True and decision.state == "delivered" else ()
        bypassed = frozenset((*forced, *(("confidence", "risk_floor") if overrides else ())))
        gate = blocking(decision, self._policy, bypassed)
        if gate is not None:
            raise _failed(409, f"execution_blocked_{gate}", _WHY[gate], gate)
        needed = overrides and blocking(decision, self._policy, frozenset(("idempotency",))) is not None
        decision.state = "in flight"
        await asyncio.sleep(DELIVERING_S)
        self.sent += 1
        fails = self._webhook == "failed" or (self._webhook == "failed once" and self.sent == 1)
        decision.state = "logged" if fails else "delivered"
        told = (
            decision.id,
            arguments.get("webhook_url"),
            "failed" if fails else "delivered",
            500 if fails else 200,
            _NOW,
            "policy-1",
            "schema-1",
            "1.0.0",
            f"{len(arguments.get('metadata') or {})} members of metadata",
            needed,
        )
        return dict(zip(RECEIPT, told, strict=True))


_WHY = {
    "idempotency": "this decision was delivered already, or is under way",
    "confidence": "its confidence is below policy.min_confidence, or not known",
    "risk_floor": "its risk_p5 is below -policy.risk_floor, or not known",
}


def _failed(status: int, code: str, message: str, gate: str | None = None) -> FailedAnswer:
    error: dict[str, Any] = {"status": status, "code": code, "message": message}
    if gate is not None:
        error["gate"] = gate
    return FailedAnswer(json.dumps({"error": error}), structured={"error": error})


__all__ = ["EXECUTE", "RECEIPT", "ReferenceEngine"]
