"""What only an operator does: by hand, and by a plan that somebody answers once, in time, with its nonce."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import NoData, key_id, settings
from hooks import Hook, hook
from licet.decisions.engine import Engine
from licet.decisions.error import DecisionError
from licet.decisions.operator.desk import Desk


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def target() -> Iterator[Hook]:
    with hook() as held:
        yield held


@pytest.fixture
def held(tmp_path: Path, target: Hook, clock: Clock) -> Iterator[Engine]:
    made = Engine(settings(tmp_path, target.port, "{min_confidence: 0.6}"), NoData(), now=clock)
    yield made
    made.close()


def _asked(held: Engine, target: Hook, confidence: float = 0.9, **more: Any) -> dict[str, Any]:
    decision = held._memory.log("north", "key", "restock", confidence=confidence)
    return {"tenant": "north", "decision_id": decision.decision_id, "webhook_url": target.url, **more}


def _code(call: Any, told: dict[str, Any]) -> tuple[str, int]:
    with pytest.raises(DecisionError) as refused:
        call(told)
    return refused.value.reason, refused.value.status


def _answer(plan: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"plan_hash": plan["plan_hash"], "nonce": plan["nonce"], **more}


def test_force_and_override_are_for_one_execution_of_one_tenants_decision(held: Engine, target: Hook) -> None:
    desk, asked = held.desk, _asked(held, target, confidence=0.1)
    assert _code(desk.execute, asked) == ("execution_blocked_confidence", 409)
    assert _code(desk.execute, {**asked, "force": True}) == ("execution_blocked_confidence", 409)
    assert desk.execute({**asked, "override_safety": True})["safety_overridden"] is True
    assert _code(desk.execute, {**asked, "override_safety": True}) == ("execution_blocked_idempotency", 409)
    assert desk.execute({**asked, "override_safety": True, "force": True})["execution_status"] == "delivered"
    assert _code(desk.execute, asked) == ("execution_blocked_idempotency", 409)
    assert _code(desk.execute, {**asked, "tenant": "south"}) == ("decision_not_found", 404)
    assert len(target.requests) == 2


def test_keys_are_listed_and_switched_by_their_ids(held: Engine) -> None:
    listed = {one["key_id"]: one for one in held.desk.keys()["keys"]}
    assert listed[key_id("NORTH_IDLE")]["enabled"] is False
    assert held.desk.enable({"key_id": key_id("NORTH_IDLE"), "enabled": True})["enabled"] is True
    assert _code(held.desk.enable, {"key_id": "0" * 16, "enabled": True}) == ("key_not_found", 404)


def test_a_plan_that_was_approved_is_executed_once_as_it_was_shown(held: Engine, target: Hook) -> None:
    desk = held.desk
    plan = desk.propose(_asked(held, target, confidence=0.1, override_safety=True, metadata={"order": 7}))
    assert target.accepted == 0
    assert plan["plan"]["execution"]["metadata"] == {"order": 7}
    assert desk.approve(_answer(plan)) == {"code": "plan_approved", "plan_hash": plan["plan_hash"]}
    receipt = desk.execute_plan({"plan_hash": plan["plan_hash"]})
    assert receipt["safety_overridden"] is True
    assert b'"metadata":{"order":7}' in target.requests[0]
    assert _code(desk.execute_plan, {"plan_hash": plan["plan_hash"]}) == ("plan_executed", 409)
    assert len(target.requests) == 1


def test_a_plan_is_rejected_once_and_never_executed(held: Engine, target: Hook) -> None:
    desk = held.desk
    plan = desk.propose(_asked(held, target))
    assert desk.reject(_answer(plan))["code"] == "plan_rejected"
    assert _code(desk.approve, _answer(plan)) == ("plan_answered", 409)
    assert _code(desk.execute_plan, {"plan_hash": plan["plan_hash"]}) == ("plan_not_approved", 409)
    assert target.accepted == 0


def test_a_nonce_is_a_word_that_any_command_line_takes(held: Engine, target: Hook) -> None:
    nonces = {held.desk.propose(_asked(held, target))["nonce"] for _ in range(3)}
    assert len(nonces) == 3
    assert all(re.fullmatch(r"[0-9a-f]{64}", nonce) for nonce in nonces)


def test_a_wrong_hash_a_wrong_nonce_and_a_reuse_have_names_of_their_own(held: Engine, target: Hook) -> None:
    desk = held.desk
    plan, other = desk.propose(_asked(held, target)), desk.propose(_asked(held, target))
    for answer in (desk.approve, desk.reject):
        assert _code(answer, _answer(plan, plan_hash="sha256:" + "0" * 64)) == ("plan_not_found", 404)
        assert _code(answer, _answer(plan, nonce="x")) == ("plan_nonce_wrong", 403)
        assert _code(answer, _answer(plan, nonce=other["nonce"])) == ("plan_nonce_wrong", 403)
    assert _code(desk.execute_plan, {"plan_hash": plan["plan_hash"]}) == ("plan_not_approved", 409)
    desk.approve(_answer(plan))
    for answer in (desk.approve, desk.reject):
        assert _code(answer, _answer(plan)) == ("plan_answered", 409)
    assert target.accepted == 0


def test_a_plan_expires_for_its_answer_and_for_its_execution(held: Engine, target: Hook, clock: Clock) -> None:
    desk = held.desk
    late, approved = (desk.propose(_asked(held, target, expires_in_seconds=60)) for _ in range(2))
    clock.now_s += 59
    desk.approve(_answer(approved))
    clock.now_s += 1
    assert _code(desk.approve, _answer(late)) == ("plan_expired", 410)
    assert _code(desk.reject, _answer(late)) == ("plan_expired", 410)
    assert _code(desk.execute_plan, {"plan_hash": approved["plan_hash"]}) == ("plan_expired", 410)
    assert target.accepted == 0


def test_a_plan_is_stale_once_another_policy_is_in_force(
    held: Engine, target: Hook, tmp_path: Path, clock: Clock
) -> None:
    plan = held.desk.propose(_asked(held, target))
    held.desk.approve(_answer(plan))
    other = Engine(settings(tmp_path, target.port, "{min_confidence: 0.1}"), NoData(), now=clock)
    assert _code(other.desk.execute_plan, {"plan_hash": plan["plan_hash"]}) == ("plan_stale", 409)
    assert target.accepted == 0
    other.close()


def test_no_two_plans_have_the_same_hash_and_the_nonce_is_not_kept(held: Engine, target: Hook, tmp_path: Path) -> None:
    asked = _asked(held, target)
    plans = [held.desk.propose(asked) for _ in range(3)]
    assert len({plan["plan_hash"] for plan in plans}) == 3
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("memory.sqlite*"))
    assert plans[0]["plan_hash"].encode() in kept
    assert not any(plan["nonce"].encode() in kept for plan in plans)


def test_a_decision_of_another_tenant_is_not_planned(held: Engine, target: Hook) -> None:
    assert _code(held.desk.propose, {**_asked(held, target), "tenant": "south"}) == ("decision_not_found", 404)


def test_too_much_metadata_is_refused_before_anything_is_kept(held: Engine, target: Hook) -> None:
    asked = _asked(held, target, metadata={"padding": "x" * 200_000})
    assert _code(held.desk.propose, asked)[0] == "payload_too_large"
    assert _code(held.desk.execute, asked)[0] == "payload_too_large"
    assert target.accepted == 0


def test_the_desk_is_no_tool(held: Engine) -> None:
    actions = {name for name in vars(Desk) if not name.startswith("_")}
    assert actions.isdisjoint(held._tools)
