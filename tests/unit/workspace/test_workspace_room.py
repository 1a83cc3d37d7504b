"""What a run keeps has an end, also where two threads look at the room at once; and refusals leave nothing open."""

import gc
import os
from pathlib import Path

import pytest

from licet.errors import ToolFailedError
from licet.model.paths import PathPolicy
from licet.workspace import journal
from licet.workspace.violation import WorkspaceViolation
from licet.workspace.workspace import Workspace


@pytest.mark.parametrize(("size", "fits"), [(5, True), (6, False)])
def test_room_that_another_call_took_meanwhile_is_not_given_twice(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, size: int, fits: bool
) -> None:
    for name in ("one", "two"):
        (root / name).write_bytes(b"x" * size)
    monkeypatch.setattr(journal, "MAX_KEPT_BYTES", 10)
    digest_of = journal.digest_of
    taken = []

    def while_it_is_hashed(data: bytes) -> str:
        monkeypatch.setattr(journal, "digest_of", digest_of)
        taken.append(workspace.journal.checkpoint("two"))
        return digest_of(data)

    monkeypatch.setattr(journal, "digest_of", while_it_is_hashed)
    if fits:
        assert workspace.journal.checkpoint("one")["path"] == "one"
    else:
        with pytest.raises(ToolFailedError) as failed:
            workspace.journal.checkpoint("one")
        assert failed.value.reason == "too_large"
    assert taken[0]["path"] == "two"


@pytest.mark.parametrize("force_walk", [False, True], ids=["openat2", "walk"])
def test_what_is_refused_for_its_mount_leaves_no_handle_open(force_walk: bool) -> None:
    with Workspace(PathPolicy.current_project("/"), force_walk=force_walk) as workspace:
        os.close(workspace.open_directory("etc").handle)
        gc.collect()  # handles that garbage holds are no leak
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            with pytest.raises(WorkspaceViolation):
                workspace.open_directory("proc")
        gc.collect()
        assert len(os.listdir("/proc/self/fd")) <= before


def test_a_refusal_says_whether_it_met_a_folder_or_something_odder(workspace: Workspace, root: Path) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for name, what in (("folder", "is a folder, not"), ("pipe", "is a pipe, a device or a socket, not")):
        with pytest.raises(ToolFailedError, match=what) as failed:
            workspace.read_bytes(name)
        assert failed.value.reason == "not_a_file"
