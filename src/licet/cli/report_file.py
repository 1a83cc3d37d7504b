"""A file that is written whole or not at all."""

import os
import secrets
import stat
from contextlib import suppress

from ..errors import ConfigurationError


class ReportFile:
    """The place of a report.

    Raises:
        ConfigurationError: it can hold no file, which is found out before anything is explored.
    """

    def __init__(self, named: str, option: str = "--report") -> None:
        if not named or "\0" in named:
            raise ConfigurationError(f"{named!r} names no file; use {option} FILE")
        self.path = named
        self._real = os.path.realpath(named)  # a link stays a link
        self._mode = 0o666
        folder = os.path.dirname(self._real)
        if not os.path.isdir(folder):
            raise ConfigurationError(f"{option} {named}: there is no folder {folder}; make it first")
        with suppress(FileNotFoundError):
            mode = os.stat(self._real).st_mode
            if stat.S_ISDIR(mode):
                raise ConfigurationError(f"{option} {named}: it is a directory; name a file in it")
            if not stat.S_ISREG(mode):
                raise ConfigurationError(f"{option} {named}: it is no regular file; leave out {option} for a pipe")
            self._mode = stat.S_IMODE(mode)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigurationError(f"{option} {named}: the folder {folder} cannot be written; name another one")

    def write(self, text: str) -> None:
        """Replace what is there in one step. Raises OSError: it is as it was."""
        folder, name = os.path.split(self._real)
        new = os.path.join(folder, f".{name[:200]}.{secrets.token_hex(8)}")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, self._mode)
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(handle)
            os.replace(new, self._real)
        except BaseException:
            with suppress(OSError):
                os.unlink(new)
            raise


__all__ = ["ReportFile"]
