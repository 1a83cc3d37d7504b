"""The engine admits, tells of tools and copies numbers by what it knows itself, and never by what a caller says."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import DOUBTFUL, ENVIRON, SURE, caller, engine, key_id, settings
from hooks import Hook, hook
from licet.decisions.caller import Caller
from licet.decisions.engine import Engine
from licet.decisions.error import DecisionError
from licet.decisions.execution import FIELDS
from licet.decisions.memory import Memory

SEVEN = ["get_contract", "query_data", "simulate", "recommend", "plan_decision", "log_decision", "execute_decision"]
POLICY = "{min_confidence: 0.6, risk_floor: 20}"


@pytest.fixture
def target() -> Iterator[Hook]:
    with hook() as held:
        yield held


@pytest.fixture
def held(tmp_path: Path, target: Hook) -> Iterator[Engine]:
    made = engine(tmp_path, target.port, POLICY)
    yield made
    made.close()


@pytest.fixture
def who(tmp_path: Path, target: Hook) -> dict[str, Caller]:
    read = settings(tmp_path, target.port)
    return {name: caller(read, name) for name in ENVIRON if name.startswith(("NORTH", "SOUTH"))}


async def _logged(held: Engine, who: Caller, scenario: dict[str, Any] | None = None) -> str:
    run = {} if scenario is None else {"run_id": (await held.call(who, "simulate", scenario))["run_id"]}
    return str((await held.call(who, "log_decision", {"chosen_action": "proceed", **run}))["decision_id"])


async def _refused(held: Engine, who: Caller, tool: str, arguments: dict[str, Any]) -> DecisionError:
    with pytest.raises(DecisionError) as refused:
        await held.call(who, tool, arguments)
    return refused.value


async def test_the_executing_tool_is_told_of_and_known_only_with_enablement_and_role(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    decision = await _logged(held, who["NORTH_TRADER"], SURE)
    for name in ("NORTH_ANALYST", "NORTH_IDLE"):
        assert [tool.name for tool in held.tools(who[name])] == SEVEN[:-1]
        contract = await held.call(who[name], "get_contract", {})
        assert "execute_decision" not in str(contract["tools"])
        arguments = {"decision_id": decision, "webhook_url": target.url}
        refused = await _refused(held, who[name], "execute_decision", arguments)
        unknown = await _refused(held, who[name], "no_such_tool", arguments)
        assert refused.told() == unknown.told()
        assert refused.status == 404
    assert target.accepted == 0
    assert [tool.name for tool in held.tools(who["NORTH_TRADER"])] == SEVEN


async def test_the_operators_switch_counts_at_once_and_gives_no_role(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    for name, enabled, told in (
        ("NORTH_IDLE", True, 7),
        ("NORTH_IDLE", False, 6),
        ("NORTH_TRADER", False, 6),
        ("NORTH_ANALYST", True, 6),
    ):
        held.desk.enable({"key_id": key_id(name), "enabled": enabled})
        assert len(held.tools(who[name])) == told


async def test_a_receipt_ends_a_story_and_a_second_execution_is_blocked(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    decision = await _logged(held, who["NORTH_TRADER"], SURE)
    arguments = {"decision_id": decision, "webhook_url": target.url, "timeout_seconds": 3, "metadata": {"order": 7}}
    receipt = await held.call(who["NORTH_TRADER"], "execute_decision", arguments)
    assert tuple(receipt) == FIELDS
    assert receipt["execution_status"] == "delivered"
    blocked = await _refused(held, who["NORTH_TRADER"], "execute_decision", arguments)
    assert blocked.reason == "execution_blocked_idempotency"
    assert len(target.requests) == 1


async def test_snapshots_of_a_receipt_are_kept_under_their_digests(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    decision = await _logged(held, who["NORTH_TRADER"], SURE)
    arguments = {"decision_id": decision, "webhook_url": target.url}
    receipt = await held.call(who["NORTH_TRADER"], "execute_decision", arguments)
    memory = held._memory
    assert memory.snapshot_of(receipt["policy_snapshot_id"])["min_confidence"] == 0.6
    assert list(memory.snapshot_of(receipt["schema_snapshot_id"])) == sorted(SEVEN)
    assert memory.snapshot_of(receipt["manifest_version"])["policy"] == receipt["policy_snapshot_id"]
    assert not any(secret in str(memory.snapshot_of(receipt["manifest_version"])) for secret in ENVIRON.values())


async def test_the_gates_see_the_numbers_of_the_run_and_null_without_one(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    for scenario, gate in ((DOUBTFUL, "confidence"), (None, "confidence")):
        decision = await _logged(held, trader, scenario)
        refused = await _refused(held, trader, "execute_decision", {"decision_id": decision, "webhook_url": target.url})
        assert refused.details == {"gate": gate}
    assert target.accepted == 0


@pytest.mark.parametrize("name", ["confidence", "risk_p5", "tenant", "force", "override_safety", "safety_overridden"])
async def test_no_argument_says_what_the_engine_knows_itself(
    held: Engine, who: dict[str, Caller], target: Hook, name: str
) -> None:
    trader = who["NORTH_TRADER"]
    decision = await _logged(held, trader)
    for tool, arguments in (
        ("log_decision", {"chosen_action": "proceed"}),
        ("execute_decision", {"decision_id": decision, "webhook_url": target.url}),
    ):
        refused = await _refused(held, trader, tool, {**arguments, name: True})
        assert (refused.reason, refused.status) == ("invalid_arguments", 422)
    assert target.accepted == 0


async def test_a_break_glass_field_in_metadata_stays_payload(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    decision = await _logged(held, trader, DOUBTFUL)
    arguments = {
        "decision_id": decision,
        "webhook_url": target.url,
        "metadata": {"force": True, "override_safety": True},
    }
    assert (await _refused(held, trader, "execute_decision", arguments)).details == {"gate": "confidence"}


async def test_every_id_of_another_tenant_is_unknown(held: Engine, who: dict[str, Caller], target: Hook) -> None:
    north, south = who["NORTH_TRADER"], who["SOUTH_TRADER"]
    crossings = 0
    for mine, theirs in ((north, south), (south, north)):
        run_id = (await held.call(theirs, "simulate", SURE))["run_id"]
        decision = await _logged(held, theirs, SURE)
        for tool, arguments, reason in (
            ("plan_decision", {"run_ids": [run_id]}, "run_not_found"),
            ("log_decision", {"chosen_action": "proceed", "run_id": run_id}, "run_not_found"),
            ("execute_decision", {"decision_id": decision, "webhook_url": target.url}, "decision_not_found"),
        ):
            refused = await _refused(held, mine, tool, arguments)
            field = "run_id" if "run_id" in arguments else "decision_id"
            unknown = {**arguments, field: "x"} if field in arguments else {"run_ids": ["x"]}
            assert refused.told() == (await _refused(held, mine, tool, unknown)).told()
            crossings += refused.reason != reason
        contract = await held.call(mine, "get_contract", {})
        crossings += run_id in str(contract) or decision in str(contract)
    assert crossings == 0
    assert target.accepted == 0


async def test_of_32_calls_at_once_one_is_a_receipt_and_the_others_name_idempotency(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    arguments = {"decision_id": await _logged(held, trader, SURE), "webhook_url": target.url}
    ends = await asyncio.gather(
        *(held.call(trader, "execute_decision", arguments) for _ in range(32)), return_exceptions=True
    )
    receipts = [end for end in ends if isinstance(end, dict)]
    blocked = [end for end in ends if isinstance(end, DecisionError)]
    assert len(receipts) == 1
    assert {end.reason for end in blocked} == {"execution_blocked_idempotency"}
    assert len(blocked) == 31
    assert len(target.requests) == 1


async def test_an_execution_that_nobody_waits_for_any_more_is_kept_all_the_same(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    loop, arrived, leave = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    answer = target.answer

    def waits(connection: Any) -> None:
        loop.call_soon_threadsafe(arrived.set)
        asyncio.run_coroutine_threadsafe(leave.wait(), loop).result(10)
        answer(connection)

    target.answer = waits
    decision = await _logged(held, trader, SURE)
    arguments = {"decision_id": decision, "webhook_url": target.url}
    calling = asyncio.create_task(held.call(trader, "execute_decision", arguments))
    await arrived.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert (await _refused(held, trader, "execute_decision", arguments)).details == {"gate": "idempotency"}
    leave.set()
    await asyncio.to_thread(held._delivering.shutdown)
    kept = held._memory.decision("north", decision)
    assert kept is not None
    assert held._memory.standing(kept) == "delivered"
    assert len(target.requests) == 1


async def test_an_engine_that_closes_keeps_the_end_of_what_its_operator_executes(
    held: Engine, who: dict[str, Caller], target: Hook, tmp_path: Path
) -> None:
    loop, arrived, leave = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    answer = target.answer

    def waits(connection: Any) -> None:
        loop.call_soon_threadsafe(arrived.set)
        asyncio.run_coroutine_threadsafe(leave.wait(), loop).result(10)
        answer(connection)

    target.answer = waits
    decision = await _logged(held, who["NORTH_TRADER"], SURE)
    told = {"tenant": "north", "decision_id": decision, "webhook_url": target.url}
    by_hand = asyncio.create_task(held.operate(held.desk.execute, told))
    await arrived.wait()
    closing = asyncio.create_task(asyncio.to_thread(held.close))
    leave.set()
    assert (await by_hand)["execution_status"] == "delivered"
    await closing
    again = Memory(tmp_path / "memory.sqlite")
    kept = again.decision("north", decision)
    assert kept is not None
    assert again.standing(kept) == "delivered"
    again.close()


async def test_only_executing_reaches_a_webhook(held: Engine, who: dict[str, Caller], target: Hook) -> None:
    trader = who["NORTH_TRADER"]
    action = {"variables": SURE["variables"], "objective": "gain"}
    await held.call(trader, "get_contract", {})
    await held.call(trader, "query_data", {"dataset_id": target.url, "aggregation": "count"})
    run_id = (await held.call(trader, "simulate", SURE))["run_id"]
    await held.call(trader, "recommend", {"actions": [{"name": "a", **action}, {"name": target.url, **action}]})
    await held.call(trader, "plan_decision", {"run_ids": [run_id], "context": target.url})
    await held.call(trader, "log_decision", {"chosen_action": target.url, "run_id": run_id})
    assert target.accepted == 0


async def test_progress_of_a_simulation_is_told_on_the_loop(held: Engine, who: dict[str, Caller]) -> None:
    told: list[tuple[int, int]] = []
    scenario = {**SURE, "n_simulations": 200_000}
    await held.call(who["NORTH_TRADER"], "simulate", scenario, lambda done, total: told.append((done, total)))
    await asyncio.sleep(0)
    assert told[-1] == (200_000, 200_000)
    assert told == sorted(told)


async def test_break_glass_is_on_no_schema_unless_the_operators_file_says_so(
    held: Engine, who: dict[str, Caller], target: Hook, tmp_path: Path
) -> None:
    assert "force" not in str([tool.input_schema for tool in held.tools(who["NORTH_TRADER"])])
    (tmp_path / "other").mkdir()
    other = engine(tmp_path / "other", target.port, POLICY, "break_glass_advertised: true\n")
    shown = str(next(tool for tool in other.tools(who["NORTH_TRADER"]) if tool.name == "execute_decision"))
    assert "force" in shown
    assert "override_safety" in shown
    decision = await _logged(other, who["NORTH_TRADER"], DOUBTFUL)
    arguments = {"decision_id": decision, "webhook_url": target.url, "override_safety": True}
    assert (await other.call(who["NORTH_TRADER"], "execute_decision", arguments))["safety_overridden"] is True
    other.close()


async def test_no_spelling_of_a_private_address_is_executed_and_the_decision_stays_as_it_was(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    decision = await _logged(held, trader, SURE)
    for host in (
        "localhost 127.1 0177.0.0.1 0x7f000001 2130706433 0 0.0.0.0 127.0.0.1. LOCALHOST 127.0.0.2 [::] [::1]"
        " [::ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1%25lo] 10.0.0.1 169.254.169.254"
        " 100.64.0.1 198.18.0.1 192.0.0.192 [fec0::1] [fd00:ec2::254] user@127.0.0.1 \uff11\uff12\uff17.0.0.1"
    ).split():
        for url in (f"http://{host}:{target.port}/", f"https://{host}:{target.port}/", f"https://{host}/"):
            arguments = {"decision_id": decision, "webhook_url": url}
            refused = await _refused(held, trader, "execute_decision", arguments)
            assert refused.reason == "webhook_not_allowed", url
    assert target.accepted == 0
    kept = held._memory.decision("north", decision)
    assert kept is not None
    assert held._memory.standing(kept) == "fresh"


async def test_words_of_a_query_language_are_words(held: Engine, who: dict[str, Caller], target: Hook) -> None:
    trader = who["NORTH_TRADER"]
    await _logged(held, trader, SURE)
    for words in ("'; DROP TABLE decision; --", "' OR '1'='1", '" UNION SELECT * FROM run --', "%", "_", "\0", "*"):
        told = {"decision_id": words, "webhook_url": target.url}
        assert (await _refused(held, trader, "execute_decision", told)).reason == "decision_not_found"
        told = {"chosen_action": "proceed", "run_id": words}
        assert (await _refused(held, trader, "log_decision", told)).reason == "run_not_found"
        made = await held.call(trader, "log_decision", {"chosen_action": words, "rationale": words})
        kept = held._memory.decision("north", made["decision_id"])
        assert kept is not None
        assert (kept.chosen_action, kept.rationale) == (words, words)
    assert target.accepted == 0


async def test_where_the_memory_cannot_be_written_nothing_is_sent_and_the_engine_goes_on(
    held: Engine, who: dict[str, Caller], target: Hook
) -> None:
    trader = who["NORTH_TRADER"]
    arguments = {"decision_id": await _logged(held, trader, SURE), "webhook_url": target.url}
    held._memory._connection.execute("PRAGMA query_only = ON")
    for tool, told in (("execute_decision", arguments), ("log_decision", {"chosen_action": "a"}), ("simulate", SURE)):
        refused = await _refused(held, trader, tool, told)
        assert (refused.reason, refused.status) == ("memory_unavailable", 503)
    assert target.accepted == 0
    held._memory._connection.execute("PRAGMA query_only = OFF")
    assert (await held.call(trader, "execute_decision", arguments))["execution_status"] == "delivered"


async def test_a_simulation_ends_with_the_call_and_with_the_engine(
    held: Engine, who: dict[str, Caller], tmp_path: Path, target: Hook
) -> None:
    long = {**SURE, "n_simulations": 100_000_000}
    started = asyncio.Event()
    calling = asyncio.create_task(held.call(who["NORTH_TRADER"], "simulate", long, lambda done, total: started.set()))
    await started.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert (await held.call(who["NORTH_TRADER"], "simulate", SURE))["scenarios_run"] == 1000
    started.clear()
    calling = asyncio.create_task(held.call(who["NORTH_TRADER"], "simulate", long, lambda done, total: started.set()))
    await started.wait()
    held._closing.set()
    with pytest.raises(DecisionError) as stopped:
        await calling
    assert stopped.value.reason == "simulation_stopped"
