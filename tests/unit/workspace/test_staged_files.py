"""What was put on the disk beside a file takes its name only if it is still that very file."""

import os
from pathlib import Path

import pytest

from licet.errors import ToolError
from licet.workspace.workspace import Workspace


def test_a_place_without_a_file_has_no_mode_and_one_with_a_file_has_its_own(workspace: Workspace, root: Path) -> None:
    (root / "file").touch(0o640)
    for name, mode in (("file", 0o640), ("none", 0)):
        with workspace.target(name) as target:
            assert target.mode == mode


def test_a_link_in_place_of_what_was_staged_is_not_adopted(workspace: Workspace, root: Path) -> None:
    (root / "file").write_text("old")
    with workspace.target("file") as target:
        staged = target.stage(b"new", None, ".staged.tmp")
        os.rename(root / ".staged.tmp", root / "elsewhere")
        (root / ".staged.tmp").symlink_to("elsewhere")
        with pytest.raises(ToolError) as refused:
            target.adopt(staged, None)
        assert refused.value.reason == "path_unstable"
    assert not (root / "file").is_symlink()
    assert (root / "file").read_text() == "old"


def test_what_was_staged_is_adopted_where_nobody_touched_it(workspace: Workspace, root: Path) -> None:
    with workspace.target("file") as target:
        target.adopt(target.stage(b"new", 0o600, ".staged.tmp"), None)
        target.sync()
    assert [path.name for path in root.iterdir()] == ["file"]
    assert (root / "file").read_bytes() == b"new"
