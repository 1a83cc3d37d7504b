"""Processes that are killed in the middle of a write, or of a rollback, and what an operator does then."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from process import PATIENCE_S, environment, licet

from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.bundles.files import tools
from licet.cli.records import opened
from licet.ledger.verify import verify_file

RUN = "crashing"
WRITING = ("--mode", "workspace-write", "--root", ".", "--grant", "group:editing_builtins", "--run", RUN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    (folder / "b.txt").chmod(0o640)
    return folder


def write(path: str, content: str) -> tuple[str, ...]:
    return ("call", "write", json.dumps({"path": path, "content": content}), *WRITING)


def killed(folder: Path, when: str, where: str, number: int, *words: str) -> None:
    """Run a command that dies at a point, and see that it did."""
    dying = Path(__file__).with_name("dying.py")
    died = subprocess.run(
        [sys.executable, str(dying), when, where, str(number), *words],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr


async def wrote(folder: Path, *files: tuple[str, str]) -> None:
    """The same run in this process, for what is not to be killed."""
    who = Principal(
        "cli", grants=[GrantSet.full()], mode="workspace_write", paths=PathPolicy.current_project(str(folder))
    )
    book(folder).parent.mkdir(exist_ok=True)
    async with Runtime(tools(), ledger=book(folder)) as runtime, runtime.run(who, id=RUN) as run:
        for path, content in files:
            (await run.call("write", {"path": path, "content": content})).unwrap()


def book(folder: Path) -> Path:
    return folder.parent / "state" / "ledger.db"


def done(folder: Path, *words: str) -> Any:
    """What a command that succeeded says, as JSON."""
    said = licet(folder, *words, "--json")
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def tree(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path.relative_to(folder)): ("/" if path.is_dir() else path.read_text(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
    }


def kinds(folder: Path) -> list[str]:
    with opened(book(folder)) as records:
        return [entry.kind for entry in records.entries()]


KEEPING = "licet.workspace.blobs:Blobs.put"
TOLD = "licet.runtime.record:Recorder.checkpointed"
NAMING = "licet.workspace.target:Target.adopt"
ENDING = "licet.runtime.record:Recorder.closed"


@pytest.mark.parametrize(
    ("when", "where", "written"),
    [
        ("before", KEEPING, False),
        ("after", KEEPING, False),
        ("before", TOLD, False),
        ("before", NAMING, False),
        ("after", NAMING, True),
        ("before", ENDING, True),
    ],
)
async def test_a_write_that_was_killed_is_listed_settled_and_undone(
    when: str, where: str, written: bool, project: Path
) -> None:
    before = tree(project)
    await wrote(project, ("b.txt", "three\n"))
    killed(project, when, where, 1, *write("b.txt", "four\n"))
    assert (project / "b.txt").read_text() == ("four\n" if written else "three\n")

    (open_call,) = done(project, "ledger", "show", "--unknown")
    assert open_call["kind"] == "tool.requested"
    assert open_call["body"]["arguments"] == {"content": "four\n", "path": "b.txt"}
    call = open_call["body"]["call"]

    refused = licet(project, "rollback", RUN)
    assert refused.returncode == 4
    assert f"{call} has no end" in refused.stderr
    assert "licet ledger settle" in refused.stderr

    outcome = "done" if written else "failed"
    done(project, "ledger", "settle", call, outcome, "--note", "looked at the file")
    undone = done(project, "rollback", RUN)
    assert [Path(file["path"]).name for file in undone["files"]] == ["b.txt"]
    left = {name: content for name, content in tree(project).items() if not name.endswith(".tmp")}
    assert left == before
    found = verify_file(book(project))
    assert (found.ok, found.unknown) == (True, ())


def test_a_new_file_of_a_killed_process_goes_with_the_folders_that_it_made(project: Path) -> None:
    before = tree(project)
    killed(project, "after", NAMING, 1, *write("d/e/new.txt", "new\n"))
    assert (project / "d" / "e" / "new.txt").exists()
    (open_call,) = done(project, "ledger", "show", "--unknown")
    done(project, "ledger", "settle", open_call["body"]["call"], "done", "--note", "it is there")
    done(project, "rollback", RUN)
    assert tree(project) == before


def test_what_somebody_else_wrote_after_the_crash_is_not_overwritten(project: Path) -> None:
    killed(project, "after", NAMING, 1, *write("a.txt", "by the run\n"))
    (project / "a.txt").write_text("by somebody else\n")
    (open_call,) = done(project, "ledger", "show", "--unknown")
    done(project, "ledger", "settle", open_call["body"]["call"], "done", "--note", "overwritten")
    refused = licet(project, "rollback", RUN)
    assert refused.returncode == 4
    assert "not as the run left them" in refused.stderr
    assert (project / "a.txt").read_text() == "by somebody else\n"


PUTTING_BACK = "licet.workspace.undo:Undo._put_back"
READY = "licet.workspace.undo:Undo.prepare"
NOTING = "licet.runtime.rollback:_note"
FOLDER = "licet.workspace.workspace:Workspace.remove_empty_folder"


@pytest.mark.parametrize(
    ("when", "where", "number"),
    [
        ("after", READY, 1),
        ("after", NOTING, 1),
        ("after", PUTTING_BACK, 1),
        ("after", PUTTING_BACK, 2),
        ("after", PUTTING_BACK, 3),
        ("after", FOLDER, 1),
        ("before", NOTING, 2),
        ("after", NOTING, 2),
    ],
)
async def test_a_rollback_that_was_killed_is_finished_by_doing_it_again(
    when: str, where: str, number: int, project: Path
) -> None:
    before = tree(project)
    await wrote(project, ("a.txt", "1"), ("b.txt", "1"), ("d/e/new.txt", "1"), ("b.txt", "2"))
    killed(project, when, where, number, "rollback", RUN)
    done(project, "rollback", RUN)
    assert tree(project) == before, "every file with its mode, and nothing that was made ready lies about"
    told = kinds(project)
    assert told.count("run.rolled_back") == 1
    assert done(project, "rollback", RUN)["already"]
    assert kinds(project) == told
    assert verify_file(book(project)).ok


async def test_nothing_is_undone_from_a_ledger_that_does_not_hold(project: Path) -> None:
    await wrote(project, ("a.txt", "1"))
    file = book(project)
    file.write_bytes(file.read_bytes().replace(b'"existed":true', b'"existed":tRUE', 1))
    refused = licet(project, "rollback", RUN)
    assert refused.returncode == 1
    assert "nothing was undone: entry " in refused.stderr
    assert (project / "a.txt").read_text() == "1"
