"""One folder that a run may use, opened once."""

import os
from collections.abc import Sequence

from ..errors import ToolFailedError


def real_path(handle: int) -> str:
    """The absolute path of what a handle is on, as the kernel knows it now; empty where it does not tell."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return ""


class Root:
    """An open folder. ``spelling`` is as the policy wrote it, ``real`` is where it was when it was opened.

    The handle closes when the last call that uses it lets go, so that a late one never meets a number used anew.
    """

    __slots__ = ("handle", "real", "spelling")

    def __init__(self, spelling: str) -> None:
        """Raises ToolFailedError: there is no such folder. The root itself may be a link."""
        self.handle = -1
        self.spelling = spelling
        try:
            self.handle = os.open(spelling, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY)
            self.real = real_path(self.handle) or os.path.realpath(spelling)
        except OSError as exc:
            raise ToolFailedError(
                "the folder of this run does not exist or is no folder", reason="path_not_found"
            ) from exc

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)

    def key(self, names: Sequence[str]) -> str:
        """The one absolute name of something below, from its real names."""
        return "/".join((self.real.rstrip("/"), *names)) or "/"
