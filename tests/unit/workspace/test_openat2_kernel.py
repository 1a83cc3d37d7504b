"""Where the kernel has the call, it is made: the walk does its work too, and a mistake in the call would hide."""

import ctypes
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from licet.workspace import openat2 as module
from licet.workspace.openat2 import BENEATH, NO_MAGICLINKS, NO_SYMLINKS, openat2

LIBRARY = ctypes.CDLL(None, use_errno=True)


def kernel_has_it() -> bool:
    """Asked without a structure: who knows the call finds that wrong, who does not says so, and so does a filter."""
    assert LIBRARY.syscall(ctypes.c_long(437), ctypes.c_int(-1), b".", None, ctypes.c_size_t(0)) == -1
    return ctypes.get_errno() == errno.EINVAL


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_text("text")
    (tmp_path / "inner" / "up").symlink_to("..")
    (tmp_path / "inner" / "near").symlink_to("file")
    handle = os.open(tmp_path / "inner", os.O_PATH)
    yield handle
    os.close(handle)


def test_the_call_is_used_wherever_the_kernel_makes_it() -> None:
    module.available.cache_clear()
    assert module.available() is kernel_has_it()


def test_a_handle_leads_where_the_path_says_and_is_closed_on_exec(folder: int) -> None:
    if not kernel_has_it():
        return
    handle = openat2(folder, "file", os.O_RDONLY, BENEATH)
    assert os.read(handle, 9) == b"text"
    assert not os.get_inheritable(handle)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(handle, b"x")
    os.close(handle)


def test_a_new_file_has_the_mode_that_was_asked_for(folder: int) -> None:
    if not kernel_has_it():
        return
    for name, mode in (("private", 0o600), ("script", 0o700)):
        handle = openat2(folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, BENEATH, mode)
        assert os.fstat(handle).st_mode & 0o777 == mode
        os.close(handle)
    with pytest.raises(FileExistsError):
        openat2(folder, "private", os.O_WRONLY | os.O_CREAT | os.O_EXCL, BENEATH, 0o600)


@pytest.mark.parametrize(
    ("path", "resolve", "number"),
    [
        ("../inner/file", BENEATH, errno.EXDEV),
        ("up/inner/file", BENEATH, errno.EXDEV),
        ("/", BENEATH, errno.EXDEV),
        ("near", BENEATH | NO_SYMLINKS, errno.ELOOP),
        ("/proc/self/exe", NO_MAGICLINKS, errno.ELOOP),
        ("none", BENEATH, errno.ENOENT),
        ("file/x", BENEATH, errno.ENOTDIR),
    ],
)
def test_the_kernel_refuses_what_it_is_asked_to_refuse(folder: int, path: str, resolve: int, number: int) -> None:
    if not kernel_has_it():
        return
    with pytest.raises(OSError, match=os.strerror(number)) as refused:
        openat2(folder, path, os.O_RDONLY, resolve)
    assert refused.value.errno == number
    assert refused.value.filename == path


def test_without_being_asked_it_goes_where_any_open_goes(folder: int) -> None:
    if not kernel_has_it():
        return
    for path in ("../inner/file", "near", "up/inner/near"):
        os.close(openat2(folder, path, os.O_RDONLY, 0))
