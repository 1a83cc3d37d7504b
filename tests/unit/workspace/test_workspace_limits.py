"""Sizes that pages name: to change one is a decision. And who resolves a path."""

from pathlib import Path
from typing import Any

import pytest

from licet.model.paths import PathPolicy
from licet.workspace import confined, journal, kept, openat2, reads, undo, walk, workspace
from licet.workspace.violation import WorkspaceViolation
from licet.workspace.workspace import Workspace


def test_limits_of_the_workspace_are_these() -> None:
    assert workspace.MAX_FILE_BYTES == journal.MAX_KEPT_BYTES == 67_108_864
    assert (walk.MAX_LINKS, walk.MAX_PATH_BYTES) == (40, 4095)
    assert (journal._MAX_NAMED, undo.MAX_NAMED, reads._MAX_FILES) == (20, 20, 100_000)
    assert kept._ID_LENGTH == len(kept.new_id()) == 32
    assert openat2._ATTEMPTS == workspace._ATTEMPTS == 8


@pytest.mark.parametrize("force_walk", [False, True], ids=["openat2", "walk"])
def test_the_kernel_resolves_paths_unless_the_walk_is_asked_for(
    root: Path, monkeypatch: pytest.MonkeyPatch, force_walk: bool
) -> None:
    asked = []

    def counted(*call: Any) -> int:
        asked.append(call)
        return openat2.openat2(*call)

    monkeypatch.setattr(confined, "openat2", counted)
    (root / "file").write_text("content")
    with Workspace(PathPolicy.current_project(root), force_walk=force_walk) as opened:
        assert opened.read_bytes("file").data == b"content"
    assert bool(asked) is not force_walk


@pytest.mark.parametrize("force_walk", [False, True], ids=["openat2", "walk"])
def test_a_link_of_the_kernels_own_that_names_no_path_is_outside(force_walk: bool) -> None:
    policy = PathPolicy.current_project("/")
    with Workspace(policy, force_walk=force_walk, cross_devices=True) as opened:
        with pytest.raises(WorkspaceViolation) as refused:
            opened.read_bytes("proc/self/ns/mnt")
        assert refused.value.reason == "path_outside_root"


@pytest.mark.parametrize("force_walk", [False, True], ids=["openat2", "walk"])
@pytest.mark.parametrize("path", ["proc/version", "proc/../etc/hostname", "proc/self/../../etc/hostname"])
def test_a_path_through_another_mount_is_outside_also_where_it_comes_back(path: str, force_walk: bool) -> None:
    with Workspace(PathPolicy.current_project("/"), force_walk=force_walk) as opened:
        for look in (opened.read_bytes, opened.stat, opened.journal.checkpoint):
            with pytest.raises(WorkspaceViolation) as refused:
                look(path)
            assert refused.value.reason == "path_outside_root"


def test_where_the_kernel_cannot_name_a_handle_the_walk_opens_the_path(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "folder").mkdir()
    (root / "folder" / "file").write_text("content")
    (root / "link").symlink_to("folder")
    monkeypatch.setattr(confined, "real_path", lambda handle: None)
    with Workspace(PathPolicy.current_project(root)) as opened:
        assert opened.read_bytes("link/file").data == b"content"
