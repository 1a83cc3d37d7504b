"""A file outside has a second name inside and loses it at the worst moment: it is never taken for one of the inside."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from licet.errors import ToolError
from licet.workspace import named
from licet.workspace.workspace import Workspace

FRESH_OR_NOT = pytest.mark.parametrize("settles_s", [3.0, -3.0])
"""Files are looked at more closely for a while after a change; the second makes any file an old one."""


@pytest.fixture
def losing(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """``root/name`` is a second name of a file outside. Each open file loses it as soon as its names are counted."""
    secret = root.parent / "secret"
    secret.write_bytes(b"OUTSIDE")
    os.link(secret, root / "name")
    counted: list[int] = []
    fstat = os.fstat

    def lose(handle: int) -> os.stat_result:
        if os.path.samestat(fstat(handle), os.stat(secret)):
            (root / "name").unlink(missing_ok=True)
            counted.append(fstat(handle).st_nlink)
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", lose)
    return counted


def by_read(workspace: Workspace) -> object:
    return workspace.read_bytes("name")


def by_handle(workspace: Workspace) -> object:
    return workspace.open_file("name")


def by_folder(workspace: Workspace) -> object:
    with workspace.scan(".") as (folder, _):
        entered = workspace.enter_file(folder.handle, "name")
    if entered is None:
        raise FileNotFoundError
    return entered


@FRESH_OR_NOT
@pytest.mark.parametrize("reading", [by_read, by_handle, by_folder])
def test_a_name_that_is_lost_while_its_file_is_opened_gives_nothing(
    workspace: Workspace,
    losing: list[int],
    reading: Callable[[Workspace], object],
    settles_s: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(named, "_SETTLES_S", settles_s)
    with pytest.raises((ToolError, FileNotFoundError)):
        reading(workspace)
    assert losing[0] == 1, "the count alone would have let it through"


@FRESH_OR_NOT
def test_a_write_does_not_read_what_lost_its_name(
    workspace: Workspace, root: Path, settles_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "_SETTLES_S", settles_s)
    secret = root.parent / "secret"
    secret.write_bytes(b"OUTSIDE")
    (root / "name").write_bytes(b"inside")

    def lose(handle: int) -> os.stat_result:
        (root / "name").unlink(missing_ok=True)
        return os.stat(handle)

    def read_late() -> bytes | None:
        with workspace.target("name") as target:
            os.link(secret, root / "other")
            os.replace(root / "other", root / "name")
            monkeypatch.setattr(os, "fstat", lose)
            return target.read(100)

    with pytest.raises(ToolError) as refused:
        read_late()
    assert getattr(refused.value, "reason", "") in ("path_not_found", "path_unstable")


@FRESH_OR_NOT
def test_a_file_that_is_replaced_while_it_is_opened_is_read_as_it_is_then(
    workspace: Workspace, root: Path, settles_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an editor saves it."""
    monkeypatch.setattr(named, "_SETTLES_S", settles_s)
    (root / "name").write_bytes(b"old")
    (root / "fresh").write_bytes(b"new")
    fstat = os.fstat

    def replaced(handle: int) -> os.stat_result:
        if stat.S_ISREG(fstat(handle).st_mode) and (root / "fresh").exists():
            os.replace(root / "fresh", root / "name")
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", replaced)
    assert workspace.read_bytes("name").data == b"new"


def test_a_file_that_never_keeps_its_name_is_an_error_with_its_reason(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "name").write_bytes(b"text")
    fstat = os.fstat
    handles = len(os.listdir("/proc/self/fd"))

    def replaced(handle: int) -> os.stat_result:
        if stat.S_ISREG(fstat(handle).st_mode):
            (root / "fresh").write_bytes(b"text")
            os.replace(root / "fresh", root / "name")
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", replaced)
    with pytest.raises(ToolError) as refused:
        workspace.read_bytes("name")
    assert getattr(refused.value, "reason", "") == "path_unstable"
    assert len(os.listdir("/proc/self/fd")) <= handles + 1, "the root's, and nothing else"


@FRESH_OR_NOT
def test_the_root_may_be_moved_while_it_is_open(
    workspace: Workspace, root: Path, settles_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "_SETTLES_S", settles_s)
    (root / "sub").mkdir()
    (root / "sub" / "file (deleted)").write_bytes(b"text")
    assert workspace.read_bytes("sub/file (deleted)").data == b"text"
    root.rename(root.parent / "moved")
    assert workspace.read_bytes("sub/file (deleted)").data == b"text"


@FRESH_OR_NOT
def test_a_folder_that_may_not_be_listed_can_be_passed_through(
    workspace: Workspace, root: Path, settles_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "_SETTLES_S", settles_s)
    (root / "sub").mkdir()
    (root / "sub" / "file").write_bytes(b"text")
    (root / "sub").chmod(0o300)
    try:
        assert workspace.read_bytes("sub/file").data == b"text"
    finally:
        (root / "sub").chmod(0o700)
