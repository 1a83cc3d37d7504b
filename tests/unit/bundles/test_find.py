"""``find``."""

import os
from time import monotonic
from typing import Any

import pytest

from licet.bundles.files import traverse
from licet.errors import ToolTimeoutError
from licet.model.paths import PathPolicy
from licet.workspace.workspace import Workspace


def found(project: Any, pattern: str, **arguments: Any) -> list[str]:
    paths: list[str] = project("find", pattern=pattern, **arguments)["paths"]
    return paths


@pytest.fixture
def tree(project: Any) -> Any:
    for path in (
        "a.py",
        "b.txt",
        "src/a.py",
        "src/deep/a.py",
        "src/deep/b.md",
        "src.py/c.py",
        "docs/x/y.md",
        ".hid/h.py",
    ):
        project.file(path)
    return project


def test_a_pattern_without_a_slash_is_over_the_last_name_and_one_with_a_slash_over_the_path(tree: Any) -> None:
    assert found(tree, "a.py") == ["a.py", "src/a.py", "src/deep/a.py"]
    assert found(tree, "*.md") == ["docs/x/y.md", "src/deep/b.md"]
    assert found(tree, "src/*.py") == found(tree, "/src/*.py") == ["src/a.py"]
    assert found(tree, "src/**/*.py") == ["src/a.py", "src/deep/a.py"]
    assert found(tree, "**/deep/*") == ["src/deep/a.py", "src/deep/b.md"]
    assert found(tree, "src/**") == ["src/a.py", "src/deep/a.py", "src/deep/b.md"]
    assert found(tree, "?.{py,txt}") == [".hid/h.py", "a.py", "b.txt", "src.py/c.py", "src/a.py", "src/deep/a.py"]
    assert found(tree, "[!ab]*.py") == [".hid/h.py", "src.py/c.py"]
    assert found(tree, "none") == []


def test_a_pattern_that_ends_with_a_slash_finds_folders(tree: Any) -> None:
    assert found(tree, "*/") == [".hid/", "docs/", "docs/x/", "src.py/", "src/", "src/deep/"]
    assert found(tree, "deep/") == ["src/deep/"]
    assert found(tree, "src/*/") == ["src/deep/"]


def test_paths_are_sorted_and_lead_to_the_file_from_the_project(tree: Any) -> None:
    everything = found(tree, "**")
    assert everything == sorted(everything)
    assert len(everything) == 8
    below = found(tree, "*.py", path="src/")
    assert below == ["src/a.py", "src/deep/a.py"]
    assert found(tree, "deep/*.py", path="./src") == ["src/deep/a.py"]
    for path in (*everything, *below):
        assert tree("read", path=path)["path"] == path


def test_paths_below_a_further_root_lead_back_to_it(tmp_path: Any, project: Any) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "file").touch()
    project.workspace = Workspace(PathPolicy.allowed_roots(project.root, tmp_path / "second"))
    assert found(project, "*", path=str(tmp_path / "second")) == [f"{tmp_path}/second/file"]
    assert found(project, "*", path=f"{project.root}/") == []


def test_what_ignore_files_name_is_passed_over(project: Any) -> None:
    for path in (
        "keep.py",
        "out/x.py",
        "a.log",
        "sub/b.log",
        "sub/keep.log",
        "sub/out/y.py",
        "sub/inner/z.tmp",
        "z.tmp",
    ):
        project.file(path)
    project.file(".gitignore", "*.log\n/out/\n# a comment\n\n")
    project.file("sub/.gitignore", "!keep.log\n*.tmp\n")
    project.file(".git/config")
    project.file(".licet/ledger.db")
    assert found(project, "**") == [".gitignore", "keep.py", "sub/.gitignore", "sub/keep.log", "sub/out/y.py", "z.tmp"]
    assert found(project, "**", path="sub") == ["sub/.gitignore", "sub/keep.log", "sub/out/y.py"]
    assert found(project, "**", path="sub/inner") == []
    assert found(project, "*.py", path="out") == ["out/x.py"], "a folder that is named is searched"


def test_ignore_files_above_a_repository_do_not_reach_into_it(project: Any) -> None:
    project.file(".gitignore", "*.log\n")
    project.file("repository/.git/HEAD")
    project.file("repository/sub/a.log")
    assert found(project, "*.log", path="repository/sub") == ["repository/sub/a.log"]


def test_links_are_named_and_never_followed(project: Any) -> None:
    project.file("folder/file")
    (project.root / "folder" / "up").symlink_to("..")
    (project.root / "out").symlink_to("/etc")
    assert found(project, "**") == ["folder/file", "folder/up", "out"]


def test_a_long_result_is_cut_and_the_rest_is_counted(project: Any) -> None:
    for number in range(50):
        project.file(f"f{number:02}")
    result = project("find", pattern="*", limit=10)
    assert result["paths"] == [f"f{number:02}" for number in range(10)]
    assert (result["total_seen"], result["truncated"]) == (50, True)
    assert "10 of 50" in result["notice"]
    assert not project("find", pattern="*")["truncated"]


def test_a_result_stays_below_what_a_model_is_shown_unless_more_is_asked_for(project: Any) -> None:
    for number in range(900):
        project.file(f"{number:04}" + "n" * 100)
    result = project("find", pattern="*")
    assert result["total_seen"] == 900 > len(result["paths"])
    assert len(str(result)) < 50 * 1024
    assert len(found(project, "*", limit=1000)) == 900


def test_odd_names_are_found_and_shown_escaped(project: Any) -> None:
    for name in (b"caf\xe9", b"new\nline", "caf\u00e9".encode()):
        (project.root / os.fsdecode(name)).touch()
    assert found(project, "*") == ["caf\\xe9", "caf\u00e9", "new\nline"]
    assert found(project, "caf?") == ["caf\u00e9"]


def test_folders_that_cannot_be_opened_are_counted(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("open/a")
    project.file("shut/b")
    enter = Workspace.enter_folder

    def refuse(self: Workspace, folder: int, name: str) -> int:
        if name == "shut":
            raise PermissionError(13, "no")
        return enter(self, folder, name)

    monkeypatch.setattr(Workspace, "enter_folder", refuse)
    result = project("find", pattern="*")
    assert result["paths"] == ["open/a"]
    assert result["skipped"] == {"unreadable": 1}


def test_folders_that_go_away_meanwhile_are_left_out(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("a/file")
    project.file("b/file")
    enter = Workspace.enter_folder

    def late(self: Workspace, folder: int, name: str) -> int:
        if name == "b":
            (project.root / "b").rename(project.root / "c")
        return enter(self, folder, name)

    monkeypatch.setattr(Workspace, "enter_folder", late)
    result = project("find", pattern="*")
    assert result["paths"] == ["a/file"]
    assert result["skipped"] == {"unreadable": 0}


def test_a_tree_without_end_is_left_in_time(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("/".join("d" * 120) + "/file")
    result = project("find", pattern="**")
    assert result["paths"] == []
    assert result["skipped"]["unreadable"] == 1
    for number in range(20):
        project.file(f"many/{number}")
    monkeypatch.setattr(traverse, "MAX_ENTRIES", 10)
    result = project("find", pattern="**", path="many")
    assert result["truncated"]
    assert "looked at" in result["notice"]


def test_nobody_waits_longer_than_the_call_may_take(project: Any) -> None:
    project.file("file")
    handler = project.specs["find"].handler
    with pytest.raises(ToolTimeoutError):
        handler(context=project.context(deadline=monotonic() - 1), pattern="*")


def test_nothing_stays_open(project: Any) -> None:
    project.file("a/b/c/file")
    found(project, "*")
    before = len(os.listdir("/proc/self/fd"))
    for pattern, path in (("*", "."), ("*", "a/b"), ("*", "a")):
        found(project, pattern, path=path)
    assert project.reason("find", pattern="*", path="a/b/c/file") == "not_a_directory"
    handler = project.specs["find"].handler
    with pytest.raises(ToolTimeoutError):
        handler(context=project.context(deadline=0.0), pattern="*")
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_cannot_be_searched_has_its_reason(project: Any) -> None:
    assert project.reason("find", pattern="*", path="none") == "path_not_found"
    assert project.reason("find", pattern="*", path="..") == "path_outside_root"
    assert project.reason("find", pattern="*", path=".licet") == "path_protected"
