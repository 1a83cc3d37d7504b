"""A lookup by directory handles, one name at a time: what the kernel's ``openat2`` does, in plain POSIX calls.

It gives the same verdicts, and it knows the real names on the way, which writing needs on every system.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .mount import is_magic, mount_of, on_procfs

MAX_LINKS = 40
MAX_PATH_BYTES = 4095

STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
"""How a folder on the way is opened: to go on from there, never through a link."""


@dataclass(slots=True)
class Place:
    """Where a path leads: the open folders from the root on, their real names, and a name in the last one.

    ``leaf`` is empty when the path leads to that folder itself. ``missing`` are names on the way that do not exist.
    """

    handles: list[int]
    names: list[str] = field(default_factory=list)
    leaf: str = ""
    status: os.stat_result | None = None
    """Of the leaf, not followed; None: it does not exist."""
    missing: list[str] = field(default_factory=list)
    linked: bool = False
    """Whether the last name was a link."""
    directory: bool = False
    """Whether the path ends as only a folder's may."""
    mount: tuple[str, int] | None = None
    """The mount that may not be left; None: any."""

    @property
    def parent(self) -> int:
        return self.handles[-1]

    @property
    def real_names(self) -> list[str]:
        """Every name from the root to the leaf, links resolved."""
        return [*self.names, *self.missing, *([self.leaf] if self.leaf else [])]

    def descend(self, name: str) -> None:
        """Go on into a folder; never through a link."""
        self.handles.append(os.open(name, STEP, dir_fd=self.parent))
        self.names.append(name)
        self.stay(self.parent)

    def open_leaf(self, flags: int) -> int:
        """A handle on what the path leads to, the folder itself included."""
        if self.missing:
            raise _error(errno.ENOENT)
        handle = os.open(self.leaf or ".", flags | os.O_NOFOLLOW, dir_fd=self.parent)
        try:
            self.stay(handle)
        except OSError:
            os.close(handle)
            raise
        return handle

    def stay(self, handle: int) -> None:
        """Raises OSError, EXDEV: the handle is on another mount than the root."""
        if self.mount is not None and mount_of(handle) != self.mount:
            raise _error(errno.EXDEV)

    def close(self) -> None:
        """Every handle but the root's, which belongs to somebody else."""
        while len(self.handles) > 1:
            os.close(self.handles.pop())


def _unheeded(folder: int, name: str) -> None:
    pass


@contextmanager
def walked(
    root: int,
    path: str,
    *,
    confined: bool = True,
    cross_devices: bool = False,
    heed: Callable[[int, str], None] = _unheeded,
) -> Iterator[Place]:
    """Follow a path below an open root. Names that do not exist are no error: ``status`` is None.

    Not ``confined``, the root is ``/`` and absolute links begin there again. ``heed`` is told each name before it is
    looked up, with the folder it stands in; the names of links on the way are among them.

    Raises:
        OSError: EXDEV for a path that leaves the root or its mount, ELOOP for too many links or one of the kernel's
            own, and what the kernel says of each name.
    """
    place = Place([root], mount=mount_of(root) if confined and not cross_devices else None)
    try:
        _Walk(place, confined, heed).follow(path)
        yield place
    finally:
        place.close()


class _Walk:
    def __init__(self, place: Place, confined: bool, heed: Callable[[int, str], None]) -> None:
        self.place = place
        self.confined = confined
        self.heed = heed
        self.links = 0
        self.pending: list[str] = []
        """Names still to follow, the next one last."""

    def follow(self, path: str) -> None:
        if not path:
            raise _error(errno.ENOENT)
        self._push(path)
        place = self.place
        while self.pending:
            name = self.pending.pop()
            if name == "..":
                self._up()
            elif self.pending or place.directory:
                self._through(name)
            else:
                self._arrive(name)

    def _push(self, text: str) -> None:
        if len(os.fsencode(text)) > MAX_PATH_BYTES:
            raise _error(errno.ENAMETOOLONG)
        if not self.pending and (text in (".", "..") or text.endswith(("/", "/.", "/.."))):
            self.place.directory = True
        self.pending.extend(name for name in reversed(text.split("/")) if name not in ("", "."))

    def _up(self) -> None:
        place = self.place
        if place.missing:
            raise _error(errno.ENOENT)
        if len(place.handles) > 1:
            os.close(place.handles.pop())
            place.names.pop()
        elif self.confined:
            raise _error(errno.EXDEV)

    def _through(self, name: str) -> None:
        """A name that has to be a folder, or a link to one, for the path to go on."""
        place = self.place
        if place.missing:
            place.missing.append(name)
            return
        self.heed(place.parent, name)
        try:
            place.descend(name)
        except FileNotFoundError:
            place.missing.append(name)
        except OSError as exc:
            if exc.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            self._link(name, otherwise=errno.ENOTDIR)

    def _arrive(self, name: str) -> None:
        place = self.place
        place.leaf = name
        if place.missing:
            return
        self.heed(place.parent, name)
        try:
            place.status = os.stat(name, dir_fd=place.parent, follow_symlinks=False)
        except FileNotFoundError:
            return
        if _is_link(place.status):
            place.leaf, place.status, place.linked = "", None, True
            self._link(name, otherwise=errno.ELOOP)

    def _link(self, name: str, *, otherwise: int) -> None:
        """Put a link's names in front of what is left. ``otherwise`` is the error if it is no link after all."""
        place = self.place
        try:
            text = os.readlink(name, dir_fd=place.parent)
        except OSError as exc:
            raise _error(otherwise) from exc
        self.links += 1
        if self.links > MAX_LINKS:
            raise _error(errno.ELOOP)
        if not text.startswith("/"):
            if on_procfs(place.parent) and is_magic(text) and self.confined:
                raise _error(errno.ELOOP)
        elif self.confined:
            raise _error(errno.EXDEV)
        else:
            place.close()
            place.names.clear()
        self._push(text)


def _is_link(status: os.stat_result) -> bool:
    return status.st_mode & 0o170000 == 0o120000


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
