"""Which mount a handle is on: told in one call, read from a file, or by the device."""

import os
from pathlib import Path

import pytest

from licet.workspace import mount
from licet.workspace.mount import mount_of


@pytest.fixture
def handles(tmp_path: Path) -> list[int]:
    return [os.open(path, os.O_RDONLY) for path in (tmp_path, tmp_path.parent, "/proc", "/proc/self")]


def test_the_same_mounts_are_told_apart_with_and_without_the_call(
    handles: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_call = [mount_of(handle) for handle in handles]
    monkeypatch.setattr(mount, "_mount_number", lambda: lambda handle: 0)  # as before Linux 5.8
    by_file = [mount_of(handle) for handle in handles]
    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(FileNotFoundError()))
    by_device = [mount_of(handle) for handle in handles]
    for handle in handles:
        os.close(handle)
    for told in (by_call, by_file, by_device):
        assert told[0] == told[1] != told[2] == told[3]
    assert by_call == by_file
