"""``write`` and ``edit``, and undoing them."""

import os
from typing import Any

import pytest

from licet.bundles.files.edit import applied, placed
from licet.errors import RollbackError, ToolFailedError
from licet.workspace.violation import WorkspaceViolation


def edit(project: Any, *edits: tuple[str, str], path: str = "file") -> dict[str, Any]:
    result: dict[str, Any] = project("edit", path=path, edits=[{"old_text": o, "new_text": n} for o, n in edits])
    return result


def edit_reason(project: Any, *edits: tuple[str, str], path: str = "file") -> str:
    with pytest.raises((ToolFailedError, WorkspaceViolation)) as refused:
        edit(project, *edits, path=path)
    return refused.value.reason


def test_a_new_file_is_written_with_its_folders(project: Any) -> None:
    result = project("write", path="a/b/file", content="one\ntwo\n")
    assert (project.root / "a" / "b" / "file").read_text() == "one\ntwo\n"
    assert result["created"] is True
    assert result["bytes"] == 8
    assert result["diff"].splitlines() == ["--- a/b/file", "+++ a/b/file", "@@ -0,0 +1,2 @@", "+one", "+two"]


def test_replacing_a_file_gives_the_difference(project: Any) -> None:
    project.file("file", "".join(f"line {n}\n" for n in range(100)))
    text = "".join(f"line {n}\n" for n in range(100)).replace("line 50\n", "another line\n")
    result = project("write", path="file", content=text)
    assert result["created"] is False
    assert "@@ -48,7 +48,7 @@\n" in result["diff"]
    assert "-line 50\n+another line\n" in result["diff"]
    assert result["diff"].count("\n") == 11
    assert (project.root / "file").read_text() == text
    assert project("write", path="file", content=text)["diff"] == ""


def test_a_difference_is_bounded(project: Any) -> None:
    project.file("file", "".join(f"{n}\n" for n in range(1500)))
    result = project("write", path="file", content="".join(f"{'x' * 50} {n}\n" for n in range(1500)))
    assert result["diff_truncated"] is True
    assert 0 < len(result["diff"]) < 50 * 1024
    result = project("write", path="file", content="".join(f"{n} y\n" for n in range(5000)))
    assert (result["diff"], result["diff_truncated"]) == ("", True)
    project.file("binary", b"\0")
    assert project("write", path="binary", content="text")["diff_truncated"] is True
    project.file("huge", "x" * (1024 * 1024 + 1))
    assert project("write", path="huge", content="text")["diff_truncated"] is True
    assert (project.root / "huge").read_text() == "text"


def test_a_missing_line_end_is_told(project: Any) -> None:
    project.file("file", "a\nb")
    diff = project("write", path="file", content="a\nb\n")["diff"]
    assert "-b\n\\ No newline at end of file\n+b\n" in diff


def test_text_that_no_file_can_hold_is_refused(project: Any) -> None:
    handler = project.specs["write"].handler
    with pytest.raises(ToolFailedError):
        handler(context=project.context(), path="file", content="\ud800")
    assert not (project.root / "file").exists()


def test_places_that_take_no_file_have_their_reason(project: Any) -> None:
    os.mkfifo(project.root / "pipe")
    (project.root / "folder").mkdir()
    project.file("file")
    for path, reason in {
        "pipe": "not_a_file",
        "folder": "not_a_file",
        "file/x": "not_a_directory",
        "../x": "path_outside_root",
        ".git/hooks/x": "path_protected",
        "licet.yaml": "path_protected",
        ".licet/x": "path_protected",
    }.items():
        assert project.reason("write", path=path, content="x") == reason, path
        assert edit_reason(project, ("a", "b"), path=path) in (reason, "edit_requires_read"), path
    assert sorted(os.listdir(project.root)) == ["file", "folder", "pipe"]


def test_edits_are_made_where_the_old_text_stands(project: Any) -> None:
    project.file("file", "one\ntwo\nthree\n")
    project("read", path="file", limit=1)
    result = edit(project, ("three", "3"), ("one\n", ""), ("wo", "WO"))
    assert (project.root / "file").read_text() == "tWO\n3\n"
    assert result["edits"] == 3
    assert "+tWO" in result["diff"]
    result = edit(project, ("tWO", "two"))
    assert result["bytes"] == 6


def test_the_edited_file_keeps_its_other_bytes(project: Any) -> None:
    project.file("file", b"caf\xe9\r\nold\r\n")
    project("read", path="file")
    edit(project, ("old", "new"))
    assert (project.root / "file").read_bytes() == b"caf\xe9\r\nnew\r\n"


def test_an_edit_needs_a_read_in_the_same_run_of_the_file_as_it_is(project: Any) -> None:
    file = project.file("file", "old")
    assert edit_reason(project, ("old", "new")) == "edit_requires_read"
    project("grep", pattern="old")
    project("ls")
    assert edit_reason(project, ("old", "new")) == "edit_requires_read"
    project("read", path="file")
    file.write_text("old!")
    assert edit_reason(project, ("old", "new")) == "edit_stale"
    project("read", path="./file")
    file.with_suffix(".tmp").write_text("old?")
    file.with_suffix(".tmp").replace(file)
    assert edit_reason(project, ("old", "new")) == "edit_stale"
    assert file.read_text() == "old?"
    project("read", path="file")
    edit(project, ("old", "new"))
    project("write", path="fresh", content="text")
    edit(project, ("text", "more"), path="fresh")


def test_a_file_read_through_a_link_is_known_by_its_own_name(project: Any) -> None:
    project.file("real/file", "old")
    (project.root / "link").symlink_to("real")
    project("read", path="link/file")
    edit(project, ("old", "new"), path="real/file")
    edit(project, ("new", "newer"), path="link/file")
    assert (project.root / "real" / "file").read_text() == "newer"


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([("none", "x")], "edit_target_not_found"),
        ([("one", "x"), ("none", "x")], "edit_target_not_found"),
        ([("o", "x")], "edit_target_not_unique"),
        ([("aa", "x")], "edit_target_not_unique"),
        ([("one two", "x"), ("two aaa", "x")], "edit_overlap"),
        ([("one two", "x"), ("one two", "y")], "edit_overlap"),
        ([("one two aaa", "x"), ("two", "y")], "edit_overlap"),
        ([("", "x")], "edit_target_not_found"),
    ],
)
def test_one_edit_that_does_not_fit_changes_nothing(project: Any, edits: list[tuple[str, str]], reason: str) -> None:
    file = project.file("file", "one two aaa\n")
    before = file.stat()
    project("read", path="file")
    handler = project.specs["edit"].handler
    with pytest.raises(ToolFailedError) as refused:
        handler(context=project.context(), path="file", edits=[{"old_text": o, "new_text": n} for o, n in edits])
    assert refused.value.reason == reason
    assert file.read_text() == "one two aaa\n"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_edits_side_by_side_do_not_overlap() -> None:
    text = b"abcd"
    changes = placed(text, [{"old_text": "cd", "new_text": ""}, {"old_text": "ab", "new_text": "x"}])
    assert applied(text, changes) == b"x"
    assert [change.number for change in changes] == [2, 1]


def test_the_refusal_helps(project: Any) -> None:
    project.file("file", "a\r\nb\r\nx\r\nx\r\n")
    project("read", path="file")
    with pytest.raises(ToolFailedError, match="lines end with"):
        edit(project, ("a\nb", "c"))
    with pytest.raises(ToolFailedError, match="lines 3 and 4"):
        edit(project, ("x", "c"))


def test_a_missing_or_binary_file_is_not_edited(project: Any) -> None:
    project.file("binary", b"a\0")
    assert edit_reason(project, ("a", "b"), path="none") == "path_not_found"
    assert edit_reason(project, ("a", "b"), path="none/none") == "path_not_found"
    assert edit_reason(project, ("a", "b"), path="binary") == "binary_file"


@pytest.mark.parametrize("tool", ["write", "edit"])
def test_what_a_call_did_is_undone(project: Any, tool: str) -> None:
    file = project.file("file", "old")
    project("read", path="file")
    spec = project.specs[tool]
    arguments: dict[str, Any] = {
        "write": {"path": "file", "content": "new"},
        "edit": {"path": "file", "edits": [{"old_text": "old", "new_text": "new"}]},
    }[tool]
    token = spec.checkpoint(arguments, project.context())
    project(tool, **arguments)
    assert file.read_text() == "new"
    spec.restore(token, project.context())
    assert file.read_text() == "old"
    token = spec.checkpoint(arguments, project.context())
    project("write", path="file", content="new")
    file.write_text("somebody else's")
    with pytest.raises(RollbackError):
        spec.restore(token, project.context())
    assert file.read_text() == "somebody else's"


def test_no_checkpoint_is_taken_of_a_protected_place(project: Any) -> None:
    with pytest.raises(WorkspaceViolation):
        project.specs["write"].checkpoint({"path": ".git/config", "content": ""}, project.context())
