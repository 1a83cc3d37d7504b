"""Where the configuration of a folder is: in it, or in the nearest folder above that has one."""

import os
import stat
from pathlib import Path

from ..errors import ConfigurationError

FILE = "licet.yaml"


def find(start: Path, *, any_owner: bool = False) -> Path | None:
    """The nearest ``licet.yaml`` from a folder upwards, absolute; None: there is none.

    From inside the user's home the search ends there. ``any_owner`` is for who only reads.

    Raises:
        ConfigurationError: the nearest one belongs to another user, or anybody may put another in its place.
    """
    start = Path(os.path.abspath(start))
    home = os.path.expanduser("~")
    homes = (os.path.abspath(home), os.path.realpath(home))
    for folder in (start, *start.parents):
        file = folder / FILE
        if os.path.lexists(file):
            if not any_owner:
                _refuse_foreign(file)
            return file
        if str(folder) in homes:
            return None
    return None


def _refuse_foreign(file: Path) -> None:
    instead = f"look at it, then name it: --config {file}"
    owner = os.lstat(file).st_uid
    if owner not in (os.geteuid(), 0):
        raise ConfigurationError(f"{file} belongs to another user (uid {owner}); {instead}")
    mode = os.stat(file.parent).st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise ConfigurationError(f"anybody may write into the folder of {file}; {instead}")


__all__ = ["FILE", "find"]
