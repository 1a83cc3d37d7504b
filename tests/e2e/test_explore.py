"""``licet explore`` at work: what it prints, what stands on its ledger, and that it changes nothing."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exploring import Explore, bound_by_permissions, document

from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file

REPOSITORY = Path(__file__).parents[2]


def digest(root: Path) -> str:
    """Of every name, kind, content, mode and time below a folder, links not followed."""
    found = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in ["", *sorted(files), *folders]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found.update(
                os.fsencode(f"{path} {status.st_mode} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}")
            )
            if not os.path.islink(path) and os.path.isfile(path):
                found.update(Path(path).read_bytes())
    return found.hexdigest()


# --- the main job ---


@pytest.mark.requirement("explore.default-task")
def test_the_default_task_explores_a_real_project_with_ls_find_grep_and_read(explore: Explore, home: Path) -> None:
    found = document(explore(REPOSITORY, "--json"))
    assert found["findings"]["name"] == "licet"
    assert "Apache-2.0" in [licence["text"] for licence in found["findings"]["licences"]]
    assert {"line": "make test", "purpose": "test", "source": "Makefile"} in found["findings"]["commands"]
    assert {point["name"] for point in found["findings"]["entry_points"]} >= {"licet", "python -m licet"}
    assert found["account"]["mode"] == "read_only"
    ledger = SqliteLedger(home / "ledger.db")
    try:
        entries = list(ledger.entries())
    finally:
        ledger.close()
    requested = [json.loads(entry.body)["tool"] for entry in entries if entry.kind == "tool.requested"]
    assert set(requested) == {"local/ls", "local/find", "local/grep", "local/read"}
    expanded = next(json.loads(entry.body) for entry in entries if entry.kind == "grant.expanded")
    assert expanded["grants"] == ["local/find", "local/grep", "local/ls", "local/read"]
    assert not [entry for entry in entries if entry.kind == "tool.checkpointed"]


def test_the_report_says_what_a_developer_asks_on_the_first_day(explore: Explore, project: Path, home: Path) -> None:
    said = explore(project)
    assert said.code == 0
    assert len(said.out.splitlines()) <= 33
    for words in (
        "# spam\n",
        "> Spam makes eggs for everybody. (`README.md`)",
        "- **Licence:** Apache-2.0 (`LICENSE`)",
        "- **Entry points:** `spam` = `spam:main` (`pyproject.toml`)",
        "- **test:** `make test` (`Makefile`)",
        "- `src/spam/` 1 file: What spam is made of.",
        "- `src/spam/__init__.py:2` `# TODO: eggs`",
        "scripted planner, no model",
        "0 refused, 0 failed",
    ):
        assert words in said.out
    assert "ignored" not in said.out
    proof = verify_file(home / "ledger.db")
    assert proof.ok
    assert f"`{proof.head.hex()}`, {proof.count} entries verified" in said.out
    run = said.err.removeprefix("run ").strip()
    assert f"**Run:** `{run}`" in said.out
    assert said.err == f"run {run}\n"
    assert (home.stat().st_mode & 0o777, (home / "ledger.db").stat().st_mode & 0o777) == (0o700, 0o600)


def test_full_and_json_leave_nothing_out(explore: Explore, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for number in range(12):
        (root / f"f{number}").mkdir(parents=True)
        (root / f"f{number}" / "a.py").write_text("# FIXME\n")
    assert "## Folders (7 of 12)" in explore(root).out
    full = explore(root, "--full").out
    assert " more" not in full
    assert "## Folders (12)" in full
    assert full.count("/a.py:1") == 12
    assert len(document(explore(root, "--json"))["findings"]["marks"]) == 12


def test_the_explored_folder_stays_byte_for_byte_as_it_is(explore: Explore, project: Path) -> None:
    before = digest(project)
    assert explore(project).code == 0
    assert explore(project, "--json").code == 0
    assert digest(project) == before
    (project / "README.md").write_text("changed")
    assert digest(project) != before


def test_a_run_is_appended_to_the_ledger_that_was_named(
    explore: Explore, project: Path, tmp_path: Path, home: Path
) -> None:
    ledger = tmp_path / "own.licet"
    first = document(explore(project, "--json", "--ledger", ledger))["account"]
    second = document(explore(project, "--json", "--ledger", ledger))["account"]
    assert first["run_id"] != second["run_id"]
    assert second["entries"] == first["entries"] * 2
    assert first["head"] != second["head"]
    assert not home.exists()


# --- the ledger and the report ---


def test_without_a_ledger_nothing_is_explored(explore: Explore, project: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ledger\n")
    (tmp_path / "folder").mkdir()
    for ledger in (
        tmp_path / "text",
        tmp_path / "folder",
        tmp_path / "no" / "such" / "folder" / "l",
        "/proc/l",
        "/dev/full",
    ):
        said = explore(project, "--ledger", ledger)
        assert said.code == 4, said.err
        assert str(ledger) in said.err
        assert said.out == ""
    assert (tmp_path / "text").read_text() == "no ledger\n"
    assert explore(project, "--ledger", "").code == 2


def test_a_read_only_place_for_the_ledger_is_no_ledger(home: Path, project: Path, closed: Path) -> None:
    closed.chmod(0o555)
    for state, words in ((home, ("--ledger", closed / "l.licet")), (closed / "state", ())):
        said = bound_by_permissions(state, project, *words)
        assert (said.code, said.out) == (4, "")
        assert "licet: " in said.err
        assert str(closed) in said.err
    assert list(closed.iterdir()) == []


def test_a_ledger_that_fails_on_the_way_ends_the_exploration(
    explore: Explore, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from licet.ledger.writer import Writer

    written: list[int] = []

    def full(self: Writer, lines: Any) -> None:
        written.append(len(lines))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Writer, "write", full)
    said = explore(project)
    assert said.code == 4
    assert "No space left" in said.err
    assert said.out == ""
    assert written


def test_the_default_ledger_never_stands_in_the_explored_folder(
    explore: Explore, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LICET_HOME", str(project / "state"))
    said = explore(project)
    assert (said.code, said.out) == (2, "")
    assert "--ledger FILE" in said.err
    assert not (project / "state").exists()


def test_a_broken_ledger_is_told_and_found(explore: Explore, project: Path, tmp_path: Path) -> None:
    import sqlite3

    ledger = tmp_path / "l.licet"
    assert explore(project, "--ledger", ledger).code == 0
    connection = sqlite3.connect(ledger)
    (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_unchanged'").fetchone()
    connection.execute("DROP TRIGGER entry_unchanged")
    connection.execute("UPDATE entry SET actor = 'somebody' WHERE seq = 2")
    connection.commit()
    connection.execute(trigger)
    connection.commit()
    connection.close()
    said = explore(project, "--ledger", ledger)
    assert said.code == 1
    assert "The ledger is damaged" in said.out
    assert "verified" not in said.out


def test_the_report_is_written_whole_or_not_at_all(explore: Explore, project: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("before")
    report.chmod(0o640)
    (tmp_path / "link.md").symlink_to("report.md")
    said = explore(project, "--report", tmp_path / "link.md")
    assert (said.code, said.out) == (0, "")
    assert "the report is in" in said.err
    assert report.read_text().startswith("# spam\n")
    assert report.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.md").is_symlink()
    assert explore(project, "--json", "--report", report).code == 0
    assert json.loads(report.read_text())["findings"]["name"] == "spam"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "link.md", "report.md", "spam"]


def test_a_place_that_can_hold_no_report_is_refused_before_anything_is_explored(
    explore: Explore, project: Path, tmp_path: Path, home: Path
) -> None:
    os.mkfifo(tmp_path / "fifo")
    for place, problem in {
        tmp_path: "is a directory",
        tmp_path / "none" / "r.md": "there is no folder",
        tmp_path / "fifo": "no regular file",
        Path("/dev/null"): "no regular file",
    }.items():
        said = explore(project, "--report", place)
        assert (said.code, said.out) == (2, "")
        assert problem in said.err
    assert explore(project, "--report", "").code == 2
    assert not home.exists()


def test_a_report_that_cannot_be_written_leaves_what_was_there(
    explore: Explore, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.md").write_text("before")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = explore(project, "--report", tmp_path / "r.md")
    assert said.code == 4
    assert (tmp_path / "r.md").read_text() == "before"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_interrupt_ends_it_with_130_and_whole_entries(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "long"
    root.mkdir()
    for number in range(60):  # as large as read takes them, and nothing on the disk
        with open(root / f"f{number}.txt", "wb") as file:
            file.truncate(32 * 1024**2)
    running = subprocess.Popen(
        [sys.executable, "-m", "licet", "explore", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LICET_HOME": str(home)},
    )
    assert running.stderr is not None
    assert running.stderr.readline().startswith("run ")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert verify_file(home / "ledger.db").ok


def test_a_reader_that_goes_away_is_silent(home: Path, project: Path) -> None:
    command = f"{sys.executable} -m licet explore {project} --full | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
