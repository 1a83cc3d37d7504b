"""The memory of the engine only grows, keeps tenants apart, and knows what is under way."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from licet.decisions.error import DecisionError
from licet.decisions.memory import Decision, Memory, Standing
from licet.decisions.memory.table import SCHEMA


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    held = Memory(path)
    yield held
    held.close()


def _logged(memory: Memory, tenant: str = "north") -> Decision:
    run_id = memory.keep_run(tenant, "key", "sha256:1", {"seed": 7})
    return memory.log(tenant, "key", "restock", run_id=run_id, rationale="it pays", confidence=0.75, risk_p5=-12.5)


def _fresh_only(decision: Decision, standing: Standing) -> str:
    return "" if standing == "fresh" else standing


def test_a_run_and_a_decision_are_there_for_their_tenant_only(memory: Memory) -> None:
    decision = _logged(memory)
    assert decision.run_id is not None
    assert memory.decision("north", decision.decision_id) == decision
    assert memory.decision("south", decision.decision_id) is None
    assert memory.run("south", decision.run_id) is None
    assert memory.run("north", decision.run_id) == {"seed": 7}


def test_what_is_remembered_is_there_for_the_next_process(path: Path, memory: Memory) -> None:
    decision = _logged(memory)
    again = Memory(path)
    assert again.decision("north", decision.decision_id) == decision
    again.close()


def test_a_snapshot_is_named_by_its_content_and_kept_once(path: Path, memory: Memory) -> None:
    first = memory.snapshot("policy", {"min_confidence": 0.6, "risk_floor": None})
    assert memory.snapshot("policy", {"risk_floor": None, "min_confidence": 0.6}) == first
    assert memory.snapshot_of(first) == {"min_confidence": 0.6, "risk_floor": None}
    assert memory.snapshot_of("sha256:0") is None
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM snapshot").fetchone() == (1,)
    connection.close()


def test_no_line_is_changed_deleted_or_replaced(path: Path, memory: Memory) -> None:
    decision = _logged(memory)
    memory.snapshot("policy", {})
    begun, _ = memory.begin(decision, "key", {}, _fresh_only)
    assert begun is not None
    memory.end(begun, "failed", {})
    memory.propose("hash", "nonce", "{}", 1)
    memory.answer("hash", lambda plan: plan, "approved")
    memory.enable("key", True)
    connection = sqlite3.connect(path)
    tables = [name for name, sql in SCHEMA.items() if sql.startswith("CREATE TABLE")]
    assert len(tables) == 9
    for table in tables:
        for statement in (
            f"UPDATE {table} SET number = 7",
            f"DELETE FROM {table}",
            f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} WHERE number = 1",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(statement)
            connection.rollback()
    connection.execute("SELECT 1")
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        connection.execute(
            "INSERT OR REPLACE INTO outcome SELECT number + 1, execution, 'delivered', receipt FROM outcome"
        )
    connection.close()


def test_an_execution_is_under_way_until_it_ends(path: Path, memory: Memory) -> None:
    decision = _logged(memory)
    other = Memory(path)
    begun, _ = memory.begin(decision, "key", {}, _fresh_only)
    assert begun is not None
    assert memory.standing(decision) == other.standing(decision) == "in_flight"
    assert other.begin(decision, "key", {}, _fresh_only) == (None, "in_flight")
    memory.end(begun, "delivered", {})
    assert memory.standing(decision) == other.standing(decision) == "delivered"
    other.close()


def test_an_execution_whose_process_is_gone_is_unknown(path: Path) -> None:
    first = Memory(path)
    decision = _logged(first)
    first.begin(decision, "key", {}, _fresh_only)
    first.close()
    second = Memory(path)
    assert second.standing(decision) == "unknown"
    second.close()


def test_a_failed_execution_leaves_a_decision_fresh_and_one_without_an_answer_does_not(memory: Memory) -> None:
    decision = _logged(memory)
    for state, then in (
        ("failed", "fresh"),
        ("unknown", "unknown"),
        ("delivered", "delivered"),
        ("failed", "delivered"),
    ):
        begun, _ = memory.begin(decision, "key", {}, lambda decision, standing: "")
        assert begun is not None
        memory.end(begun, state, {})  # type: ignore[arg-type]
        assert memory.standing(decision) == then


def test_of_32_threads_over_two_openings_one_begins(path: Path, memory: Memory) -> None:
    decision, other = _logged(memory), Memory(path)
    begun: list[object] = []
    gate = threading.Barrier(32)

    def begin(held: Memory) -> None:
        gate.wait()
        begun.append(held.begin(decision, "key", {}, _fresh_only)[0])

    threads = [threading.Thread(target=begin, args=((memory, other)[number % 2],)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 32
    assert sum(one is not None for one in begun) == 1
    other.close()


def test_ids_are_random_and_never_twice(memory: Memory) -> None:
    ids = {memory.log("north", "key", "wait").decision_id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(one) == 4 + 32 for one in ids)


def test_the_last_switch_of_a_key_counts(memory: Memory) -> None:
    assert memory.enabled("key") is None
    memory.enable("key", True)
    memory.enable("key", False)
    assert memory.enabled("key") is False
    assert memory.enabled("other") is None


@pytest.mark.parametrize("content", [b"", b"no database at all, though it is long enough to be one" * 9])
def test_a_file_that_is_no_memory_is_not_used(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if not content:
        Memory(path).close()
        return
    with pytest.raises(DecisionError) as refused:
        Memory(path)
    assert refused.value.reason == "memory_unavailable"
    assert str(path) not in str(refused.value)
    assert path.read_bytes() == content


def test_another_database_is_not_used_as_a_memory(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE customer(id)")
    connection.commit()
    connection.close()
    with pytest.raises(DecisionError, match="memory"):
        Memory(path)


def test_a_link_is_not_followed_to_a_memory(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DecisionError):
        Memory(path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_disk_that_is_full_keeps_nothing_and_the_next_call_works(path: Path, memory: Memory) -> None:
    decision = _logged(memory)
    connection = memory._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DecisionError) as full:
        memory.keep_run("north", "key", "sha256:1", {"padding": "x" * 400_000})
    assert full.value.reason == "memory_unavailable"
    assert full.value.status == 503
    connection.execute("PRAGMA max_page_count = 100000")
    assert memory.decision("north", decision.decision_id) == decision
    begun, _ = memory.begin(decision, "key", {}, _fresh_only)
    assert begun is not None


def test_the_file_is_the_owners_alone(path: Path, memory: Memory) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.with_name("memory.sqlite-flights").stat().st_mode & 0o777 == 0o600
