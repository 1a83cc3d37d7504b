"""Which executions are under way, in whichever process: each holds a lock that ends with its process.

A lock of an open file description (Linux ``fcntl(2)``, ``F_OFD_SETLK``) on the byte of the execution's number, in a
file beside the memory. The kernel lets go of it however the process ends, so what is begun, not ended and not locked
was left behind by a process that is gone.
"""

import fcntl
import os
import struct
from pathlib import Path

_FLOCK = "hhqqi0q"
"""``struct flock`` of 64-bit Linux: type, whence, start, length, process."""


class Flights:
    """The locks of one memory's file, as this object sees them: its own count as another's for any other object."""

    def __init__(self, path: Path) -> None:
        """Raises OSError: the file beside it cannot be opened."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(path.with_name(path.name + "-flights"), flags, 0o600)
        self._own: set[int] = set()

    def begin(self, number: int) -> None:
        """Raises OSError: another holds it, which no two executions of one number do."""
        self._lock(number, fcntl.F_WRLCK)
        self._own.add(number)

    def end(self, number: int) -> None:
        if number in self._own:
            self._own.discard(number)
            self._lock(number, fcntl.F_UNLCK)

    def under_way(self, number: int) -> bool:
        """Whether whoever began it is still there."""
        if number in self._own:
            return True
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, number, 1, 0)
        found = fcntl.fcntl(self._file, fcntl.F_OFD_GETLK, asked)
        return bool(struct.unpack(_FLOCK, found)[0] != fcntl.F_UNLCK)

    def close(self) -> None:
        """Let go of all. Twice is fine."""
        self._own.clear()
        held, self._file = self._file, -1
        if held >= 0:
            os.close(held)

    def _lock(self, number: int, kind: int) -> None:
        fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, struct.pack(_FLOCK, kind, os.SEEK_SET, number, 1, 0))


__all__ = ["Flights"]
