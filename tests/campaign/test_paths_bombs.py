"""The campaigns against paths, bombs and fuzzed inputs, in small: each finds nothing, and finds its controls."""

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from campaign.bombs import BOMBS, patterns
from campaign.bombs.bomb import DONE, REFUSED, Bomb, Fuse, Seen
from campaign.bombs.controls import CONTROLS
from campaign.bombs.trial import trial
from campaign.bombs.tripwire import Tripwire
from campaign.fuzz.corpus import TARGETS, kept_inputs
from campaign.fuzz.hunt import Hunt
from campaign.fuzz.reader import NoJsonError, read
from campaign.paths import Size
from campaign.paths.operations import Operation
from campaign.paths.world import OUTSIDE, SCENES
from campaign.report import Report
from campaign.scratch import scratch
from hypothesis import given
from hypothesis import strategies as st

from campaign import __main__ as command
from campaign import bombs, fuzz, paths
from licet.errors import LicetError

ROOT = Path(__file__).parents[2]
TINY = Size(opens=40 * len(SCENES), writes=10 * len(SCENES), seconds=10.0, timed=50)


def quiet(line: str) -> None:
    """Nobody waits."""


@pytest.fixture
def world() -> Iterator[Path]:
    with scratch() as folder:
        yield Path(folder)


# --- paths ---


def test_paths_are_raced_on_both_ways_and_the_naive_way_loses_in_every_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MOST_US", 10_000.0)  # what a machine under tests takes says nothing
    report = paths.run(1, True, quiet, size=TINY)
    assert report.findings == ()
    assert report.control_caught, report.control
    assert len(report.details["cells"]) == 2 * len(SCENES)
    assert set(report.details["over_plain_open_us"]) == {"openat2", "walk"}
    assert report.figure.startswith("0 escapes in ")


def broken_read(workspace: Any, scene: Any, number: int) -> object:
    return OUTSIDE


def broken_raise(workspace: Any, scene: Any, number: int) -> object:
    raise OSError("no error of licet's")


@pytest.mark.parametrize(("act", "word"), [(broken_read, "escaped"), (broken_raise, "raised")])
def test_a_workspace_that_escapes_or_fails_is_a_finding(
    world: Path, monkeypatch: pytest.MonkeyPatch, act: Any, word: str
) -> None:
    monkeypatch.setattr(paths, "READING", (Operation("broken", act, 1),))
    raced = paths.race(SCENES[0], world, "openat2", 1, TINY)
    assert [finding for finding in raced.findings if word in finding]


def test_a_write_outside_is_a_finding(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def escape(workspace: Any, scene: Any, number: int) -> None:
        (world / "outside" / "new").write_bytes(b"x")

    monkeypatch.setattr(paths, "WRITING", (Operation("broken", escape, 1),))
    assert [f for f in paths.race(SCENES[0], world, "walk", 1, TINY).findings if "outside was changed" in f]


def test_handles_and_temporary_files_that_are_left_are_findings(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = []

    def leave(workspace: Any, scene: Any, number: int) -> None:
        left.append(os.open(world, os.O_RDONLY))
        (world / "ws" / "left.tmp").touch()

    monkeypatch.setattr(paths, "READING", (Operation("broken", leave, 1),))
    findings = paths.race(SCENES[0], world, "walk", 1, TINY).findings
    for handle in left:
        os.close(handle)
    assert [f for f in findings if "handles were left" in f]
    assert [f for f in findings if "temporary files" in f]


# --- bombs ---


def some(kind: str, count: int) -> list[Bomb]:
    return [bomb for bomb in BOMBS if bomb.kind == kind][:count]


def test_bombs_of_every_kind_stay_within_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bombs, "CONTROLS", [CONTROLS[1], CONTROLS[6]])  # the others hang, and have tests of their own
    kinds = dict.fromkeys(bomb.kind for bomb in BOMBS)
    report = bombs.run(1, True, quiet, bombs=[bomb for kind in kinds for bomb in some(kind, 2)])
    assert [finding for finding in report.findings if " ms" not in finding] == [], "times say nothing under tests"
    assert report.control_caught, report.control
    assert len(kinds) >= 10


def test_there_are_many_bombs_and_no_two_are_alike() -> None:
    titles = [(bomb.kind, bomb.name) for bomb in BOMBS]
    assert len(titles) == len(set(titles)) >= 40


@pytest.fixture
def tripwire(tmp_path: Path) -> Iterator[Tripwire]:
    wire = Tripwire(tmp_path)
    yield wire
    wire.close()


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_bomb_without_a_guard_is_caught_for_what_it_does(control: Bomb, tripwire: Tripwire) -> None:
    seen = trial(control, tripwire, patience_s=1.5)
    problems = seen.problems(control.expects)
    if "fetch" in control.name:
        assert seen.fetches or seen.outcome == "hung"
    assert problems


def lit(call: Any, tripwire: Tripwire, expects: tuple[str, ...] = (DONE,)) -> list[str]:
    async def later() -> Any:
        return call()

    return trial(Bomb("test", "test", lambda place: Fuse(call=later), expects), tripwire).problems(expects)


def refuse() -> None:
    raise LicetError("no")


def test_what_a_bomb_does_is_told_apart(tripwire: Tripwire) -> None:
    assert lit(lambda: None, tripwire) == []
    assert lit(refuse, tripwire, (REFUSED,)) == []
    assert "was to be done" in lit(refuse, tripwire)[0]
    assert "raised ValueError" in lit(lambda: int("x"), tripwire)[0]
    assert [p for p in lit(lambda: bytearray(100_000_000), tripwire) if p.startswith("took 1")]
    assert [p for p in lit(lambda: open("/etc/hostname").read(), tripwire) if p == "fetched open /etc/hostname"]  # noqa: SIM115
    assert [p for p in lit(lambda: sum(range(20_000_000)), tripwire) if "held up the loop" in p]
    assert [p for p in lit(lambda: os._exit(3), tripwire) if "ended with" in p]


def test_the_best_of_two_tries_counts_but_never_hides_another_outcome() -> None:
    slow, quick = Seen(DONE, 0.2, 0.2, 5), Seen(DONE, 0.01, 0.3, 9)
    assert slow.better(quick) == Seen(DONE, 0.01, 0.2, 5)
    assert slow.better(Seen("hung")).outcome == "hung"
    assert Seen(DONE, fetches=("a",)).better(Seen(DONE)).fetches == ("a",)


# --- fuzzing ---


@pytest.mark.parametrize("target", TARGETS)
def test_every_input_that_was_kept_is_still_right(target: str) -> None:
    module = import_module(f"campaign.fuzz.{target}")
    kept = kept_inputs(target)
    assert kept
    for data in (*kept, *(seed.encode("utf-8", "surrogateescape") for seed in module.SEEDS)):
        module.check(data)


SHOWS = {"names": b"tool\n", "receive": b't{"a":1,"a":2}', "paths": b".licet/ledger.db"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_planted_bug_fails_on_an_input_that_shows_it_and_only_then(target: str) -> None:
    replay = [
        sys.executable,
        "-m",
        "campaign.fuzz.target",
        target,
        "--replay",
        base64.b64encode(SHOWS[target]).decode(),
    ]
    sound, planted = (
        subprocess.run([*replay, *more], cwd=ROOT, capture_output=True, text=True, check=False)
        for more in ([], ["--planted"])
    )
    assert (sound.returncode, sound.stderr) == (0, "")
    assert planted.returncode == 1
    assert "AssertionError" in planted.stderr


def test_without_a_fuzzer_the_campaign_says_so_and_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "atheris.py").write_text("raise ModuleNotFoundError(\"No module named 'atheris'\")")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = fuzz.run(1, True, quiet, targets=("names",))
    assert "atheris is not installed" in report.findings[0]
    assert not report.passed


def test_a_fuzzer_that_finds_something_is_a_finding_and_one_that_misses_its_bug_is_no_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def found(target: str, *, seconds: int, seed: int, planted: bool = False) -> Hunt:
        return Hunt(target, 1, 1, "" if planted else "AssertionError, input eA==")

    monkeypatch.setattr(fuzz, "hunt", found)
    report = fuzz.run(1, True, quiet)
    assert report.findings == tuple(f"{target}: AssertionError, input eA==" for target in TARGETS)
    assert not report.control_caught


@given(st.text() | st.text(st.sampled_from('{}[]":,\\u0de1.+- ')))
def test_the_slow_reader_reads_what_the_standard_library_reads(text: str) -> None:
    import json

    try:
        value = read(text.encode("utf-8", "surrogatepass"))
    except NoJsonError:
        return
    assert repr(json.loads(text)) == repr(value)


# --- the command ---


@pytest.mark.parametrize("campaign", ["paths", "bombs", "fuzz"])
@pytest.mark.parametrize(
    ("findings", "caught", "code"), [((), True, 0), (("something",), True, 1), ((), False, 1)], ids=repr
)
def test_a_finding_or_a_control_that_was_missed_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, campaign: str, findings: tuple[str, ...], caught: bool, code: int
) -> None:
    report = Report("a figure", findings, "a control", caught)
    monkeypatch.setattr(import_module(f"campaign.{campaign}"), "run", lambda **_: report)
    monkeypatch.setattr(sys, "argv", ["campaign", campaign, "--short", "--seed", "1"])
    assert command.main() == code


def test_a_real_finding_is_exit_1_and_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    bomb = Bomb("test", "a bomb that goes off", lambda place: Fuse(first=lambda: int("x")))
    monkeypatch.setattr(bombs, "BOMBS", [bomb])
    monkeypatch.setattr(bombs, "CONTROLS", [CONTROLS[1]])
    monkeypatch.setattr(sys, "argv", ["campaign", "bombs", "--short", "--seed", "1"])
    assert command.main() == 1
    assert "FOUND test: a bomb that goes off: was to be done, and raised ValueError" in capsys.readouterr().out


def test_patterns_are_tried_on_files_that_make_them_work() -> None:
    assert {bomb.kind for bomb in patterns.BOMBS} == {"pattern", "glob", "glob of grep", "ignore file", "file"}


def test_nothing_is_left_behind(world: Path) -> None:
    with TemporaryDirectory(dir=world) as folder:
        before = set(os.listdir("/proc/self/fd"))
        wire = Tripwire(Path(folder))
        trial(CONTROLS[1], wire)
        wire.close()
        assert set(os.listdir("/proc/self/fd")) == before
