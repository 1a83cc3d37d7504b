"""An admitted execution ends as a receipt of ten fields, or is blocked by the first of three gates."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hooks import OK, hangs, hook, says
from licet.decisions.error import DecisionError
from licet.decisions.execution import FIELDS, Bypass, Executor, Order, Policy, Snapshots
from licet.decisions.execution.webhook import WebhookTerms
from licet.decisions.memory import Decision, Memory

SNAPSHOTS = Snapshots("sha256:policy", "sha256:schema", "sha256:manifest")
FORCE = Bypass(force=True)
NO_POLICY = Policy()
OVERRIDE = Bypass(override_safety=True)
BAD = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    held = Memory(tmp_path / "memory.sqlite")
    yield held
    held.close()


def _logged(memory: Memory, numbers: tuple[float, float] | None = (0.9, -10.0), tenant: str = "north") -> Decision:
    confidence, risk_p5 = numbers or (None, None)
    return memory.log(tenant, "key", "restock", rationale="it pays", confidence=confidence, risk_p5=risk_p5)


def _executor(memory: Memory, port: int, policy: Policy = NO_POLICY, timeout_s: float = 5.0) -> Executor:
    terms = WebhookTerms(loopback=port, timeout_s=timeout_s, secret=b"a secret of 16 bytes")
    return Executor(memory, policy, terms, SNAPSHOTS, lambda host, port: [])


def _refused(call: Callable[[], object]) -> DecisionError:
    with pytest.raises(DecisionError) as refused:
        call()
    return refused.value


def test_a_receipt_has_exactly_the_ten_fields_whether_it_was_delivered_or_not(memory: Memory) -> None:
    for answer, status, code in ((OK, "delivered", 200), (BAD, "failed", 500), (b"", "failed", None)):
        with hook(answer) as held:
            decision = _logged(memory)
            made = _executor(memory, held.port).execute("north", decision.decision_id, Order("key", held.url))
            assert tuple(made) == FIELDS
            assert set(FIELDS) == set(
                "decision_id webhook_url execution_status response_code executed_at policy_snapshot_id"
                " schema_snapshot_id manifest_version payload_summary safety_overridden".split()
            )
            assert (made["decision_id"], made["webhook_url"]) == (decision.decision_id, held.url)
            assert (made["execution_status"], made["response_code"]) == (status, code)
            assert (made["policy_snapshot_id"], made["schema_snapshot_id"], made["manifest_version"]) == SNAPSHOTS
            assert made["safety_overridden"] is False
            assert made["executed_at"].endswith("Z")


def test_a_webhook_gets_what_was_decided_and_metadata_stays_payload(memory: Memory) -> None:
    decision = _logged(memory)
    with hook() as held:
        metadata = {"force": True, "order": 7}
        _executor(memory, held.port).execute("north", decision.decision_id, Order("key", held.url, metadata))
        head, _, body = held.requests[0].partition(b"\r\n\r\n")
        sent = json.loads(body)
        assert sent["metadata"] == metadata
        assert (sent["chosen_action"], sent["confidence"], sent["risk_p5"]) == ("restock", 0.9, -10.0)
        assert b"webhook-signature: v1," in head
        assert b"uthorization" not in head
        refused = _refused(
            lambda: _executor(memory, held.port).execute(
                "north", decision.decision_id, Order("key", held.url, metadata)
            )
        )
        assert refused.reason == "execution_blocked_idempotency"
        assert len(held.requests) == 1


@pytest.mark.parametrize(
    ("numbers", "policy", "gate"),
    [
        ((0.6, -5.0), Policy(0.6, 5.0), None),
        ((0.599, -5.0), Policy(0.6, 5.0), "confidence"),
        ((0.6, -5.001), Policy(0.6, 5.0), "risk_floor"),
        ((0.1, -50.0), Policy(0.6, 5.0), "confidence"),
        ((0.1, -50.0), Policy(None, 5.0), "risk_floor"),
        ((0.1, -50.0), Policy(), None),
        ((0.9, 0.0), Policy(0.6, 0.0), None),
        ((0.9, -0.001), Policy(0.6, 0.0), "risk_floor"),
        (None, Policy(), None),
        (None, Policy(0.0, None), "confidence"),
        (None, Policy(None, 1e9), "risk_floor"),
        (None, Policy(0.6, 5.0), "confidence"),
    ],
)
def test_the_first_gate_that_holds_blocks_and_nothing_is_sent(
    memory: Memory, numbers: tuple[float, float] | None, policy: Policy, gate: str | None
) -> None:
    decision = _logged(memory, numbers)
    with hook() as held:
        executor, order = _executor(memory, held.port, policy), Order("key", held.url)
        if gate is None:
            assert executor.execute("north", decision.decision_id, order)["execution_status"] == "delivered"
            return
        refused = _refused(lambda: executor.execute("north", decision.decision_id, order))
        assert refused.told() == {
            "error": {
                "status": 409,
                "code": f"execution_blocked_{gate}",
                "gate": gate,
                "message": str(refused),
            }
        }
        forced = _refused(lambda: executor.execute("north", decision.decision_id, order._replace(bypass=FORCE)))
        assert forced.details == {"gate": gate}
        assert held.accepted == 0
        made = executor.execute("north", decision.decision_id, order._replace(bypass=OVERRIDE))
        assert made["safety_overridden"] is True


def test_an_override_that_was_not_needed_is_not_said_to_have_been_used(memory: Memory) -> None:
    with hook() as held:
        executor = _executor(memory, held.port, Policy(0.6, 20.0))
        made = executor.execute("north", _logged(memory).decision_id, Order("operator", held.url, bypass=OVERRIDE))
        assert made["safety_overridden"] is False


def test_a_delivered_decision_is_blocked_and_force_is_for_one_execution(memory: Memory) -> None:
    decision = _logged(memory).decision_id
    with hook() as held:
        executor, order = _executor(memory, held.port), Order("key", held.url)
        executor.execute("north", decision, order)
        for _ in range(2):
            assert _refused(lambda: executor.execute("north", decision, order)).details["gate"] == "idempotency"
        assert _refused(lambda: executor.execute("north", decision, order._replace(bypass=OVERRIDE))).details == {
            "gate": "idempotency"
        }
        executor.execute("north", decision, order._replace(bypass=FORCE))
        assert _refused(lambda: executor.execute("north", decision, order)).details["gate"] == "idempotency"
        assert len(held.requests) == 2


def test_a_failed_receipt_may_be_tried_again(memory: Memory) -> None:
    decision = _logged(memory).decision_id
    with hook(BAD) as held:
        executor, order = _executor(memory, held.port), Order("key", held.url)
        for _ in range(2):
            assert executor.execute("north", decision, order)["execution_status"] == "failed"
        held.answer = says(OK)
        assert executor.execute("north", decision, order)["execution_status"] == "delivered"
        assert len(held.requests) == 3


def test_what_was_sent_without_an_answer_is_a_failed_receipt_and_is_not_sent_again_without_force(
    memory: Memory,
) -> None:
    decision = _logged(memory).decision_id
    with hook(hangs) as held:
        executor, order = _executor(memory, held.port, timeout_s=0.2), Order("key", held.url)
        made = executor.execute("north", decision, order)
        assert (made["execution_status"], made["response_code"]) == ("failed", None)
        assert _refused(lambda: executor.execute("north", decision, order)).details["gate"] == "idempotency"
        held.answer = says(OK)
        assert executor.execute("north", decision, order._replace(bypass=FORCE))["execution_status"] == "delivered"
        assert len(held.requests) == 2


def test_an_execution_left_behind_blocks_as_idempotency_until_force(tmp_path: Path) -> None:
    first = Memory(tmp_path / "memory.sqlite")
    decision = _logged(first)
    first.begin(decision, "key", {}, lambda decision, standing: "")
    first.close()
    second = Memory(tmp_path / "memory.sqlite")
    with hook() as held:
        executor, order = _executor(second, held.port), Order("key", held.url)
        refused = _refused(lambda: executor.execute("north", decision.decision_id, order))
        assert refused.details["gate"] == "idempotency"
        assert held.accepted == 0
        assert executor.execute("north", decision.decision_id, order._replace(bypass=FORCE))["response_code"] == 200
    second.close()


def test_an_execution_under_way_blocks_even_force(memory: Memory) -> None:
    decision = _logged(memory).decision_id
    arrived, leave = threading.Event(), threading.Event()

    def waits(connection: object) -> None:
        arrived.set()
        leave.wait(10)
        says(OK)(connection)  # type: ignore[arg-type]

    with hook(waits) as held, ThreadPoolExecutor(1) as threads:
        executor, order = _executor(memory, held.port), Order("key", held.url)
        under_way = threads.submit(executor.execute, "north", decision, order)
        assert arrived.wait(10)
        for bypass in (Bypass(), FORCE, OVERRIDE, Bypass(True, True)):
            refused = _refused(lambda bypass=bypass: executor.execute("north", decision, order._replace(bypass=bypass)))
            assert refused.details["gate"] == "idempotency"
        leave.set()
        assert under_way.result(10)["execution_status"] == "delivered"
        assert len(held.requests) == 1


@pytest.mark.parametrize("openings", [1, 2])
def test_of_32_executions_at_once_one_is_delivered_and_31_are_blocked(tmp_path: Path, openings: int) -> None:
    memories = [Memory(tmp_path / "memory.sqlite") for _ in range(openings)]
    decision = _logged(memories[0]).decision_id
    together = threading.Barrier(32)
    with hook() as held, ThreadPoolExecutor(32) as threads:
        executors = [_executor(memory, held.port, Policy(0.5, 100.0)) for memory in memories]

        def one(number: int) -> str:
            together.wait(10)
            try:
                made = executors[number % openings].execute("north", decision, Order("key", held.url))
            except DecisionError as blocked:
                return blocked.reason
            return str(made["execution_status"])

        ends = list(threads.map(one, range(32)))
        assert sorted(ends) == ["delivered", *["execution_blocked_idempotency"] * 31]
        assert len(held.requests) == 1
    for memory in memories:
        memory.close()


def test_a_decision_that_is_unknown_or_anothers_is_not_found_and_nothing_is_sent(memory: Memory) -> None:
    theirs = _logged(memory, tenant="south").decision_id
    with hook() as held:
        for decision in (theirs, "dec_" + "0" * 32, "", "x" * 10_000, "' OR 1=1 --"):
            refused = _refused(
                lambda decision=decision: _executor(memory, held.port).execute(
                    "north", decision, Order("key", held.url)
                )
            )
            assert (refused.reason, refused.status) == ("decision_not_found", 404)
        assert held.accepted == 0


def test_a_payload_that_is_too_large_is_refused_before_anything_begins(memory: Memory) -> None:
    decision = _logged(memory)
    with hook() as held:
        order = Order("key", held.url, {"padding": "x" * 70_000})
        refused = _refused(lambda: _executor(memory, held.port).execute("north", decision.decision_id, order))
        assert refused.reason == "payload_too_large"
        assert memory.standing(decision) == "fresh"
        assert held.accepted == 0


def test_an_end_that_cannot_be_kept_is_still_a_receipt_and_blocks_what_comes_after(memory: Memory) -> None:
    decision = _logged(memory)
    connection = memory._connection

    def fills(held: object) -> None:
        connection.execute("PRAGMA query_only = ON")
        says(OK)(held)  # type: ignore[arg-type]

    with hook(fills) as held:
        executor, order = _executor(memory, held.port), Order("key", held.url)
        assert executor.execute("north", decision.decision_id, order)["execution_status"] == "delivered"
        connection.execute("PRAGMA query_only = OFF")
        assert memory.standing(decision) == "unknown"
        assert _refused(lambda: executor.execute("north", decision.decision_id, order)).details["gate"] == "idempotency"
        assert len(held.requests) == 1
