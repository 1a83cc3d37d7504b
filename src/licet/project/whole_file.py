"""Files of a project that are written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import ConfigurationError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def contents(path: Path, limit_bytes: int) -> bytes | None:
    """What the file holds; None where there is none.

    Raises:
        ConfigurationError: it is a link, no regular file, or larger than ``limit_bytes``.
        OSError: it cannot be read.
    """
    _refuse_odd(path)
    try:
        handle = os.open(path, _READ)
    except FileNotFoundError:
        return None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ConfigurationError(f"{path}: it is no regular file; put a plain file there")
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ConfigurationError(f"{path}: it is larger than {limit_bytes} bytes; use at most so many")
    return data


def replace(path: Path, text: str) -> None:
    """Put the text in place of what the file holds, in one step; its mode stays.

    Raises:
        ConfigurationError: there is a link, or something else that is no regular file.
        OSError: it could not be written, and is as it was.
    """
    mode = _refuse_odd(path)
    _written(path, text, 0o666 if mode is None else mode, lambda new: os.replace(new, path), exact=mode is not None)


def create(path: Path, text: str, *, mode: int = 0o666) -> None:
    """A new file that is whole from the moment it exists.

    Raises:
        ConfigurationError: something is there already; it is as it was.
        OSError: it could not be written, and there is none.
    """

    def link(new: str) -> None:
        try:
            os.link(new, path)  # which, unlike a rename, never replaces
        except FileExistsError:
            raise ConfigurationError(f"{path} exists, and nothing is overwritten; move it away first") from None
        os.unlink(new)

    _written(path, text, mode, link, exact=False)


def _written(path: Path, text: str, mode: int, into_place: Callable[[str], None], *, exact: bool) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    new = os.path.join(folder, f".{path.name[:200]}.{secrets.token_hex(8)}")
    handle = os.open(new, _NEW, mode)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            if exact:
                os.fchmod(handle, mode)
            os.fsync(handle)
        into_place(new)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise
    _keep(folder)


def _keep(folder: str) -> None:
    """The new name is durable once its folder is; where a file system cannot do that, the file is whole anyway."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refuse_odd(path: Path) -> int | None:
    """The mode of the file that is there, None where there is none. Raises ConfigurationError."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise ConfigurationError(f"{path}: it is a link, which may lead anywhere; put the file itself there")
    if not stat.S_ISREG(mode):
        raise ConfigurationError(f"{path}: it is no regular file; put a plain file there")
    return stat.S_IMODE(mode)


__all__ = ["contents", "create", "replace"]
