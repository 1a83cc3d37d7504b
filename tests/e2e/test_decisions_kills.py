"""Killed at every point of an execution, an engine delivers a decision at most once."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hooks import OK, Hook, hook
from licet.decisions.memory import Memory

DYING = Path(__file__).with_name("decisions_dying.py")
KILLED = -9
CONTROL = ("forget",)
KILLS = int(os.environ.get("LICET_KILLS", "6"))
"""Of 32 executions at once; 100 in the figures that are published."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    held = Memory(tmp_path / "memory.sqlite")
    yield held
    held.close()


def _run(folder: Path, target: Hook, decision: str, point: int, *more: str, at_once: int = 1) -> tuple[int, str, int]:
    """Exit code, how it ended, and how many points it passed."""
    words = [str(folder / "memory.sqlite"), str(target.port), "north", decision, str(point), str(at_once), *more]
    done = subprocess.run([sys.executable, str(DYING), *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, KILLED), done.stderr
    ended, _, passed = done.stdout.strip().rpartition(" ")
    return done.returncode, ended, int(passed or 0)


def _logged(memory: Memory) -> str:
    return memory.log("north", "key", "restock").decision_id


def _sent(target: Hook) -> Counter[str]:
    return Counter(json.loads(request.partition(b"\r\n\r\n")[2])["decision_id"] for request in target.requests)


def _all_points(folder: Path, memory: Memory, target: Hook, *more: str) -> list[tuple[int, str, str]]:
    """For each point: the decision, and how the next execution ended after a kill there."""
    code, ended, passed = _run(folder, target, _logged(memory), 0, *more)
    assert (code, ended) == (0, "delivered")
    assert passed >= 10

    def one(point: int) -> tuple[int, str, str]:
        decision = _logged(memory)
        assert _run(folder, target, decision, point, *more)[0] == KILLED
        return point, decision, _run(folder, target, decision, 0, *more)[1]

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(one, range(1, passed + 1)))


def test_a_decision_is_delivered_at_most_once_wherever_its_engine_is_killed(tmp_path: Path, memory: Memory) -> None:
    with hook(OK) as target:
        ends = _all_points(tmp_path, memory, target)
        sent = _sent(target)
        assert max(sent.values()) == 1
        ways = {ended for _, _, ended in ends}
        assert ways == {"delivered", "execution_blocked_idempotency"}
        order = [ended for _, _, ended in ends]
        assert order == sorted(order), "before the beginning is kept it may run again, and afterwards never"
        assert all(sent[decision] == 1 for _, decision, ended in ends if ended == "delivered")


def test_the_control_without_an_intent_entry_delivers_twice(tmp_path: Path, memory: Memory) -> None:
    with hook(OK) as target:
        ends = _all_points(tmp_path, memory, target, *CONTROL)
        sent = _sent(target)
        assert max(sent.values()) == 2
        assert any(sent[decision] == 2 for _, decision, ended in ends if ended == "delivered")


def test_of_32_at_once_that_are_killed_together_one_was_delivered_at_most(tmp_path: Path, memory: Memory) -> None:
    with hook(OK) as target:
        code, ended, passed = _run(tmp_path, target, _logged(memory), 0, at_once=32)
        assert (code, ended) == (0, "delivered execution_blocked_idempotency")
        assert passed > 100

        def one(number: int) -> str:
            decision = _logged(memory)
            _run(tmp_path, target, decision, 1 + number * (passed - 1) // KILLS, at_once=32)
            return _run(tmp_path, target, decision, 0)[1]

        with ThreadPoolExecutor(2) as threads:
            ends = list(threads.map(one, range(KILLS)))
        assert set(ends) <= {"delivered", "execution_blocked_idempotency"}
        assert max(_sent(target).values()) == 1


def test_a_target_that_kills_its_caller_is_called_once(tmp_path: Path, memory: Memory) -> None:
    """The request has arrived, and whoever sent it is gone before the answer is."""
    decision = _logged(memory)
    words = [str(tmp_path / "memory.sqlite"), "PORT", "north", decision, "0", "1"]
    with hook(OK) as target:
        words[1] = str(target.port)
        started: list[subprocess.Popen[bytes]] = []
        target.answer = lambda connection: started[0].kill()
        started.append(subprocess.Popen([sys.executable, str(DYING), *words], stdout=subprocess.PIPE))
        said, _ = started[0].communicate(timeout=60)
        assert (started[0].returncode, said) == (KILLED, b"")
        assert _run(tmp_path, target, decision, 0)[1] == "execution_blocked_idempotency"
        assert len(target.requests) == 1
