"""``licet.lock``, the file: what is pinned, in git beside ``licet.yaml``."""

from pathlib import Path

from .lock_reader import parse
from .lock_text import whole
from .locked import VERSION, Lock, LockedServer, LockedTool, launch_digest, locked, pin_for
from .whole_file import contents, replace

FILE = "licet.lock"

MOST_BYTES = 64 * 1024 * 1024
"""Of a lock file."""


def beside(config: Path) -> Path:
    """The lock file that belongs to a configuration."""
    return config.parent / FILE


def read(path: Path) -> Lock | None:
    """What the file pins; None where there is no file.

    Raises:
        ConfigurationError: it is no lock of this version, was changed by hand, is a link or too large.
        OSError: it cannot be read.
    """
    data = contents(path, MOST_BYTES)
    return None if data is None else parse(data, str(path))


def text(lock: Lock) -> str:
    """The file's text: the same for equal facts, wherever and whenever it is written."""
    return whole(lock)


def write(path: Path, lock: Lock) -> None:
    """Put the lock in place of the file, in one step.

    Raises:
        ConfigurationError: there is a link or no regular file.
        OSError: it could not be written, and is as it was.
    """
    replace(path, text(lock))


__all__ = [
    "FILE",
    "MOST_BYTES",
    "VERSION",
    "Lock",
    "LockedServer",
    "LockedTool",
    "beside",
    "launch_digest",
    "locked",
    "pin_for",
    "read",
    "text",
    "write",
]
