"""The small runtime with profiles, and the reference engine with faults: ids of the profile suite's vectors."""

from collections.abc import Mapping
from typing import Any

import pytest
from plain_subject import Plain

from licet.conformance import Options, Tool
from licet.conformance import engine as engines
from licet.conformance.answer import carried
from licet.conformance.engine import decision, gates, reference
from licet.profiles import Fields, profile, scrubbed, stripped
from licet.profiles.fields import fields

NEVER = ("force", "override_safety")
EXECUTE = "execute_decision"

OPENED = {
    "profile.observe-calls": ("observe", "log_decision"),
    "profile.govern-calls": ("govern", EXECUTE),
    "profile.execute-calls": ("execute", "reindex"),
}
"""Which tool a fault opens under which profile."""


def fields_of(tool: str) -> Fields:
    return fields(NEVER, ("metadata",) if tool == EXECUTE else ())


class Profiled(Plain):
    """Shows the contract's tools for a profile, and takes out what no model may set."""

    async def setup(self, tools: Any, options: Options) -> None:
        self.asked = options.profile
        self.held = profile(self._named(options.profile))
        advertised = {tool.name for tool in tools}
        shown = {name for name in advertised if self.held.has(name)}
        if self.breaks(f"profile.{self.asked}") and EXECUTE in advertised:
            shown.discard("query_data")
        kept = Options(source_is_dead=options.source_is_dead)
        await super().setup([self._guarded(tool)._replace(granted=tool.name in shown) for tool in tools], kept)

    def _named(self, name: str | None) -> str:
        if name is None:
            return "govern" if self.breaks("profile.default") else "observe"
        if name == "Observe" and self.breaks("profile.unknown-case"):
            return "observe"
        return "observe" if name == "admin" and self.breaks("profile.unknown") else name

    def _guarded(self, tool: Tool) -> Tool:
        held = fields_of(tool.name)
        told = held.unmentioned(tool.description)
        if tool.name == "simulate" and self.breaks(f"fields.shown-{self.asked}"):
            told += " It takes no Force."
        return tool._replace(description=told, input_schema=dict(stripped(tool.input_schema, held)))

    async def list(self) -> Any:
        shown = await super().list()
        if self.breaks("profile.names"):
            shown[0]["name"] = f"engine__{shown[0]['name']}"
            self.names[shown[0]["name"]] = "get_contract"
        return shown

    def _found(self, name: str) -> Tool | None:
        found = super()._found(name)
        opened = [tool for fault, (held, tool) in OPENED.items() if self.breaks(fault) and self.held.name == held]
        return found._replace(granted=True) if found is not None and name in opened else found

    async def _call(self, name: str, arguments: Any) -> dict[str, Any]:
        if self.breaks("profile.unknown-alike") and name == EXECUTE and self.held.name == "observe":
            return self._failed("forbidden", "it is not in the profile")
        kept = self._kept(name, arguments)
        if kept is None:
            return self._failed("invalid_arguments", "no model may set this")
        answer = await super()._call(name, kept)
        if name == EXECUTE and answer["ok"] and self.breaks("receipt.read"):
            return {**answer, "content": "done"}
        if name == EXECUTE and answer["ok"] and self.breaks("receipt.synchronous"):
            return {**answer, "content": f"{answer['content']} The approval is pending."}
        return answer

    def _overlooks(self, error: Any, arguments: Any) -> bool:
        return self.breaks("admission.invalid") and "webhook_url" in error.message

    def _kept(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments without what no model may set; None: it is only written like that."""
        if self.breaks("fields.metadata") and "metadata" in arguments:
            return {**arguments, "metadata": {}}
        if self.breaks("fields.value") and "force" in str(arguments.get("options")):
            return None
        if self._lets_through(tool, arguments):
            return arguments
        found = scrubbed(arguments, fields_of(tool))
        return None if found.problem else dict(found.arguments)

    def _lets_through(self, tool: str, arguments: dict[str, Any]) -> bool:
        top = [name for name in NEVER if name in arguments]
        carries = carried({key: value for key, value in arguments.items() if key != "metadata"}, NEVER)
        is_text = any(isinstance(value, str) and "{" in value for value in arguments.values())
        faults = {
            "fields.top": bool(top) and not self.held.is_full,
            "fields.full": bool(top) and self.held.is_full,
            "fields.nested": "options" in arguments and carries in NEVER,
            "fields.batch": tool == "run_batch",
            "fields.spelled": carries is not None and carries not in NEVER,
            "fields.text": is_text,
            "gates.force": top == ["force"],
            "gates.override": top == ["override_safety"],
        }
        return any(self.breaks(fault) for fault, is_it in faults.items() if is_it)


class FaultyEngine(reference.ReferenceEngine):
    """Breaks one promise of the engine's."""

    def __init__(self, told: Mapping[str, Any], faults: tuple[str, ...]) -> None:
        ignored = {"admission.disabled": "enabled", "admission.role": "role"}
        kept = {key: value for key, value in told.items() if key not in {ignored.get(fault) for fault in faults}}
        super().__init__(kept)
        self.faults = faults
        for one in self._decisions.values():
            if "gates.idempotency" in faults and (one.confidence, one.risk_p5) == (0.9, 0):
                one.state = "logged"

    def _log(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        logged = super()._log(arguments)
        if "gates.numbers" in self.faults:
            self._decisions[logged["decision_id"]].confidence = 1.0
        return logged

    async def _execute(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        named = str(arguments.get("decision_id"))
        if "admission.unlogged" in self.faults:
            self._decisions.setdefault(named, decision.Decision(named, 1.0, 0.0))
        if (
            "receipt.at-once" in self.faults
            and named in self._decisions
            and self._decisions[named].state == "in flight"
        ):
            self._decisions[named].state = "logged"
        receipt = await super()._execute(arguments)
        if "gates.twice" in self.faults:
            self._decisions[named].state = "logged"
        if receipt["execution_status"] == "failed" and "gates.after-failure" in self.faults:
            self._decisions[named].state = "delivered"
        if receipt["execution_status"] == "failed" and "receipt.failed" in self.faults:
            raise reference.FailedAnswer("the webhook failed")
        return {**receipt, "approved_by": "nobody"} if "receipt.fields" in self.faults else receipt


def faulty_gates(faults: tuple[str, ...]) -> tuple[tuple[str, gates.Gate], ...]:
    """The three gates, as an engine has them that breaks a promise."""

    def confidence(one: decision.Decision, policy: decision.Policy) -> bool:
        least, known = policy.min_confidence, one.confidence
        if known is None:
            return "gates.unknown-confidence" not in faults and (least is not None or "gates.none" in faults)
        known = round(known, 1) if "gates.confidence" in faults else known
        return least is not None and (known < least or (known == least and "gates.equal" in faults))

    def risk_floor(one: decision.Decision, policy: decision.Policy) -> bool:
        if one.risk_p5 is None and "gates.unknown-risk" in faults:
            return False
        known = round(one.risk_p5, 1) if "gates.risk-floor" in faults and one.risk_p5 is not None else one.risk_p5
        return gates.risk_floor(decision.Decision("", None, known), policy)

    made = {"idempotency": gates.idempotency, "confidence": confidence, "risk_floor": risk_floor}
    order = ["idempotency", "confidence", "risk_floor"]
    if "gates.order-first" in faults:
        order = ["confidence", "risk_floor", "idempotency"]
    if "gates.order-second" in faults:
        order = ["idempotency", "risk_floor", "confidence"]
    return tuple((name, made[name]) for name in order)


def put_faulty_engine(monkeypatch: pytest.MonkeyPatch, faults: tuple[str, ...]) -> None:
    """From now on the suite's engine breaks these promises."""
    monkeypatch.setattr(engines, "ReferenceEngine", lambda told: FaultyEngine(told, faults))
    monkeypatch.setattr(gates, "GATES", faulty_gates(faults))
