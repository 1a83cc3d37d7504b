"""A real language model on this machine, in an environment of its own: it takes a few minutes to make, once."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
COMPILING_S, ANSWERING_S = 2_400, 900


@pytest.fixture(scope="module")
def python() -> str:
    """The interpreter of the environment ``local``."""
    made = subprocess.run(
        ["scripts/env", "local"], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True, timeout=COMPILING_S
    )
    return made.stdout.strip()


@pytest.fixture(scope="module")
def facts(python: str) -> dict[str, Any]:
    script = REPOSITORY / "tests" / "e2e" / "local_model.py"
    said = _run([python, str(script), "marks", "converted", "cancelled", "guided"], env=dict(os.environ))
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def _run(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    said = subprocess.run(command, capture_output=True, text=True, timeout=ANSWERING_S, **options)
    assert said.returncode == 0, said.stderr
    return said


def test_the_package_with_the_weights_is_never_imported(facts: dict[str, Any]) -> None:
    assert facts["imported"] is False


def test_a_mark_of_the_chat_template_in_a_message_is_text(facts: dict[str, Any]) -> None:
    assert facts["marks"] == {"plain": [3, 2], "forged": [3, 2], "one": 1}


def test_calls_are_whole_name_what_was_offered_and_come_out_the_same_again(facts: dict[str, Any]) -> None:
    guided = facts["guided"]
    assert guided["same"]
    assert guided["offered"]
    assert all(guided["usage"])
    odd = guided["odd"]
    assert odd["quoted"] in ('a"b', "c\\d", "é\u2028")
    assert all(-3 <= value <= 12 for value in odd["map"].values())
    assert 0 < odd["number"] <= 7.5


def test_a_conversation_longer_than_the_context_is_cut_and_answered(facts: dict[str, Any]) -> None:
    assert 0 < facts["guided"]["fitted"] < 4096


def test_a_model_that_is_offered_nothing_writes_plain_text(facts: dict[str, Any]) -> None:
    text, calls = facts["guided"]["plain"]
    assert text
    assert not text.startswith("{")
    assert calls == 0


def test_a_cancelled_answer_has_stopped_and_the_next_one_comes(facts: dict[str, Any]) -> None:
    assert facts["cancelled"] == {"cancelled": True, "busy": False, "after": True}


def test_llama_cpps_own_converter_takes_the_schema_and_finds_an_end_to_every_rule(facts: dict[str, Any]) -> None:
    assert facts["converted"]["endless"] is False


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# weather\n\nTells the weather of tomorrow from the clouds of today.\n")
    (folder / "main.py").write_text('"""Starts it."""\nprint("sunny")  # TODO: look at the sky\n')
    return folder


def test_explore_works_with_no_network_and_no_key(python: str, project: Path, tmp_path: Path) -> None:
    command = [python, "-m", "licet", "explore", str(project), "--model", "local", "--json"]
    home = {"HOME": str(tmp_path), "LICET_HOME": str(tmp_path / "state"), "PATH": os.environ["PATH"]}
    said = _run(["unshare", "--net", "--map-root-user", *command], env=home)
    report = json.loads(said.stdout)
    assert report["findings"]["name"]
    assert report["findings"]["files"] == 2
    assert report["told"]["model"].startswith("local:")
    assert report["told"]["text"]
    assert report["account"]["verified"] is True
    assert "\x1b" not in said.stdout


def test_with_the_grammar_calls_are_whole_and_without_it_they_are_not(python: str) -> None:
    said = _run([python, "-m", "campaign.local.small"], cwd=REPOSITORY)
    assert json.loads(said.stdout) == {"found with": [], "found without": True}
