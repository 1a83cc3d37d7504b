"""The page of figures and its picture say what was measured, and a gate never counts what it could not measure."""

import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.__main__ import told, verdict
from bench.measure import Figure, Gate, Rounds, figure

ROOT = Path(__file__).parents[2]
KEPT = sorted((ROOT / "docs" / "benchmarks").glob("*.json"))
GATE = Gate("ours / theirs", "ours", "theirs", 0.5, 0.25)


def judged(*runs: Rounds, gate: Gate = GATE) -> Figure:
    return figure(gate, list(runs))


# --- the page ---


def test_the_page_and_the_picture_are_drawn_from_the_kept_results() -> None:
    drawn = subprocess.run([sys.executable, "-m", "bench.page", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert drawn.returncode == 0, drawn.stdout + drawn.stderr


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_a_kept_result_says_where_it_comes_from_and_names_no_host(file: Path) -> None:
    document = json.loads(file.read_text())
    assert re.fullmatch(r"[0-9a-f]{10}( with changes)?", document["commit"])
    assert document["machine"]
    assert document["python"]
    assert document["versions"]["licet"]
    assert "runs" not in document
    assert not re.search(r"[\" ]/|localhost", file.read_text().replace(" / ", " over "))
    assert platform.node() not in file.read_text()


# --- the gate ---


def test_a_figure_is_the_median_over_processes_of_the_median_ratio_of_their_rounds() -> None:
    first: Rounds = {"ours": [1.0, 2.0, 90.0], "theirs": [10.0, 10.0, 100.0]}
    second: Rounds = {"ours": [4.0, 4.0, 4.0], "theirs": [10.0, 10.0, 10.0]}
    third: Rounds = {"ours": [3.0, 3.0, 3.0], "theirs": [10.0, 10.0, 10.0]}
    found = judged(first, second, third)
    assert (found.median, found.low, found.high) == (0.3, 0.1, 0.9)
    assert (found.processes, found.rounds) == (3, 3)


@pytest.mark.parametrize(("ours", "beyond"), [(0.4, False), (0.5, False), (0.51, True)])
def test_a_figure_above_its_must_is_beyond_it(ours: float, beyond: bool) -> None:
    found = judged({"ours": [ours], "theirs": [1.0]})
    assert found.beyond is beyond
    assert ("BEYOND" in told(found)) is beyond
    assert ("beyond: ours / theirs" in verdict([found])) is beyond


def test_a_peer_that_is_not_installed_is_skipped_and_never_within_its_must() -> None:
    found = judged({"ours": [0.1]})
    assert found.skipped
    assert not found.beyond
    assert told(found).startswith("skipped")
    assert verdict([found]) == "gate: 0 within their must, none beyond, skipped: ours / theirs"


def test_a_peer_that_some_processes_could_not_measure_is_an_error_and_no_figure() -> None:
    with pytest.raises(KeyError):
        judged({"ours": [0.1], "theirs": [1.0]}, {"ours": [0.1]})


def test_a_case_of_ours_that_was_not_measured_is_an_error_and_not_skipped() -> None:
    with pytest.raises(KeyError):
        judged({"theirs": [1.0]})


def test_a_figure_without_a_must_is_shown_and_counted_nowhere() -> None:
    found = judged({"ours": [9.0], "theirs": [1.0]}, gate=Gate("ours / theirs", "ours", "theirs"))
    assert "shown" in told(found)
    assert verdict([found]) == "gate: 0 within their must, none beyond, none skipped"
