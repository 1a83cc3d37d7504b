"""A run that asked is killed, and answered a week later by another process: it goes on once, and nothing runs twice."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from process import environment, licet

from licet.ledger.verify import verify_file

HERE = Path(__file__).parent
APPLY = "licet.agents.workflow.task:Driver.apply"
WEEK_US = 7 * 24 * 3600 * 10**6


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a release and two commits after it."""
    folder = tmp_path / "spam"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "spam"\nversion = "1.2.0"\n')
    git(folder, "init", "-q")
    for subject in ("Add spam", "Fix the eggs", "Remove ham from breakfast"):
        git(folder, "commit", "-q", "--allow-empty", "-m", subject)
        if subject == "Add spam":
            git(folder, "tag", "v1.2.0")
    return folder


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=folder, env=environment(folder), check=True)


def script(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=60
    )


def entries(folder: Path) -> list[dict[str, Any]]:
    return json.loads(licet(folder, "ledger", "show", "--json").stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("when", "where", "number"),
    [
        ("before", APPLY, 1),  # the plan and the skill are there, and were not applied
        ("after", APPLY, 7),  # the first step is finished
        ("before", APPLY, 8),  # a sub-task was asked for
        ("before", APPLY, 11),  # the question was asked
        ("before", "licet.cli.played:tell_work", 1),  # the run stands still
    ],
)
def test_killed_and_answered_a_week_later_it_goes_on_once_and_nothing_runs_twice(
    repository: Path, when: str, where: str, number: int
) -> None:
    died = script(repository, str(HERE / "dying.py"), when, where, str(number), "run", "release-notes")
    assert died.returncode == -signal.SIGKILL, died.stderr
    waits = '"wait_for_reply"' in json.dumps(entries(repository))
    if not waits:
        went_on = script(repository, str(HERE / "later.py"), "1", "resume", "last")
        assert went_on.returncode == 0, went_on.stderr
    answered = script(repository, str(HERE / "later.py"), "7", "resume", "last", "1.3.0")
    assert answered.returncode == 0, answered.stderr
    assert "# Release 1.3.0\n\n2 changes since v1.2.0." in answered.stdout

    again = script(repository, str(HERE / "later.py"), "7", "resume", "last", "1.3.0")
    assert again.returncode == 3, again.stderr
    found = entries(repository)
    ran = [entry["body"]["call"] for entry in found if entry["kind"] == "tool.requested"]
    assert len(ran) == len(set(ran))
    made = [entry["body"]["tool"] for entry in found if entry["kind"] == "tool.requested"]
    for once in ("create_plan", "load_skill", "spawn_subtask", "ask_participant", "emit_ui", "grep"):
        assert made.count(f"local/{once}") == 1, once
    assert [entry["kind"] for entry in found].count("notes.written") == 1
    replied = next(entry for entry in found if entry["kind"] == "workflow.replied")
    assert replied["trace"]["at_us"] > time.time_ns() // 1000 + WEEK_US - 10**9
    assert licet(repository, "replay", replied["run_id"]).returncode == 0
    assert verify_file(repository.parent / "state" / "ledger.db").ok


def test_two_answers_at_once_are_one(repository: Path) -> None:
    assert licet(repository, "run", "release-notes").returncode == 0
    words = [sys.executable, "-m", "licet", "resume", "last", "1.3.0"]
    given = {"cwd": repository, "env": environment(repository), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    both = [subprocess.Popen(words, **given) for _ in range(2)]  # type: ignore[call-overload]
    for process in both:
        process.communicate(timeout=60)
    assert sorted(process.returncode for process in both) == [0, 3]
    kinds = [entry["kind"] for entry in entries(repository)]
    assert (kinds.count("workflow.replied"), kinds.count("notes.written")) == (1, 1)


def test_a_run_goes_on_in_the_folder_that_it_began_in(repository: Path) -> None:
    assert licet(repository, "run", "release-notes").returncode == 0
    other = repository.parent / "other"
    other.mkdir()
    elsewhere = licet(other, "resume", "last", "1.3.0")
    assert elsewhere.returncode == 2
    assert f"began in {repository}" in elsewhere.stderr
    assert "workflow.replied" not in [entry["kind"] for entry in entries(repository)]


def test_a_manifest_of_the_project_that_grants_less_today_counts(repository: Path) -> None:
    assert licet(repository, "run", "release-notes").returncode == 0
    agents = repository / "config" / "agents"
    agents.mkdir(parents=True)
    less = "name: release-notes\nhandler: worker\nmodel: release-notes\n"
    less += "tools: [complete_step]\nmay_emit: [notes.written]\n"
    (agents / "release-notes.yaml").write_text(less)
    (repository / "licet.yaml").write_text("agents: {}\n")
    untrusted = licet(repository, "resume", "last", "1.3.0")
    assert untrusted.returncode == 2
    assert "licet trust" in untrusted.stderr
    assert licet(repository, "trust", "--yes").returncode == 0
    assert licet(repository, "resume", "last", "1.3.0").returncode == 0
    refused = [entry["body"]["tool"] for entry in entries(repository) if entry["kind"] == "tool.refused"]
    assert "local/load_skill_resource" in refused
