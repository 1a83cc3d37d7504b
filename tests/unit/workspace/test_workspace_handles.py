"""No operation leaves a handle open, whatever it met on its way."""

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from licet.errors import ToolError
from licet.model.paths import PathPolicy
from licet.workspace.blobs import Blobs
from licet.workspace.workspace import Workspace


def opened(held: Any) -> None:
    os.close(held.handle)


def entered(workspace: Workspace, name: str) -> None:
    with workspace.scan("folder") as (folder, _):
        found = workspace.enter_file(folder.handle, name)
        if found is not None:
            os.close(found[0])


def staged(workspace: Workspace, path: str, *, adopted: bool) -> None:
    with workspace.target(path) as target:
        ready = target.stage(b"ready", None, ".ready.tmp")
        target.sync()
        if adopted:
            target.adopt(ready, None)
        else:
            target.discard(ready.name)


OPERATIONS: dict[str, Callable[[Workspace], object]] = {
    "read a file": lambda w: w.read_bytes("folder/file"),
    "read a file a long way": lambda w: w.read_bytes("folder/../link/./file"),
    "read too large a file": lambda w: w.read_bytes("folder/file", 1),
    "read a folder": lambda w: w.read_bytes("folder"),
    "read a pipe": lambda w: w.read_bytes("folder/pipe"),
    "read a file with two names": lambda w: w.read_bytes("folder/twin"),
    "read nothing": lambda w: w.read_bytes("folder/nothing"),
    "read below a file": lambda w: w.read_bytes("folder/file/below"),
    "read through a loop": lambda w: w.read_bytes("loop"),
    "read outside": lambda w: w.read_bytes("../outside"),
    "read through a link that leads out": lambda w: w.read_bytes("out/file"),
    "open a file": lambda w: opened(w.open_file("folder/file")),
    "open a folder as a file": lambda w: w.open_file("folder"),
    "open a folder": lambda w: opened(w.open_directory("folder")),
    "open a file as a folder": lambda w: w.open_directory("folder/file"),
    "open anything": lambda w: opened(w.open_any("folder")[0]),
    "look at a file": lambda w: w.stat("folder/file"),
    "look at a pipe": lambda w: w.stat("folder/pipe"),
    "look at nothing": lambda w: w.stat("nothing"),
    "enter a file": lambda w: entered(w, "file"),
    "enter a file with two names": lambda w: entered(w, "twin"),
    "enter a pipe": lambda w: entered(w, "pipe"),
    "scan a file": lambda w: w.scan("folder/file").__enter__(),
    "write a new file": lambda w: w.write_bytes("new", b"x"),
    "write below new folders": lambda w: w.write_bytes("a/b/c", b"x", create_parents=True),
    "write below no folder": lambda w: w.write_bytes("x/y/z", b"x"),
    "write over a file": lambda w: w.write_bytes("folder/file", b"x"),
    "write over another file than was read": lambda w: w.write_bytes("folder/file", b"x", expected_digest="sha256:0"),
    "write over a folder": lambda w: w.write_bytes("folder", b"x"),
    "write over a pipe": lambda w: w.write_bytes("folder/pipe", b"x"),
    "write over a file with two names": lambda w: w.write_bytes("folder/twin", b"x"),
    "write through a link": lambda w: w.write_bytes("link/file", b"x"),
    "write through a link to nothing": lambda w: w.write_bytes("dangling", b"x"),
    "write outside": lambda w: w.write_bytes("../outside", b"x"),
    "write what is protected": lambda w: w.write_bytes(".git/config", b"x"),
    "stage and adopt": lambda w: staged(w, "folder/file", adopted=True),
    "stage and discard": lambda w: staged(w, "folder/other", adopted=False),
    "keep a file": lambda w: w.journal.checkpoint("folder/file"),
    "keep and put back": lambda w: w.journal.restore(w.journal.checkpoint("folder/file")),
    "keep nothing": lambda w: w.journal.checkpoint("folder/nothing"),
    "keep a pipe": lambda w: w.journal.checkpoint("folder/pipe"),
    "undo": lambda w: w.journal.rollback(),
    "remove an empty folder": lambda w: w.remove_empty_folder("empty"),
    "remove a full folder": lambda w: w.remove_empty_folder("folder"),
}


def handles() -> int:
    gc.collect()  # what garbage holds is no leak
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def filled(root: Path) -> Path:
    for folder in ("folder", "empty", ".git"):
        (root / folder).mkdir()
    (root / "folder" / "file").write_text("content")
    (root / "folder" / "twin").write_text("two names")
    os.link(root / "folder" / "twin", root / "folder" / "second")
    os.mkfifo(root / "folder" / "pipe")
    for name, target in (("link", "folder"), ("loop", "loop"), ("out", "/usr"), ("dangling", "folder/none")):
        (root / name).symlink_to(target)
    return root


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_leaves_no_handle_open(
    workspace: Workspace, filled: Path, operation: Callable[[Workspace], object]
) -> None:
    workspace.stat(".")
    before = handles()
    for _ in range(3):
        with suppress(ToolError):
            operation(workspace)
    assert handles() <= before


@pytest.mark.parametrize("force_walk", [False, True], ids=["openat2", "walk"])
def test_a_folder_that_may_not_be_entered_leaves_no_handle_open(filled: Path, force_walk: bool) -> None:
    state = filled / "folder" / "state"
    state.mkdir()
    mine = Workspace(PathPolicy.current_project(filled), force_walk=force_walk, state=[str(state)])
    everywhere = Workspace(PathPolicy.current_project("/"), force_walk=force_walk)
    for workspace, folder, name in ((mine, "folder", "state"), (everywhere, "/", "proc")):
        with workspace, workspace.scan(folder) as (found, _):
            before = handles()
            for _ in range(3):
                with pytest.raises(OSError, match=r"."):
                    workspace.enter_folder(found.handle, name)
            assert handles() <= before


def test_what_is_kept_on_disk_leaves_no_handle_open(tmp_path: Path) -> None:
    blobs = Blobs(str(tmp_path / "blobs"))
    before = handles()
    for number in range(3):
        digest = blobs.put(b"%d" % number)
        assert blobs.get(digest) == b"%d" % number
        with suppress(ToolError):
            blobs.get("sha256:" + "0" * 64)
        with blobs.locked():
            pass
    assert handles() <= before
