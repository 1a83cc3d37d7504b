"""A file about to be written: read, replaced or removed by the handle of its folder, never by a path."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from ..errors import ToolFailedError
from .content import digest_of, read_all, refuse_odd_file
from .failure import not_a_file, not_found
from .named import is_named
from .reach import READ, Placed, Reach

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Written(NamedTuple):
    """What one replacement did. ``folders`` are the absolute paths of the folders it made, outermost first."""

    shown: str
    key: str
    created: bool
    digest: str
    folders: tuple[str, ...]


class Staged(NamedTuple):
    """What is ready to take a place: its name in the same folder, and what tells it from anything put there instead."""

    name: str
    identity: tuple[int, int, int] | None


class Target:
    """One place, checked: it may be written, and what is there now, if anything, is a regular file with one name."""

    def __init__(self, placed: Placed, reach: Reach, touched: Callable[[], None]) -> None:
        """Raises WorkspaceViolation or ToolFailedError: nothing can be written here. ``touched`` counts what opens."""
        self.shown = placed.shown
        self.key = placed.key
        self._placed = placed
        self._place = placed.place
        self._reach = reach
        self._touched = touched
        status = self._place.status
        if not self._place.leaf:
            raise not_found(self.shown) if self._place.missing else not_a_file(self.shown, os.fstat(self._place.parent))
        if status is None and self._place.linked:
            raise ToolFailedError(f"{self.shown!r} is a link to nothing; write to its target", reason="path_not_found")
        if status is not None:
            refuse_odd_file(status, self.shown, allow_other_names=reach.allows_other_names)

    @property
    def exists(self) -> bool:
        return self._place.status is not None

    @property
    def mode(self) -> int:
        """Permission bits of what is there; 0 for nothing."""
        return self._place.status.st_mode & 0o777 if self._place.status else 0

    @property
    def root(self) -> str:
        """The absolute path of the folder that this place was looked for in."""
        return self._placed.root.real

    @property
    def missing_folders(self) -> int:
        """How many of the folders above it do not exist."""
        return len(self._place.missing)

    @property
    def may_be_changed(self) -> bool:
        """Whether this process may put something in its folder, or take something away, as far as the bits tell."""
        return os.access(".", os.W_OK | os.X_OK, dir_fd=self._place.parent, effective_ids=True)

    def read(self, limit_bytes: int) -> bytes | None:
        """What is there now, or None for nothing. Raises ToolFailedError: more than ``limit_bytes``."""
        if not self.exists:
            return None
        handle = self._place.open_leaf(READ)
        try:
            status = os.fstat(handle)
            refuse_odd_file(status, self.shown, allow_other_names=self._reach.allows_other_names)
            if not (self._reach.allows_other_names or is_named(status, self._place.parent, self._place.leaf)):
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            self._touched()
            return read_all(handle, status.st_size, limit_bytes, self.shown)
        finally:
            os.close(handle)

    def replace(
        self,
        data: bytes,
        *,
        create_parents: bool = False,
        expected_digest: str | None = None,
        mode: int | None = None,
    ) -> Written:
        """Put ``data`` there in one step: a reader sees the old or the new, and an interruption leaves the old.

        Raises:
            ToolFailedError: ``edit_stale``, what is there has another digest; ``path_not_found``, no such folder;
                ``path_unstable``, something else moved the folder or the file meanwhile.
        """
        place = self._place
        created = not self.exists
        if place.missing and not create_parents:
            raise not_found(self.shown)
        self._refuse_read_only()
        made: list[tuple[int, str]] = []
        try:
            folders = self._make_folders(made)
            self._put(data, expected_digest, mode)
        except BaseException:
            for folder, name in reversed(made):
                with suppress(OSError):
                    os.rmdir(name, dir_fd=place.handles[folder])
            raise
        return Written(self.shown, self.key, created, digest_of(data), folders)

    def remove(self, expected_digest: str | None = None) -> None:
        """Take the file away. Raises ToolFailedError, as ``replace`` does: it is not what it was."""
        if expected_digest is not None:
            self._refuse_changes(expected_digest)
        self._touched()
        os.unlink(self._place.leaf, dir_fd=self._place.parent)

    # --- replacing in two steps: everything that may fail comes before anything that changes ---

    def stage(self, data: bytes, mode: int | None, name: str) -> Staged:
        """Put ``data`` on the disk beside the place, under a name that must not exist, dressed as what is there.

        Raises OSError: it does not fit, or the folder may not be written; nothing is left.
        """
        self._touched()
        permissions = 0o666 if mode is None and not self.exists else 0o600
        handle = os.open(name, _NEW, permissions, dir_fd=self._place.parent)
        try:
            try:
                _write_all(handle, data)
                self._dress(handle, mode)
                os.fsync(handle)
                return Staged(name, _identity(os.fstat(handle)))
            finally:
                os.close(handle)
        except BaseException:
            self.discard(name)
            raise

    def adopt(self, staged: Staged, expected_digest: str | None) -> None:
        """Give what was staged the place's name, in one step. Raises ToolFailedError, as ``replace`` does."""
        parent = self._place.parent
        self._refuse_changes(expected_digest)
        if _identity(os.stat(staged.name, dir_fd=parent, follow_symlinks=False)) != staged.identity:
            raise self._moved()
        os.rename(staged.name, self._place.leaf, src_dir_fd=parent, dst_dir_fd=parent)

    def discard(self, name: str) -> None:
        """Take away what was staged under this name, if it is there."""
        with suppress(OSError):
            os.unlink(name, dir_fd=self._place.parent)

    def sync(self) -> None:
        """Put the folder on stable storage: what has, or has not, the place's name there survives a power cut."""
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._place.parent)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _refuse_read_only(self) -> None:
        place = self._place
        if self.exists and not os.access(place.leaf, os.W_OK, dir_fd=place.parent, effective_ids=True):
            raise ToolFailedError(f"{self.shown!r} may not be written by this process", reason="permission_denied")

    def _make_folders(self, made: list[tuple[int, str]]) -> tuple[str, ...]:
        """The absolute paths of the folders made. ``made`` tells which to take away again should the rest fail."""
        place = self._place
        keys = []
        while place.missing:
            name = place.missing.pop(0)
            self._touched()
            os.mkdir(name, dir_fd=place.parent)
            made.append((len(place.handles) - 1, name))
            place.descend(name)
            keys.append(self._placed.root.key(place.names))
        return tuple(keys)

    def _put(self, data: bytes, expected_digest: str | None, mode: int | None) -> None:
        staged = self.stage(data, mode, f".{os.urandom(12).hex()}.tmp")
        try:
            self.adopt(staged, expected_digest)
        except BaseException:
            self.discard(staged.name)
            raise

    def _dress(self, handle: int, mode: int | None) -> None:
        """The owner and permission bits of what was there. The bits that lend an identity are not kept."""
        before = self._place.status
        if before is not None:
            now = os.fstat(handle)
            if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
                with suppress(PermissionError):
                    os.fchown(handle, before.st_uid, before.st_gid)
            mode = self.mode if mode is None else mode
        if mode is not None:
            os.fchmod(handle, mode)

    def _refuse_changes(self, expected_digest: str | None) -> None:
        """Just before the rename: the folder is where it was, and the file is what it was."""
        place = self._place
        if expected_digest is not None:
            now = self.read(1 << 40)
            if now is None or digest_of(now) != expected_digest:
                raise ToolFailedError(
                    f"{self.shown!r} was changed by something else since it was read; read it again",
                    reason="edit_stale",
                )
        try:
            status = os.stat(place.leaf, dir_fd=place.parent, follow_symlinks=False)
        except FileNotFoundError:
            status = None
        if _identity(status) != _identity(place.status) or not self._reach.still_there(self._placed):
            raise self._moved()

    def _moved(self) -> ToolFailedError:
        return ToolFailedError(
            f"{self.shown!r} was moved while it was written; nothing was changed, try again", reason="path_unstable"
        )


def _identity(status: os.stat_result | None) -> tuple[int, int, int] | None:
    """What tells a file from one that took its number after it, or that was written since."""
    return None if status is None else (status.st_dev, status.st_ino, status.st_ctime_ns)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
