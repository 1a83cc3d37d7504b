"""Previous contents on disk."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from licet.errors import RollbackError
from licet.workspace.blobs import Blobs
from licet.workspace.content import digest_of


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(str(tmp_path / "ledger.db.blobs"))


@pytest.mark.parametrize("data", [b"", b"text", os.urandom(100_000)])
def test_what_was_put_there_is_given_back_under_its_digest(blobs: Blobs, data: bytes) -> None:
    digest = blobs.put(data)
    assert digest == digest_of(data)
    assert blobs.put(data) == digest
    assert Blobs(blobs.folder).get(digest) == data
    assert len(os.listdir(blobs.folder)) == 1


def test_only_the_owner_can_read_what_is_kept(blobs: Blobs) -> None:
    before = os.umask(0)
    try:
        blobs.put(b"secret")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(blobs.folder).st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in Path(blobs.folder).iterdir()} == {0o600}


def test_nothing_is_made_before_something_is_kept(blobs: Blobs, tmp_path: Path) -> None:
    with pytest.raises(RollbackError):
        blobs.get(digest_of(b"x"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["changed", "cut", "gone", "link", "folder", "pipe"])
def test_what_was_changed_is_refused_and_never_given(blobs: Blobs, tmp_path: Path, change: str) -> None:
    digest = blobs.put(b"before")
    file = Path(blobs.folder) / digest.removeprefix("sha256:")
    file.unlink()
    if change == "changed":
        file.write_bytes(b"beforE")
    elif change == "cut":
        file.write_bytes(b"")
    elif change == "link":
        (tmp_path / "elsewhere").write_bytes(b"before")
        file.symlink_to(tmp_path / "elsewhere")
    elif change == "folder":
        file.mkdir()
    elif change == "pipe":
        os.mkfifo(file)
    with pytest.raises(RollbackError):
        blobs.get(digest)


def test_what_was_damaged_is_right_again_once_it_is_put_there_anew(blobs: Blobs) -> None:
    digest = blobs.put(b"before")
    (Path(blobs.folder) / digest.removeprefix("sha256:")).write_bytes(b"damaged")
    blobs.put(b"before")
    assert blobs.get(digest) == b"before"


@pytest.mark.parametrize(
    "name", ["", "sha256:", "../../etc/passwd", "sha256:../x", "sha256:" + "g" * 64, "A" * 64, "\0"]
)
def test_what_is_no_digest_is_no_name(blobs: Blobs, name: str) -> None:
    blobs.put(b"x")
    with pytest.raises(RollbackError, match="no digest"):
        blobs.get(name)


def test_a_link_in_place_of_the_folder_is_refused(blobs: Blobs, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", blobs.folder)
    with pytest.raises(OSError, match=r"."):
        blobs.put(b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_content_and_names_are_on_stable_storage_in_this_order(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder above before what is in it, the content before its name, its name before it is told."""
    seen: list[str] = []
    fsync, rename = os.fsync, os.rename

    def watched(handle: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "content")
        fsync(handle)

    def named(*paths: Any, **folders: Any) -> None:
        seen.append("name")
        rename(*paths, **folders)

    monkeypatch.setattr(os, "fsync", watched)
    monkeypatch.setattr(os, "rename", named)
    blobs.put(b"one")
    assert seen == ["folder", "content", "name", "folder"]
    seen.clear()
    blobs.put(b"two")
    assert seen == ["content", "name", "folder"]


@pytest.mark.parametrize("call", ["fsync", "rename", "write"])
def test_a_disk_that_fails_leaves_nothing_behind(blobs: Blobs, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    blobs.put(b"one")
    before = sorted(os.listdir(blobs.folder))

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    if call == "write":
        monkeypatch.setattr("licet.workspace.blobs.memoryview", full, raising=False)
    else:
        monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        blobs.put(b"two")
    assert sorted(os.listdir(blobs.folder)) == before


def test_one_undo_at_a_time_holds_the_folder(blobs: Blobs) -> None:
    with blobs.locked():
        with pytest.raises(RollbackError, match="another rollback"), Blobs(blobs.folder).locked():
            raise AssertionError("both hold it")
        blobs.put(b"what runs write meanwhile is kept all the same")
    with Blobs(blobs.folder).locked():
        assert len(os.listdir(blobs.folder)) == 1
