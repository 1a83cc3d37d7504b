"""Reading through the workspace: what is given, what is refused and how, and that nothing stays open."""

import gc
import os
import stat
from pathlib import Path

import pytest

from licet.errors import ConfigurationError, PathViolation, ToolFailedError
from licet.model.paths import PathPolicy
from licet.workspace.violation import WorkspaceViolation
from licet.workspace.workspace import Workspace

BOTH = pytest.mark.parametrize("force_walk", [False, True])


def open_handles() -> int:
    gc.collect()  # what earlier tests left to the collector closes now, and not in between
    return len(os.listdir("/proc/self/fd"))


def refusal(workspace: Workspace, path: str) -> str:
    with pytest.raises((ToolFailedError, WorkspaceViolation)) as refused:
        workspace.read_bytes(path)
    return refused.value.reason


def test_a_file_is_read_whole_with_its_one_name(workspace: Workspace, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "file").write_bytes(b"text\n")
    (root / "link").symlink_to("sub")
    for path in ("sub/file", "./sub//file", "sub/../sub/file", "link/file", f"{root}/sub/file", f"{root}/link/file"):
        content = workspace.read_bytes(path)
        assert content.data == b"text\n"
        assert content.key == str(root / "sub" / "file")
    assert workspace.read_bytes("./sub//file").shown == workspace.display("./sub//file") == "sub/file"
    assert workspace.read_bytes(f"{root}/link/file").shown == "link/file"


def test_each_failure_has_its_reason(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("")
    (root / "folder").mkdir()
    os.mkfifo(root / "fifo")
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to("/etc")
    assert refusal(workspace, "none") == refusal(workspace, "none/none") == refusal(workspace, "") == "path_not_found"
    assert refusal(workspace, "n" * 300) == refusal(workspace, "x/" * 3000) == "path_not_found"
    assert refusal(workspace, "file/") == refusal(workspace, "file/x") == "not_a_directory"
    assert refusal(workspace, "folder") == refusal(workspace, ".") == refusal(workspace, "fifo") == "not_a_file"
    assert refusal(workspace, "loop") == refusal(workspace, "out/passwd") == "path_outside_root"
    assert refusal(workspace, "../project/file") == refusal(workspace, "file\0") == "path_outside_root"


def test_a_file_beyond_the_limit_is_refused_also_when_it_hides_its_size(workspace: Workspace, root: Path) -> None:
    (root / "file").write_bytes(b"x" * 1000)
    assert len(workspace.read_bytes("file", 1000).data) == 1000
    with pytest.raises(ToolFailedError) as refused:
        workspace.read_bytes("file", 999)
    assert refused.value.reason == "too_large"
    with Workspace(PathPolicy.danger_full_access()) as everywhere:
        assert everywhere.read_bytes("/proc/self/status").data.startswith(b"Name:")  # says that it has 0 bytes
        with pytest.raises(ToolFailedError) as refused:
            everywhere.read_bytes("/proc/self/status", 10)
    assert refused.value.reason == "too_large"


def test_a_file_with_a_second_name_is_refused_unless_allowed(root: Path) -> None:
    (root.parent / "outside").write_text("outside")
    os.link(root.parent / "outside", root / "inside")
    for force_walk in (False, True):
        policy = PathPolicy.current_project(root)
        with Workspace(policy, force_walk=force_walk) as workspace:
            with pytest.raises(WorkspaceViolation) as refused:
                workspace.read_bytes("inside")
            assert refused.value.reason == "not_a_file"
            assert refused.value.nothing_opened
            with pytest.raises(WorkspaceViolation):
                workspace.write_bytes("inside", b"changed")
        with Workspace(policy, force_walk=force_walk, allow_hard_links=True) as workspace:
            assert workspace.read_bytes("inside").data == b"outside"
    assert (root.parent / "outside").read_text() == "outside"


@BOTH
def test_another_mount_is_outside_unless_the_operator_lets_paths_go_on(force_walk: bool) -> None:
    policy = PathPolicy.current_project("/")
    with Workspace(policy, force_walk=force_walk) as workspace:
        assert refusal(workspace, "proc/version") == refusal(workspace, "/proc/self/status") == "path_outside_root"
        with pytest.raises(WorkspaceViolation):
            workspace.open_directory("proc")
    with Workspace(policy, force_walk=force_walk, cross_devices=True) as workspace:
        assert workspace.read_bytes("proc/self/status").data.startswith(b"Name:")
        for magic in ("proc/self/root/proc/version", "proc/self/cwd", "proc/self/exe", "proc/self/fd/0"):
            assert refusal(workspace, magic) == "path_outside_root", magic


@pytest.mark.requirement("path.relative-base")
def test_relative_paths_start_at_the_root_the_first_root_or_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "here"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    monkeypatch.chdir(tmp_path / "here")
    one, two = tmp_path / "one", tmp_path / "two"
    for policy, found in (
        (PathPolicy.current_project(one), b"one"),
        (PathPolicy.allowed_roots(two, one), b"two"),
        (PathPolicy.danger_full_access(), b"here"),
    ):
        with Workspace(policy) as workspace:
            assert workspace.read_bytes("file").data == found
            assert workspace.read_bytes("file").shown == "file"


@BOTH
def test_what_is_shown_leads_to_the_same_file_when_it_is_given_back(tmp_path: Path, force_walk: bool) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    with Workspace(PathPolicy.allowed_roots(one, two), force_walk=force_walk) as workspace:
        for path, text in (
            ("file", b"one"),
            (f"{one}/file", b"one"),
            (f"{two}/file", b"two"),
            (f"{two}//./file", b"two"),
        ):
            shown = workspace.read_bytes(path).shown
            assert workspace.read_bytes(shown).data == text
        assert workspace.display(f"{one}/./file") == "file"


@BOTH
def test_a_root_may_be_a_link_and_is_known_by_both_names(tmp_path: Path, force_walk: bool) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_text("text")
    (tmp_path / "link").symlink_to("real")
    with Workspace(PathPolicy.current_project(tmp_path / "link"), force_walk=force_walk) as workspace:
        for path in ("file", f"{tmp_path}/link/file", f"{tmp_path}/real/file"):
            assert workspace.read_bytes(path).shown == "file"
            assert workspace.read_bytes(path).key == str(tmp_path / "real" / "file")


def test_the_root_is_opened_once_and_stays_the_same_folder(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("first")
    assert workspace.read_bytes("file").data == b"first"
    root.rename(root.with_name("moved"))
    root.mkdir()
    (root / "file").write_text("another")
    assert workspace.read_bytes("file").data == b"first"


def test_nothing_is_opened_before_the_first_path_and_nothing_is_left_open(root: Path) -> None:
    (root / "file").write_text("text")
    (root / "link").symlink_to("file")
    (root / "folder").mkdir()
    before = open_handles()
    for force_walk in (False, True):
        with Workspace(PathPolicy.current_project(root), force_walk=force_walk) as workspace:
            assert open_handles() == before
            assert workspace.mark() == 0
            for path in ("file", "link", "folder/../file", "folder", "none", "../x", "file/x"):
                try:
                    workspace.read_bytes(path)
                except (ToolFailedError, WorkspaceViolation):
                    continue
            workspace.write_bytes("folder/new", b"x")
            with workspace.scan("folder") as listed:
                assert [entry.name for entry in listed[1]] == ["new"]
            del listed
            assert open_handles() == before + 1
            (root / "folder" / "new").unlink()
        assert open_handles() == before


def test_a_workspace_that_was_closed_opens_again_and_a_late_call_keeps_its_root(root: Path) -> None:
    (root / "file").write_text("text")
    workspace = Workspace(PathPolicy.current_project(root))
    opened = workspace.open_file("file")
    workspace.close()
    assert os.fstat(opened.root.handle)
    os.close(opened.handle)
    assert workspace.read_bytes("file").data == b"text"
    workspace.close()


def test_a_root_that_is_not_there_is_an_error_and_no_other_folder(tmp_path: Path) -> None:
    with Workspace(PathPolicy.current_project(tmp_path / "none")) as workspace:
        assert refusal(workspace, "file") == "path_not_found"
    with pytest.raises(ConfigurationError):
        PathPolicy("current_project", ("relative",))


def test_the_policy_none_makes_no_workspace() -> None:
    with pytest.raises(PathViolation) as refused:
        Workspace(PathPolicy.none())
    assert "path policy is 'none'" in str(refused.value)


def test_handles_of_files_folders_and_facts(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("text")
    (root / "folder").mkdir()
    opened = workspace.open_file("file")
    assert os.read(opened.handle, 10) == b"text"
    os.close(opened.handle)
    folder = workspace.open_directory("folder")
    assert stat.S_ISDIR(os.fstat(folder.handle).st_mode)
    os.close(folder.handle)
    assert workspace.stat("file").st_size == 4
    for wrong, method in (
        ("folder", workspace.open_file),
        ("file", workspace.open_directory),
        ("none", workspace.stat),
    ):
        with pytest.raises(ToolFailedError) as refused:
            method(wrong)
        assert refused.value.reason in ("not_a_file", "not_a_directory", "path_not_found")


def test_entries_of_an_open_folder_are_entered_by_handle_and_never_through_a_link(
    workspace: Workspace, root: Path
) -> None:
    (root / "folder").mkdir()
    (root / "file").write_text("text")
    (root / "to_file").symlink_to("file")
    (root / "to_folder").symlink_to("folder")
    (root / ".licet").mkdir()
    os.mkfifo(root / "fifo")
    folder = workspace.open_directory(".")
    try:
        entered = workspace.enter_file(folder.handle, "file")
        assert entered is not None
        os.close(entered[0])
        os.close(workspace.enter_folder(folder.handle, "folder"))
        assert workspace.enter_file(folder.handle, "fifo") is None
        for method, name in (
            (workspace.enter_file, "to_file"),
            (workspace.enter_folder, "to_folder"),
            (workspace.enter_folder, ".licet"),
            (workspace.enter_folder, "file"),
            (workspace.enter_file, "none"),
        ):
            with pytest.raises(OSError):  # noqa: PT011 - the kind differs between the two ways
                method(folder.handle, name)
    finally:
        os.close(folder.handle)


def test_a_message_names_no_folder_of_the_host(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to(root.parent / "secret-place")
    for path in ("out", "none", "../x", f"{root.parent}/secret-place", "a\0"):
        with pytest.raises((ToolFailedError, WorkspaceViolation)) as refused:
            workspace.read_bytes(path)
        assert str(root.parent) not in str(refused.value)
        assert "secret-place" not in str(refused.value)


def test_a_violation_tells_whether_its_call_opened_anything(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("text")
    for call, opened_before in ((workspace.scope(), False), (workspace.scope(), True), (workspace, True)):
        if opened_before:
            mark = call.mark()
            call.read_bytes("file")
            assert call.mark() > mark
        for refused_call in (lambda c: c.read_bytes("../x"), lambda c: c.write_bytes(".git/x", b"")):
            with pytest.raises(WorkspaceViolation) as refused:
                refused_call(call)
            # Only a scope knows where its call begins; without one the question is asked of the method.
            assert refused.value.nothing_opened is (not opened_before or call is workspace)


def test_names_that_are_no_utf8_are_shown_escaped(workspace: Workspace, root: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (root / name).write_text("text")
    content = workspace.read_bytes(name)
    assert content.data == b"text"
    assert content.shown == "caf\\xe9"
