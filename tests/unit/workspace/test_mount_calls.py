"""What the kernel is asked about a handle, and what counts where it does not say."""

import os
import platform
from pathlib import Path

import pytest

from licet.workspace.mount import _file_system, _mount_number, on_procfs

NOBODYS = 1 << 20
"""A number that is no handle's."""


def numbered(handle: int) -> int:
    told = Path(f"/proc/self/fdinfo/{handle}").read_text().partition("mnt_id:")[2]
    return int(told.split()[0])


@pytest.mark.parametrize("path", ["/", "/proc", "/proc/self"])
def test_the_call_gives_the_number_that_the_kernel_writes_down(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        by_call, written = _mount_number()(handle), numbered(handle)
    finally:
        os.close(handle)
    major, minor = (int(part) for part in platform.release().split(".")[:2])
    assert by_call == written or (by_call == 0 and (major, minor) < (5, 8))


def test_a_handle_that_cannot_be_asked_about_has_no_number_and_counts_as_proc() -> None:
    assert _mount_number()(NOBODYS) == 0
    assert on_procfs(NOBODYS)


def test_only_proc_is_proc(tmp_path: Path) -> None:
    for path, expected in ((tmp_path, False), (Path("/proc"), True), (Path("/proc/self"), True)):
        handle = os.open(path, os.O_RDONLY)
        assert on_procfs(handle) is expected
        assert (_file_system()(handle) == 0x9FA0) is expected
        os.close(handle)
