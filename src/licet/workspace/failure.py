"""What the kernel says about a path, as an error that a model may read: never a host's path, never a bare number."""

import errno
import os

from ..errors import ToolError, ToolFailedError
from ..policy.paths import outside_message
from .violation import WorkspaceViolation

_LEAVES = {errno.EXDEV, errno.ELOOP}

_REASONS = {
    errno.ENOENT: ("path_not_found", "does not exist; list the folder to see what does"),
    errno.ENAMETOOLONG: ("path_not_found", "is longer than a path may be"),
    errno.EILSEQ: ("path_not_found", "is no name on this file system"),
    errno.EINVAL: ("path_not_found", "is no name on this file system"),
    errno.ENOTDIR: ("not_a_directory", "is no folder, or goes through something that is none"),
    errno.EISDIR: ("not_a_file", "is a folder, not a file"),
    errno.ENXIO: ("not_a_file", "is not a regular file"),
    errno.ENODEV: ("not_a_file", "is not a regular file"),
    errno.EACCES: ("permission_denied", "may not be touched by this process"),
    errno.EPERM: ("permission_denied", "may not be touched by this process"),
    errno.EROFS: ("permission_denied", "is on a file system that is read-only"),
    errno.ETXTBSY: ("permission_denied", "is a program that is running"),
    errno.ENOSPC: ("no_space", "does not fit: the disk is full"),
    errno.EDQUOT: ("no_space", "does not fit: the quota is used up"),
    errno.EEXIST: ("path_unstable", "was made by something else meanwhile; try again"),
    errno.EAGAIN: ("path_unstable", "kept changing while it was opened; try again"),
}


def failure(exc: OSError, shown: str) -> ToolError:
    """The licet error for what an operation on ``shown`` raised."""
    if exc.errno in _LEAVES:
        return WorkspaceViolation(outside_message(shown), reason="path_outside_root")
    number = exc.errno or 0
    reason, told = _REASONS.get(number, ("io_error", f"cannot be used: {os.strerror(number)}"))
    return ToolFailedError(f"{shown!r} {told}", reason=reason)


def not_a_file(shown: str, status: os.stat_result) -> ToolFailedError:
    """The refusal of a folder, a pipe, a device or a socket."""
    what = "a folder" if status.st_mode & 0o170000 == 0o040000 else "a pipe, a device or a socket"
    return ToolFailedError(f"{shown!r} is {what}, not a regular file", reason="not_a_file")


def not_found(shown: str) -> ToolFailedError:
    """The answer for what does not exist."""
    return ToolFailedError(f"{shown!r} does not exist; list the folder to see what does", reason="path_not_found")


def too_large(shown: str, limit_bytes: int, instead: str) -> ToolFailedError:
    """The refusal of a file beyond a limit; ``instead`` says what to do."""
    return ToolFailedError(f"{shown!r} is larger than {limit_bytes} bytes; {instead}", reason="too_large")
