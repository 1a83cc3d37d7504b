"""Bytes of a regular file, by an open handle."""

import hashlib
import os
import stat
from typing import NamedTuple

from .failure import not_a_file, too_large
from .violation import WorkspaceViolation


class Content(NamedTuple):
    """A file's bytes. ``key`` is its one absolute name, for the run's memory and never for a model."""

    data: bytes
    shown: str
    key: str
    status: os.stat_result


def refuse_odd_file(status: os.stat_result, shown: str, *, allow_other_names: bool) -> None:
    """Raises ToolFailedError: not a regular file. Raises WorkspaceViolation: it has a name that may be outside."""
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(shown, status)
    if status.st_nlink > 1 and not allow_other_names:
        raise WorkspaceViolation(
            f"{shown!r} has {status.st_nlink} names (hard links), so it may lie outside the allowed roots too; "
            "copy it, or ask the operator to allow hard links",
            reason="not_a_file",
        )


def read_all(handle: int, size: int, limit_bytes: int, shown: str) -> bytes:
    """Everything from here to the end. ``size`` is what the file said it has; some say 0 and have more.

    Raises ToolFailedError, ``too_large``: more than ``limit_bytes``.
    """
    if size > limit_bytes:
        raise too_large(shown, limit_bytes, "search it with grep instead")
    first = os.read(handle, size + 1)
    if len(first) == size and size:
        return first
    parts = [first]
    total = len(first)
    while parts[-1]:
        if total > limit_bytes:
            raise too_large(shown, limit_bytes, "search it with grep instead")
        parts.append(os.read(handle, 1 << 20))
        total += len(parts[-1])
    return b"".join(parts)


def digest_of(data: bytes) -> str:
    """``sha256:`` and the hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
