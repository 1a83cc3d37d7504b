"""The system call ``openat2`` of Linux 5.6: the kernel keeps a lookup below a directory handle, whatever races it."""

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

NO_XDEV = 0x01
NO_MAGICLINKS = 0x02
NO_SYMLINKS = 0x04
BENEATH = 0x08

_NUMBER = 437  # the same on every architecture that has it, x86_64 and aarch64 among them
_ATTEMPTS = 8
"""The kernel answers EAGAIN when a rename elsewhere made it unsure that a lookup stayed below."""


@cache
def _call() -> Callable[[int, bytes, int, int, int], int]:
    """The bare call: a handle, or minus the error number."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)

    class How(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    syscall: Any = library.syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    byref, get_errno, size = ctypes.byref, ctypes.get_errno, ctypes.sizeof(How)

    def call(directory: int, path: bytes, flags: int, resolve: int, mode: int) -> int:
        handle: int = syscall(_NUMBER, directory, path, byref(How(flags, mode, resolve)), size)
        return handle if handle >= 0 else -get_errno()

    return call


def openat2(directory: int, path: str, flags: int, resolve: int, mode: int = 0) -> int:
    """A handle, closed on exec, on what ``path`` leads to below ``directory``.

    Raises:
        ValueError: the path holds NUL, at which C would end it.
        OSError: as the kernel says; EXDEV for a path that leaves, ELOOP for a link that may not be followed, EAGAIN
            when other renames kept the kernel unsure eight times.
    """
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a path holds no NUL character")
    call = _call()
    for _ in range(_ATTEMPTS):
        handle = call(directory, name, flags | os.O_CLOEXEC, resolve, mode)
        if handle >= 0:
            return handle
        if handle not in (-errno.EAGAIN, -errno.EINTR):
            break
    raise OSError(-handle, os.strerror(-handle), path)


@cache
def available() -> bool:
    """Whether the kernel knows the call and lets this process make it; a container's filter often does not."""
    if not sys.platform.startswith("linux"):
        return False
    top = os.open("/", os.O_PATH)
    try:
        os.close(openat2(top, ".", os.O_PATH, BENEATH))
    except OSError:
        return False
    finally:
        os.close(top)
    return True
