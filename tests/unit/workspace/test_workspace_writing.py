"""Writing through the workspace: one step or nothing, protected places, and what is left behind."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from licet.errors import ToolFailedError
from licet.model.paths import PathPolicy
from licet.policy.protected import PROJECT_FOLDERS, PROTECTED
from licet.workspace.content import digest_of
from licet.workspace.violation import WorkspaceViolation
from licet.workspace.workspace import Workspace


def refusal(workspace: Workspace, path: str, **options: Any) -> str:
    with pytest.raises((ToolFailedError, WorkspaceViolation)) as refused:
        workspace.write_bytes(path, b"new", **options)
    return refused.value.reason


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, call: str, number: int) -> Iterator[None]:
    """One call of the operating system that says no."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        yield


def test_a_file_is_created_and_replaced_and_keeps_its_mode(workspace: Workspace, root: Path) -> None:
    written = workspace.write_bytes("file", b"one")
    assert (written.created, written.shown, written.key) == (True, "file", str(root / "file"))
    assert written.digest == digest_of(b"one")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((root / "file").stat().st_mode) == 0o666 & ~umask
    (root / "file").chmod(0o751)
    assert not workspace.write_bytes("file", b"two").created
    assert (root / "file").read_bytes() == b"two"
    assert stat.S_IMODE((root / "file").stat().st_mode) == 0o751
    (root / "file").chmod(0o4755)
    workspace.write_bytes("file", b"three")
    assert stat.S_IMODE((root / "file").stat().st_mode) == 0o755, "the right to act as the owner is not passed on"
    assert list(tree(root)) == ["file"]


def test_a_reader_that_has_the_old_file_open_keeps_the_old_text(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    with (root / "file").open() as reader:
        workspace.write_bytes("file", b"new")
        assert reader.read() == "old"


def test_folders_are_made_only_when_asked_for(workspace: Workspace, root: Path) -> None:
    assert refusal(workspace, "a/b/c") == "path_not_found"
    assert list(root.iterdir()) == []
    written = workspace.write_bytes("a/b/c", b"x", create_parents=True)
    assert written.folders == (str(root / "a"), str(root / "a" / "b"))
    assert workspace.write_bytes("a/b/d", b"x", create_parents=True).folders == ()


def test_each_place_that_takes_no_file_has_its_reason(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("")
    (root / "folder").mkdir()
    os.mkfifo(root / "fifo")
    (root / "dangling").symlink_to("nothing")
    (root / "out").symlink_to("../outside")
    assert refusal(workspace, "folder") == refusal(workspace, ".") == refusal(workspace, "fifo") == "not_a_file"
    assert refusal(workspace, "folder/..") == "not_a_file"
    assert refusal(workspace, "file/x") == refusal(workspace, "file/") == "not_a_directory"
    assert refusal(workspace, "dangling") == refusal(workspace, "missing/../x") == "path_not_found"
    assert refusal(workspace, "new/", create_parents=True) == "path_not_found"
    assert refusal(workspace, "missing/../x", create_parents=True) == "path_not_found"
    assert refusal(workspace, "out") == refusal(workspace, "../x") == refusal(workspace, "/x") == "path_outside_root"
    assert refusal(workspace, "n" * 300) == "path_not_found"
    assert not (root.parent / "outside").exists()
    assert not (root / "nothing").exists()


def test_writing_through_a_link_changes_the_file_and_not_the_link(workspace: Workspace, root: Path) -> None:
    (root / "real").mkdir()
    (root / "real" / "file").write_text("old")
    (root / "link").symlink_to("real/file")
    (root / "folder").symlink_to("real")
    workspace.write_bytes("link", b"through the link")
    assert (root / "link").is_symlink()
    assert (root / "real" / "file").read_text() == "through the link"
    workspace.write_bytes("folder/new", b"x")
    assert (root / "real" / "new").read_text() == "x"


def test_a_stale_digest_writes_nothing(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    assert refusal(workspace, "file", expected_digest=digest_of(b"older")) == "edit_stale"
    assert refusal(workspace, "none", expected_digest=digest_of(b"older")) == "edit_stale"
    assert tree(root) == {"file": b"old"}
    workspace.write_bytes("file", b"new", expected_digest=digest_of(b"old"))
    assert tree(root) == {"file": b"new"}


@pytest.mark.parametrize(
    ("call", "number", "reason"),
    [
        ("write", errno.ENOSPC, "no_space"),
        ("fsync", errno.EIO, "io_error"),
        ("rename", errno.EPERM, "permission_denied"),
        ("fchmod", errno.EPERM, "permission_denied"),
    ],
)
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, reason: str
) -> None:
    (root / "file").write_text("old")
    with failing(monkeypatch, call, number):
        assert refusal(workspace, "file") == reason
        if call != "fchmod":
            assert refusal(workspace, "a/b/new", create_parents=True) == reason
    assert tree(root) == {"file": b"old"}
    assert not (root / "a").exists()


def test_an_interruption_leaves_nothing_either(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            workspace.write_bytes("a/file", b"new", create_parents=True)
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("moved", ["folder", "file"])
def test_what_was_moved_meanwhile_is_not_written(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, moved: str
) -> None:
    (root / "folder").mkdir()
    (root / "folder" / "file").write_text("old")
    (root.parent / "outside").mkdir()
    sync = os.fsync

    def move(handle: int) -> None:
        sync(handle)
        if moved == "folder":
            (root / "folder").rename(root.parent / "outside" / "folder")
        else:
            (root / "folder" / "file").unlink()
            (root / "folder" / "file").write_text("somebody else's")

    monkeypatch.setattr(os, "fsync", move)
    assert refusal(workspace, "folder/file") == "path_unstable"
    assert sorted(tree(root.parent).values()) == [b"old" if moved == "folder" else b"somebody else's"]


def test_a_temporary_name_cannot_be_planted(workspace: Workspace, root: Path) -> None:
    """What is opened for writing is new: an existing name, a link above all, is never taken."""
    seen: list[str] = []
    real_open = os.open

    def watch(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            assert flags & os.O_EXCL
            assert flags & os.O_NOFOLLOW
            seen.append(str(path))
        return real_open(path, flags, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", watch)
        for _ in range(20):
            workspace.write_bytes("file", b"x")
    assert len(set(seen)) == 20
    assert all(len(name) > 20 for name in seen)


def test_a_file_that_may_not_be_written_is_not_replaced(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "file").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert refusal(workspace, "file") == "permission_denied"
    assert tree(root) == {"file": b"old"}


@pytest.mark.requirement("own.policy-is-protected")
def test_no_protected_file_is_written_or_created_at_any_depth(workspace: Workspace, root: Path) -> None:
    (root / "sub").mkdir()
    for name in (*PROTECTED, ".licet", "ledger.licet", ".GIT", "Licet.Yaml", ".\uff47it"):
        for path in (name, f"sub/{name}", f"{name}/x", f"sub/../{name}", f"./{name}/x/y"):
            assert refusal(workspace, path, create_parents=True) == "path_protected", path
    assert tree(root) == {}
    assert [path.name for path in root.iterdir()] == ["sub"]


@pytest.mark.requirement("own.policy-is-protected")
def test_folders_of_a_licet_project_are_protected_and_those_of_other_projects_are_not(
    workspace: Workspace, root: Path
) -> None:
    for place in ("", "inner/"):
        for name in PROJECT_FOLDERS:
            workspace.write_bytes(f"{place}{name}/file", b"before", create_parents=True)
        (root / place / "licet.yaml").write_text("")
        for name in (*PROJECT_FOLDERS, "CONFIG"):
            for path in (f"{place}{name}/file", f"{place}{name}/new/deep", f"{place}./config/../{name}/file"):
                assert refusal(workspace, path, create_parents=True) == "path_protected", path
    assert b"new" not in tree(root).values()


@pytest.mark.requirement("own.policy-is-protected")
def test_no_link_leads_to_what_is_protected(workspace: Workspace, root: Path) -> None:
    (root / ".git").mkdir()
    (root / "config").mkdir()
    (root / "config" / "agents").write_text("policy")
    (root / "licet.yaml").write_text("policy")
    (root / ".git" / "config").write_text("policy")
    for name, target in {
        "to_git": ".git",
        "to_git_file": ".git/config",
        "to_policy": "licet.yaml",
        "to_config": "config",
        "two": "to_policy",
    }.items():
        (root / name).symlink_to(target)
    for path in ("to_git/hooks/x", "to_git_file", "to_policy", "to_config/agents", "to_config/new", "two"):
        assert refusal(workspace, path, create_parents=True) == "path_protected", path
    assert b"new" not in tree(root).values()


@pytest.mark.requirement("own.policy-is-protected")
def test_what_a_protected_name_leads_to_is_protected_under_its_other_names(workspace: Workspace, root: Path) -> None:
    (root / "conf").mkdir()
    (root / "conf" / "main.yaml").write_text("policy")
    (root / "licet.yaml").symlink_to("conf/main.yaml")
    (root / "elsewhere" / "hooks").mkdir(parents=True)
    (root / ".git").symlink_to("elsewhere")
    (root / "settings").mkdir()
    (root / "config").symlink_to("settings")
    for path in ("conf/main.yaml", "elsewhere/hooks/new", "elsewhere/new", "settings/new", "config/new"):
        assert refusal(workspace, path) == "path_protected", path
    workspace.write_bytes("conf/other.yaml", b"fine")


@pytest.mark.requirement("own.policy-is-protected")
def test_the_state_of_licet_is_neither_read_nor_written(workspace: Workspace, root: Path) -> None:
    (root / ".licet").mkdir()
    (root / ".licet" / "ledger.db").write_text("records")
    (root / "link").symlink_to(".licet")
    (root / "file_link").symlink_to(".licet/ledger.db")
    for path in (".licet/ledger.db", ".LICET/ledger.db", "link/ledger.db", "file_link", "./.licet/../.licet/ledger.db"):
        with pytest.raises(WorkspaceViolation) as refused:
            workspace.read_bytes(path)
        assert refused.value.reason == "path_protected", path
        assert refusal(workspace, path) == "path_protected"
    for path in (".licet", "link"):
        with pytest.raises(WorkspaceViolation):
            workspace.open_directory(path)


@pytest.mark.requirement("own.policy-is-protected")
@pytest.mark.parametrize("force_walk", [False, True])
def test_the_operator_names_further_places(root: Path, force_walk: bool) -> None:
    for folder in ("state", "sealed", "open"):
        (root / folder).mkdir()
        (root / folder / "file").write_text("text")
    (root / "link").symlink_to("state")
    policy = PathPolicy.current_project(root)
    options = {"state": [str(root / "state")], "sealed": [str(root / "sealed"), str(root / "single")]}
    with Workspace(policy, force_walk=force_walk, **options) as workspace:  # type: ignore[arg-type]
        for path in ("state/file", "link/file", "open/../state/file"):
            with pytest.raises(WorkspaceViolation):
                workspace.read_bytes(path)
            assert refusal(workspace, path) == "path_protected"
        assert workspace.read_bytes("sealed/file").data == b"text"
        for path in ("sealed/file", "sealed/new", "SEALED/new", "single"):
            assert refusal(workspace, path, create_parents=True) == "path_protected"
        workspace.write_bytes("open/file", b"fine")
        folder = workspace.open_directory(".")
        with pytest.raises(PermissionError):
            workspace.enter_folder(folder.handle, "state")
        os.close(folder.handle)


def test_full_access_protects_nothing_and_follows_links(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".git").mkdir()
    (root.parent / "outside").mkdir()
    (root / "out").symlink_to(root.parent / "outside")
    monkeypatch.chdir(root)
    with Workspace(PathPolicy.danger_full_access()) as workspace:
        workspace.write_bytes(".git/config", b"x")
        workspace.write_bytes("licet.yaml", b"x")
        workspace.write_bytes("out/new", b"x")
        workspace.write_bytes("../outside/deep/new", b"x", create_parents=True)
        written = workspace.write_bytes(f"{root.parent}/outside/third", b"x")
        assert written.shown == f"{root.parent}/outside/third"
        assert workspace.write_bytes(f"{root}/here", b"x").shown == "here"
        assert refusal(workspace, "/dev/null") == "not_a_file"
    assert sorted(tree(root.parent / "outside")) == ["deep/new", "new", "third"]
