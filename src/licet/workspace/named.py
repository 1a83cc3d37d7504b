"""Whether an open file still has the name by which it was opened, and no other.

A file that has a second name outside counts one name as soon as the inner one is taken away. Whoever opened it just
before, and only counts, takes it for a file of the inside.
"""

import os
from time import time

from .reach import LIST

_SETTLES_S = 3.0
"""Names that were not changed for so long are not being changed now; some file systems count time by two seconds."""


def is_fresh(status: os.stat_result) -> bool:
    """Whether the file, or a name of it, was changed so lately that a name may be on its way out."""
    return status.st_ctime > time() - _SETTLES_S


def is_named(status: os.stat_result, folder: int, name: str) -> bool:
    """Whether a file of this status, taken after it was opened, has this one name. Raises OSError.

    A name that is taken away and given back in between leaves its mark on the time of the last change. That time is
    coarse on many systems, so a fresh file is looked at twice.
    """
    fresh = is_fresh(status)
    for _ in range(1 + fresh):
        if fresh:
            _let_removals_end(folder)
        again = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if again.st_nlink != 1 or again.st_ctime_ns != status.st_ctime_ns or not os.path.samestat(status, again):
            return False
    return True


def _let_removals_end(folder: int) -> None:
    """The kernel counts a name less before it takes the name away, and lets nobody list the folder in between."""
    try:
        listing = os.open(".", LIST, dir_fd=folder)
    except PermissionError:
        return  # it may be passed through, but not listed
    try:
        with os.scandir(listing) as entries:
            next(entries, None)
    finally:
        os.close(listing)
