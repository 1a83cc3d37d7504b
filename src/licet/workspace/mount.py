"""Which mounted file system a handle is on."""

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

_PROCFS = 0x9FA0


def mount_of(handle: int, status: os.stat_result | None = None) -> tuple[str, int]:
    """What differs between two mounts: Linux's own mount number, elsewhere the device.

    The device alone would miss a bind mount of the same disk, and see a border inside one btrfs volume.
    """
    number = _mount_number()(handle) if sys.platform.startswith("linux") else 0
    if number:
        return "mount", number
    try:
        facts = os.open(f"/proc/self/fdinfo/{handle}", os.O_RDONLY)
    except OSError:
        return "device", (status or os.fstat(handle)).st_dev
    try:
        _, _, told = os.read(facts, 4096).partition(b"mnt_id:")
    finally:
        os.close(facts)
    return "mount", int(told.split(None, 1)[0])


def on_procfs(handle: int) -> bool:
    """Whether the handle is on ``/proc``, whose links may lead where their text does not say."""
    if not sys.platform.startswith("linux"):
        return False
    return _file_system()(handle) == _PROCFS


def is_magic(text: str) -> bool:
    """Whether a link on ``/proc`` is one of the kernel's own: all are but ``self`` and what goes through it."""
    first = text.partition("/")[0]
    return not (first == "self" or first.isdecimal())


_EMPTY_PATH, _MOUNT_NUMBER, _AT = 0x1000, 0x1000, 144  # of statx(2), and where in its answer the number stands


@cache
def _mount_number() -> Callable[[int], int]:
    """The mount number of a handle, or 0: only Linux 5.8 and later tell it in one call."""
    import ctypes

    statx: Any = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return lambda handle: 0

    def number(handle: int) -> int:
        facts = ctypes.create_string_buffer(256)
        if statx(handle, b"", _EMPTY_PATH, _MOUNT_NUMBER, facts) != 0:
            return 0
        told = int.from_bytes(facts.raw[:4], sys.byteorder) & _MOUNT_NUMBER
        return int.from_bytes(facts.raw[_AT : _AT + 8], sys.byteorder) if told else 0

    return number


@cache
def _file_system() -> Callable[[int], int]:
    """The type of a handle's file system; one that will not tell counts as ``/proc``."""
    import ctypes

    fstatfs: Any = ctypes.CDLL(None, use_errno=True).fstatfs

    def file_system(handle: int) -> int:
        facts = (ctypes.c_long * 64)()  # struct statfs begins with the type, and is shorter than 512 bytes
        return int(facts[0]) if fstatfs(handle, ctypes.byref(facts)) == 0 else _PROCFS

    return file_system
