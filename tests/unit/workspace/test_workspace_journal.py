"""Undoing: one call, a whole run, or nothing at all."""

import json
import stat
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from licet.errors import RollbackError, ToolFailedError
from licet.model.paths import PathPolicy
from licet.workspace import journal as journal_module
from licet.workspace.content import digest_of
from licet.workspace.kept import Kept
from licet.workspace.violation import WorkspaceViolation
from licet.workspace.workspace import Workspace


def write(workspace: Workspace, path: str, data: bytes) -> dict[str, Any]:
    token = workspace.journal.checkpoint(path)
    workspace.write_bytes(path, data, create_parents=True)
    return token


def test_a_token_tells_what_it_stands_for(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    token = workspace.journal.checkpoint("file")
    assert token["path"] == "file"
    assert token["existed"] is True
    assert token["digest"].startswith("sha256:")
    assert workspace.journal.checkpoint("new")["existed"] is False


def test_one_write_is_undone_with_its_mode_and_its_folders(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    (root / "file").chmod(0o640)
    replaced = write(workspace, "file", b"new")
    (root / "file").chmod(0o600)
    created = write(workspace, "a/b/c", b"new")
    workspace.journal.restore(replaced)
    workspace.journal.restore(created)
    assert [path.name for path in root.iterdir()] == ["file"]
    assert (root / "file").read_text() == "old"
    assert stat.S_IMODE((root / "file").stat().st_mode) == 0o640
    for token in (replaced, created):
        with pytest.raises(RollbackError):
            workspace.journal.restore(token)


def test_a_folder_that_holds_something_else_stays(workspace: Workspace, root: Path) -> None:
    token = write(workspace, "a/b/c", b"new")
    (root / "a" / "mine").write_text("mine")
    workspace.journal.restore(token)
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == ["a", "a/mine"]


def test_a_run_is_undone_as_a_whole_newest_first(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("0")
    for text in (b"1", b"2", b"3"):
        write(workspace, "file", text)
    write(workspace, "new", b"1")
    write(workspace, "new", b"2")
    assert workspace.journal.rollback() == ["file", "new"]
    assert (root / "file").read_text() == "0"
    assert not (root / "new").exists()
    assert workspace.journal.rollback() == []


@pytest.mark.parametrize("change", ["changed", "removed", "replaced by a folder"])
def test_a_run_is_not_undone_at_all_if_one_file_was_changed_since(
    workspace: Workspace, root: Path, change: str
) -> None:
    (root / "one").write_text("0")
    (root / "two").write_text("0")
    write(workspace, "one", b"1")
    write(workspace, "two", b"1")
    (root / "two").unlink()
    if change == "changed":
        (root / "two").write_text("somebody else's")
    elif change == "replaced by a folder":
        (root / "two").mkdir()
    for undo in (workspace.journal.check_unchanged, workspace.journal.rollback):
        with pytest.raises(RollbackError, match="'two'") as refused:
            undo()
        assert "'one'" not in str(refused.value)
    assert (root / "one").read_text() == "1"


def test_an_older_write_is_not_undone_below_a_newer_one(workspace: Workspace, root: Path) -> None:
    first = write(workspace, "file", b"1")
    second = write(workspace, "file", b"2")
    with pytest.raises(RollbackError):
        workspace.journal.restore(first)
    assert (root / "file").read_text() == "2"
    workspace.journal.restore(second)
    workspace.journal.restore(first)
    assert not (root / "file").exists()


def test_a_checkpoint_whose_write_never_came_undoes_nothing(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    token = workspace.journal.checkpoint("file")
    inode = (root / "file").stat().st_ino
    workspace.journal.check_unchanged()
    workspace.journal.restore(token)
    assert (root / "file").stat().st_ino == inode


@pytest.mark.parametrize("token", [{"id": "unknown"}, {}, None, "text", {"id": ["x"]}])
def test_a_token_of_another_process_is_refused(workspace: Workspace, token: Any) -> None:
    with pytest.raises(RollbackError):
        workspace.journal.restore(token)


def test_no_checkpoint_is_taken_where_nothing_may_be_written(workspace: Workspace, root: Path) -> None:
    (root / "folder").mkdir()
    for path in (".git/config", "../x", "licet.yaml"):
        with pytest.raises(WorkspaceViolation):
            workspace.journal.checkpoint(path)
    with pytest.raises(ToolFailedError):
        workspace.journal.checkpoint("folder")


def test_what_is_kept_is_bounded_and_freed_again(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_KEPT_BYTES", 10)
    (root / "six").write_text("6" * 6)
    (root / "five").write_text("5" * 5)
    first = write(workspace, "six", b"new")
    with pytest.raises(ToolFailedError) as refused:
        workspace.journal.checkpoint("five")
    assert refused.value.reason == "too_large"
    workspace.journal.restore(first)
    workspace.journal.checkpoint("five")


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_what_was_kept_is_put_back_from_memory_or_from_disk(root: Path, tmp_path: Path, where: str) -> None:
    blobs = str(tmp_path / "blobs") if where == "disk" else None
    (root / "file").write_text("old")
    with Workspace(PathPolicy.current_project(root), blobs=blobs) as workspace:
        token = write(workspace, "file", b"new")
        assert token["blob"] == (token["digest"] if where == "disk" else None)
        workspace.journal.restore(token)
    assert (root / "file").read_text() == "old"


def test_a_token_can_be_read_back_and_holds_no_content(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old secret")
    (root / "file").chmod(0o640)
    for path, folders in (("file", 0), ("a/b/new", 2)):
        token = json.loads(json.dumps(workspace.journal.checkpoint(path, lambda before: before + b"!")))
        assert "secret" not in str(token)
        kept = Kept.of(token)
        assert kept is not None
        assert kept.token() == token
        assert (kept.key, kept.root, kept.folders) == (str(root / path), str(root), folders)
        assert kept.after == digest_of((b"old secret" if path == "file" else b"") + b"!")
    assert kept.missing == [str(root / "a" / "b"), str(root / "a")]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "row"},
        {"id": "../../x"},
        {"id": 5},
        {"mode": 0o4755},
        {"mode": -1},
        {"mode": "0"},
        {"folders": -1},
        {"folders": 10**6},
        {"file": "relative"},
        {"file": ""},
        {"file": "/a\0b"},
        {"file": {"hex": "zz"}},
        {"file": {"hex": 5}},
        {"file": {}},
        {"file": None},
        {"root": "relative"},
        {"digest": 5},
        {"after": []},
        {"blob": {}},
        {"path": None},
    ],
)
def test_an_odd_token_is_no_token_of_a_file(workspace: Workspace, change: dict[str, Any]) -> None:
    token = workspace.journal.checkpoint("file")
    assert Kept.of(token) is not None
    assert Kept.of({**token, **change}) is None
    missing = dict(token)
    del missing[next(iter(change))]
    assert Kept.of(missing) is None


def test_an_edit_that_cannot_be_made_is_kept_without_what_it_would_write(workspace: Workspace) -> None:
    def impossible(before: bytes) -> bytes:
        raise ToolFailedError("no such text")

    assert workspace.journal.checkpoint("file", impossible)["after"] is None


def test_threads_that_share_a_journal_lose_nothing(workspace: Workspace, root: Path) -> None:
    def writes(thread: int) -> None:
        for number in range(20):
            write(workspace, f"{thread}-{number}", b"new")

    threads = [Thread(target=writes, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(workspace.journal.rollback()) == 80
    assert list(root.iterdir()) == []


def test_undoing_does_not_count_as_having_read(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    token = write(workspace, "file", b"new")
    known = workspace.reads.known(str(root / "file"))
    workspace.journal.restore(token)
    assert workspace.reads.known(str(root / "file")) == known, "the run knows the file as it wrote it, not as it is"


def test_only_so_many_reads_are_remembered(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("licet.workspace.reads._MAX_FILES", 2)
    for name in ("a", "b", "a", "c"):
        workspace.reads.note(name, name)
    assert [workspace.reads.known(name) for name in ("a", "b", "c")] == [None, "b", "c"]
