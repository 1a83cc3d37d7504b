"""The campaigns on the policy and on endurance, in small: nothing in a sound build, and every control is caught."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from campaign.mutants import Subject
from campaign.mutants.sites import mutants as mutants_of
from campaign.policy.compare import compared, replayed
from campaign.policy.shrink import read
from campaign.policy.wrong import WRONG
from campaign.report import Report
from campaign.soak.check import checked
from campaign.soak.load import Load
from campaign.soak.measure import Held, Memory, left_behind

from campaign import __main__ as command
from campaign import mutants, policy, reference, soak
from licet.ledger.sqlite import SqliteLedger


def quiet(line: str) -> None:
    """Nobody waits."""


def exit_code(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["campaign", *words, "--short", "--seed", "3"])
    return command.main()


# --- policy: the reference interpreter ---


def test_the_reference_and_the_runtime_say_the_same_and_the_seed_decides_what_is_asked() -> None:
    assert asyncio.run(compared(1, 0, 1000)) == []
    with WRONG["a check that raises is passed over"]():
        once, again, other = (asyncio.run(compared(seed, 0, 600)) for seed in (2, 2, 4))
    assert once == again != other


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_judge_is_found_shrunk_and_replayed_from_the_printed_line(wrong: str) -> None:
    with WRONG[wrong]():
        found = policy.differing(3, 800, quiet)
        assert found
        case = read(found[0].partition(": {")[2] or found[0].partition(": [")[2].join(("[", "")))
        assert asyncio.run(replayed(case))
        assert len(case.world.tools) <= 2
        assert len(case.slots) <= 2
    assert asyncio.run(replayed(case)) == []


def test_the_reference_shares_nothing_with_what_it_is_compared_with() -> None:
    source = Path(str(reference.__file__)).read_text("utf-8")
    assert "import licet" not in source
    assert "from licet" not in source


def test_a_difference_or_a_blind_control_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    killed = Report("9 of 9 mutants killed", (), "a control", True)
    monkeypatch.setattr(policy, "PAIRS_SHORT", 300)
    monkeypatch.setattr(policy, "CONTROL_PAIRS", 800)
    monkeypatch.setattr(mutants, "run", lambda *_, **__: killed)
    assert exit_code(monkeypatch, "policy") == 0
    assert "policy passed: 300 pairs, 0 different; 9 of 9 mutants killed (seed 3," in capsys.readouterr().out
    with WRONG["a grant covers every name that begins with it"]():
        assert exit_code(monkeypatch, "policy") == 1
    assert "FOUND " in capsys.readouterr().out
    monkeypatch.setattr(mutants, "run", lambda *_, **__: killed._replace(control_caught=False))
    assert exit_code(monkeypatch, "policy") == 1
    assert "NOT CAUGHT" in capsys.readouterr().out
    monkeypatch.setattr(mutants, "run", lambda *_, **__: killed)
    monkeypatch.setattr(policy, "WRONG", {"a judge that is right": WRONG["a check that raises is passed over"]})
    monkeypatch.setattr(policy, "CONTROL_PAIRS", 0)
    assert exit_code(monkeypatch, "policy") == 1


# --- policy: mutants ---

SMALL = '''\
"""A docstring with not and and."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    LIMIT = 1 + 1

Kind = Literal["one_kind", "other_kind"]
PERMIT = 0


def granted(name: "str", held: list[str], most: int = 9) -> int:
    """Whether 1 < 2."""
    if name in held and not len(held) > most:
        return PERMIT
    raise ValueError(f"{name} is not held, {1 + 1}")
'''
GOOD_TESTS = """
import pytest
from licet_small import granted

def test_granted():
    assert granted("a", ["a"]) == 0
    assert granted("a", ["a"] * 9) == 0
    for name, held in (("b", ["a"]), ("a", ["a"] * 10), ("b", ["a"] * 10), ("a", [])):
        with pytest.raises(ValueError):
            granted(name, held)
"""
WEAK_TESTS = """
from licet_small import granted

def test_granted():
    assert granted("a", ["a"]) == 0
"""


def small(folder: Path, tests: str) -> Subject:
    for part in ("src", "tests", "campaign/mutants"):
        (folder / part).mkdir(parents=True)
    (folder / "src/licet_small.py").write_text(SMALL)
    (folder / "tests/test_small.py").write_text(tests)
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return Subject(folder, {"src/*.py": ("tests/test_small.py",)}, "src/licet_small.py")


def test_mutants_are_of_what_runs_and_change_one_thing(tmp_path: Path) -> None:
    found = mutants_of(small(tmp_path, GOOD_TESTS).project, "src/licet_small.py")
    changes = {f"{mutant.kind}: {mutant.before} -> {mutant.after}" for mutant in found}
    assert changes == {
        "off by one: 0 -> 1",
        "off by one: 9 -> 10",
        "and or: name in held and not len(held) > most -> (name in held or not len(held) > most)",
        "comparison: name in held -> (name not in held)",
        "not removed: not len(held) > most -> (len(held) > most)",
        "comparison: len(held) > most -> (len(held) >= most)",
        "return nothing: return PERMIT -> return None",
        'statement removed: raise ValueError(f"{name} is not held, {1 + 1}") -> pass',
        "constant: \"one_kind\" -> 'one_kindx'",
        "constant: \"other_kind\" -> 'other_kindx'",
    }
    source = SMALL.encode()
    assert all(compile(mutant.applied(source), "small", "exec") for mutant in found)
    assert all(mutant.where == "granted" for mutant in found if mutant.line > 12)


def test_tests_that_notice_too_little_are_a_finding_and_each_survivor_is_told(tmp_path: Path) -> None:
    report = mutants.run(1, False, quiet, size=5, subject=small(tmp_path, WEAK_TESTS))
    assert not report.passed
    assert report.control_caught is False, "these tests do not even notice that everything is granted"
    assert report.findings[0].startswith("only ")
    assert report.findings[1].startswith("src/licet_small.py:")
    assert all(" -> " in line for line in report.findings[1:])
    assert list(report.findings[1:]) == report.details["survivors"]


def test_tests_that_notice_everything_pass_but_for_what_is_listed_as_equivalent(tmp_path: Path) -> None:
    subject = small(tmp_path, GOOD_TESTS)
    literals = [key for mutant in subject.population() if "_kind" in (key := mutant.key)]
    same = "".join(f"{json.dumps(key)} = 'only a type checker reads it'\n" for key in literals)
    (tmp_path / "campaign/mutants/equivalent.toml").write_text(same)
    assert len(subject.population()) == 8
    report = mutants.run(1, False, quiet, size=99, subject=subject)
    assert report.details["survivors"] == []
    assert report.passed, report


def test_tests_that_fail_without_any_mutant_prove_nothing(tmp_path: Path) -> None:
    report = mutants.run(1, True, quiet, size=1, subject=small(tmp_path, "def test_broken():\n    assert 0\n"))
    assert not report.passed
    (finding,) = report.findings
    assert finding.startswith("the tests do not pass without any mutant: tests/test_small.py: FAILED ")
    assert "test_broken" in finding


def test_every_mutant_on_the_list_of_equivalent_ones_exists_and_has_a_reason() -> None:
    import tomllib

    listed = tomllib.loads((mutants.PROJECT / mutants.EQUIVALENT).read_text("utf-8"))
    assert all(isinstance(reason, str) and len(reason) > 10 for reason in listed.values())
    files = {key.partition(" ")[0] for key in listed}
    every = {mutant.key for file in files for mutant in mutants_of(mutants.PROJECT, file)}
    assert set(listed) <= every


# --- soak ---


def test_every_call_of_a_mixed_load_has_one_end_and_nothing_is_left_open(tmp_path: Path) -> None:
    Load(1, tmp_path / "first").run(0.3)  # what is opened once stays open
    before = Held.now()
    load = Load(2, tmp_path / "second")
    load.run(1.5)
    found = checked(str(load.ledger))
    assert found["problems"] == load.seen.strange == []
    assert load.seen.codes.total() > 100
    assert len(load.seen.codes) > 6
    recorded = found["ends"] + found["replayed"]
    assert load.seen.codes.total() <= recorded <= load.seen.codes.total() + load.seen.cancelled
    assert left_behind(before) == []


@pytest.mark.parametrize(("leak", "told"), soak.LEAKS.items())
def test_a_planted_leak_is_found(leak: str, told: str) -> None:
    assert any(told in finding for finding in soak.soaked_apart(5, 3.0, leak).findings)


def test_a_call_without_an_end_or_with_two_and_a_changed_entry_are_found(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    from chained import completed, requested

    path = tmp_path / "audit.licet"
    with closing(SqliteLedger(path)) as ledger:
        for draft in (requested("c1"), completed("c1"), completed("c1"), requested("c2")):
            ledger.append(draft, durable=False)
        ledger.flush()
    assert checked(str(path))["problems"] == ["the call c2 has no end", "the call c1 has 2 ends"]
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entry SET actor = 'somebody' WHERE seq = 1")
        connection.commit()
    assert any("entry 1" in problem for problem in said(path)["problems"])


def said(path: Path) -> dict[str, Any]:
    try:
        return checked(str(path))
    except Exception as exc:  # the schema is not what it was: that is found too
        return {"problems": [f"entry 1: {exc}"]}


def test_what_is_left_open_is_named(tmp_path: Path) -> None:
    before = Held.now()
    assert left_behind(before) == []
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait, name="forgotten")
    thread.start()
    file = os.open(tmp_path / "open", os.O_CREAT | os.O_RDWR)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    left = left_behind(before, 0.0)
    gate.set()
    thread.join()
    os.close(file)
    child.communicate(b"\n")
    assert f"1 descriptors left: {tmp_path}/open" in left
    assert "1 threads left: forgotten" in left
    assert "1 processes left" in left


def test_growth_is_measured_after_the_warm_up_between_the_first_and_the_last_window() -> None:
    memory = Memory()
    memory.samples = [(float(at), 10 if at < 30 else 100) for at in range(90)]
    assert memory.growth == (0.0, 100, 100)
    memory.samples = [(float(at), 100 + at) for at in range(90)]
    growth, first, last = memory.growth
    assert (first, last) == (135, 183)
    assert growth == pytest.approx(183 / 135 - 1)
    memory.samples = [(0.0, 100), (1.0, 150)]
    assert memory.growth == (0.5, 100, 150)


def test_a_finding_of_the_soak_or_a_leak_that_is_missed_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def soaked(found: list[str], leaks_found: bool) -> int:
        def apart(seed: int, seconds: float, leak: str | None) -> soak.Soaked:
            if leak is None:
                return soak.Soaked(findings=found)
            return soak.Soaked(findings=[soak.LEAKS[leak]] if leaks_found else [])

        monkeypatch.setattr(soak, "soaked_apart", apart)
        return exit_code(monkeypatch, "soak", "--seconds", "1")

    assert soaked([], True) == 0
    assert soaked(["memory grew by 6.0%"], True) == 1
    assert "FOUND memory grew by 6.0%" in capsys.readouterr().out
    assert soaked([], False) == 1
