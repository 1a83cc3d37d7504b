"""Whatever is done in whatever order, an execution ends in one way: the one that the model of the gates says."""

import asyncio
import json
import os
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engines import DOUBTFUL, SURE, NoData, caller, key_id, settings
from hooks import OK, Hook, says
from licet.decisions.engine import Engine
from licet.decisions.error import DecisionError
from licet.decisions.execution import FIELDS, Bypass, blocking
from licet.decisions.execution.gates import unsafe

STEPS = int(os.environ.get("LICET_DECISION_STEPS", "600"))
"""In all; 10,000 in the figures that are published."""
STEPS_OF_ONE = 50
RISKY = {**SURE, "variables": [{"name": "gain", "low": -60, "high": 140}]}
SCENARIOS = {"sure": SURE, "doubtful": DOUBTFUL, "risky": RISKY, "none": None}
ANSWERS = {"delivered": OK, "failed": b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "unknown": b""}
TENANTS = {"NORTH_TRADER": "north", "NORTH_ANALYST": "north", "NORTH_IDLE": "north", "SOUTH_TRADER": "south"}
MIN_CONFIDENCE, RISK_FLOOR = 0.6, 20.0
TAKEN = Counter[str]()
"""What was done, over all examples: the test below looks whether everything was."""


@dataclass
class Known:
    """A decision as the model knows it. ``arrived`` counts requests, ``unforced`` those that were not refused and that
    nobody forced: one at most.
    """

    tenant: str
    confidence: float | None
    risk_p5: float | None
    standing: str = "fresh"
    arrived: int = 0
    unforced: int = 0

    def gate(self, force: bool, override: bool) -> str | None:
        if self.standing != "fresh" and not force:
            return "idempotency"
        if not override and (self.confidence is None or self.confidence < MIN_CONFIDENCE):
            return "confidence"
        if not override and (self.risk_p5 is None or self.risk_p5 < -RISK_FLOOR):
            return "risk_floor"
        return None

    @property
    def unsafe(self) -> bool:
        return self.gate(True, False) is not None


class Gates(RuleBasedStateMachine):
    """Two tenants, four keys, a target that takes, fails or hangs up, and an engine that is killed on the way."""

    @initialize()
    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.target = Hook(says(OK))
        policy = f"{{min_confidence: {MIN_CONFIDENCE}, risk_floor: {RISK_FLOOR}}}"
        self.settings = settings(Path(self.folder.name), self.target.port, policy)
        self.engine = Engine(self.settings, NoData())
        self.enabled = {"NORTH_TRADER": True, "NORTH_ANALYST": True, "NORTH_IDLE": False, "SOUTH_TRADER": True}
        self.known: dict[str, Known] = {}
        self.deaths = 0
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.close()
            self.target.close()
            self.loop.close()
            self.folder.cleanup()

    def _call(self, name: str, tool: str, arguments: dict[str, Any]) -> Any:
        calling = self.engine.call(caller(self.settings, name), tool, arguments)
        return self.loop.run_until_complete(asyncio.wait_for(calling, 20))

    def _end(self, call: Any, *arguments: Any) -> str:
        """``receipt`` with its status, a gate, or an admission error: exactly one."""
        refused: DecisionError | None = None
        try:
            receipt = call(*arguments)
        except DecisionError as exc:
            refused = exc
        if refused is not None:
            blocked = refused.reason.startswith("execution_blocked_")
            assert (blocked, "gate" in refused.details) == (refused.status == 409, blocked)
            return str(refused.details["gate"]) if blocked else refused.reason
        assert tuple(receipt) == FIELDS
        return f"{receipt['execution_status']} {receipt['safety_overridden']}"

    def _expected(self, known: Known, answer: str, force: bool = False, override: bool = False) -> str:
        """What the model says, and the model as it stands after that."""
        gate = known.gate(force, override)
        if gate is not None:
            return gate
        known.arrived += 1
        if answer != "failed":
            known.standing = answer if known.standing != "delivered" else "delivered"
            known.unforced += not force
        return f"{'delivered' if answer == 'delivered' else 'failed'} {override and known.unsafe}"

    def _admits(self, name: str) -> bool:
        return self.enabled[name] and name != "NORTH_ANALYST"

    def _any(self, data: Any) -> str:
        """By its place, of the latest ones: an id is another in each run."""
        return list(self.known)[-1 - data.draw(st.integers(0, min(len(self.known), 5) - 1))]

    def _right(self, decision: str) -> str:
        return "SOUTH_TRADER" if self.known[decision].tenant == "south" else "NORTH_TRADER"

    @rule(
        name=st.sampled_from(["NORTH_TRADER", "NORTH_ANALYST", "SOUTH_TRADER"]),
        kind=st.sampled_from([*SCENARIOS, "sure", "sure", "sure"]),
    )
    def log(self, name: str, kind: str) -> None:
        tenant, scenario, run = TENANTS[name], SCENARIOS[kind], {}
        if scenario is not None:
            if (tenant, kind) not in self.runs:
                self.runs[tenant, kind] = self._call(name, "simulate", scenario)
            run = self.runs[tenant, kind]
        told = {"chosen_action": "proceed", **({"run_id": run["run_id"]} if run else {})}
        made = self._call(name, "log_decision", told)
        self.known[made["decision_id"]] = Known(tenant, run.get("confidence"), run.get("p5_downside"))
        TAKEN["log"] += 1

    @precondition(lambda self: self.known)
    @rule(data=st.data(), name=st.sampled_from([*TENANTS, *[""] * 8]), answer=st.sampled_from(sorted(ANSWERS)))
    def execute(self, data: Any, name: str, answer: str) -> None:
        decision = self._any(data)
        name = name or self._right(decision)
        known = self.known[decision]
        self.target.answer = says(ANSWERS[answer])
        arguments = {"decision_id": decision, "webhook_url": self.target.url}
        ended = self._end(self._call, name, "execute_decision", arguments)
        if not self._admits(name):
            expected = "unknown_tool"
        elif known.tenant != TENANTS[name]:
            expected = "decision_not_found"
        else:
            expected = self._expected(known, answer)
        assert ended == expected
        TAKEN[ended] += 1

    @precondition(lambda self: self.known)
    @rule(data=st.data(), at_once=st.sampled_from([2, 8, 32]))
    def execute_at_once(self, data: Any, at_once: int) -> None:
        decision = self._any(data)
        known = self.known[decision]
        name = self._right(decision)
        self.target.answer = says(OK)
        arguments = {"decision_id": decision, "webhook_url": self.target.url}
        who = caller(self.settings, name)

        async def all_() -> list[Any]:
            calls = (self.engine.call(who, "execute_decision", arguments) for _ in range(at_once))
            return await asyncio.gather(*calls, return_exceptions=True)

        ends = Counter(self._end(_given, end) for end in self.loop.run_until_complete(all_()))
        if not self._admits(name):
            expected = {"unknown_tool": at_once}
        else:
            first = self._expected(known, "delivered")
            expected = Counter([first, *[known.gate(False, False)] * (at_once - 1)])
        assert ends == expected
        TAKEN[f"{at_once} at once"] += 1

    @precondition(lambda self: self.known)
    @rule(data=st.data(), force=st.booleans(), override=st.booleans(), answer=st.sampled_from(sorted(ANSWERS)))
    def execute_by_hand(self, data: Any, force: bool, override: bool, answer: str) -> None:
        decision = self._any(data)
        known = self.known[decision]
        self.target.answer = says(ANSWERS[answer])
        told = {"tenant": known.tenant, "decision_id": decision, "webhook_url": self.target.url}
        ended = self._end(self.engine.desk.execute, {**told, "force": force, "override_safety": override})
        assert ended == self._expected(known, answer, force, override)
        TAKEN[f"by hand {ended}"] += 1

    @rule(name=st.sampled_from(sorted(TENANTS)), enabled=st.sampled_from([True, True, True, False]))
    def switch(self, name: str, enabled: bool) -> None:
        self.engine.desk.enable({"key_id": key_id(name), "enabled": enabled})
        self.enabled[name] = enabled
        told = [tool.name for tool in self.engine.tools(caller(self.settings, name))]
        assert ("execute_decision" in told) is self._admits(name)

    @precondition(lambda self: self.known and self.deaths < 3)
    @rule(data=st.data())
    def die(self, data: Any) -> None:
        """The engine is gone between the beginning of an execution and its end, and another comes."""
        decision = self._any(data)
        known, memory = self.known[decision], self.engine._memory
        held = memory.decision(known.tenant, decision)
        assert held is not None
        memory.begin(held, "key", {}, lambda decision, standing: None)
        self.engine.close()
        self.engine = Engine(self.settings, NoData())
        self.deaths += 1
        known.standing = "unknown" if known.standing == "fresh" else known.standing
        TAKEN["die"] += 1

    @rule(name=st.sampled_from(["NORTH_TRADER", "SOUTH_TRADER"]), decision=st.text(min_size=1, max_size=64))
    def invent(self, name: str, decision: str) -> None:
        arguments = {"decision_id": decision, "webhook_url": self.target.url}
        ended = self._end(self._call, name, "execute_decision", arguments)
        assert ended in (("decision_not_found", "invalid_arguments") if self._admits(name) else ("unknown_tool",))

    @precondition(lambda self: self.known)
    @rule(
        data=st.data(), url=st.sampled_from(["https://127.1/", "http://127.0.0.1:1/", "https://hooks.example.com:1/"])
    )
    def send_elsewhere(self, data: Any, url: str) -> None:
        decision = self._any(data)
        name = self._right(decision)
        ended = self._end(self._call, name, "execute_decision", {"decision_id": decision, "webhook_url": url})
        assert ended == ("webhook_not_allowed" if self._admits(name) else "unknown_tool")

    @invariant()
    def a_decision_was_sent_as_often_as_the_model_says(self) -> None:
        if not hasattr(self, "target"):
            return
        arrived = Counter(json.loads(one.partition(b"\r\n\r\n")[2])["decision_id"] for one in self.target.requests)
        assert arrived == Counter({decision: known.arrived for decision, known in self.known.items() if known.arrived})
        assert all(known.unforced <= 1 for known in self.known.values())


def _given(end: Any) -> Any:
    if isinstance(end, BaseException):
        raise end
    return end


def _budget(steps: int) -> hypothesis_settings:
    return hypothesis_settings(
        max_examples=max(steps // STEPS_OF_ONE, 1),
        stateful_step_count=STEPS_OF_ONE,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        print_blob=False,
        report_multiple_bugs=False,
    )


def test_every_execution_ends_as_the_model_says() -> None:
    TAKEN.clear()
    run_state_machine_as_test(Gates, settings=_budget(STEPS))
    for taken in ("log", "delivered False", "idempotency", "confidence", "unknown_tool", "decision_not_found", "die"):
        assert TAKEN[taken], TAKEN


@pytest.mark.parametrize(
    "broken",
    [
        lambda decision, standing, policy, bypass: (
            None if standing == "unknown" else blocking(decision, standing, policy, bypass)
        ),
        lambda decision, standing, policy, bypass: (
            unsafe(decision, policy) or blocking(decision, standing, policy, bypass)
        ),
        lambda decision, standing, policy, bypass: blocking(decision, standing, policy, Bypass()),
    ],
    ids=["what is unknown runs again", "the gates stand in another order", "nobody may bypass a gate"],
)
def test_the_model_finds_an_engine_with_other_gates(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("licet.decisions.execution.execute.blocking", broken)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Gates, settings=_budget(600))
