"""The files of one run: every tool that touches the disk does it through here."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy

from ..errors import ToolError, ToolFailedError
from ..model.paths import PathPolicy
from ..policy.paths import closed
from .blobs import Blobs
from .confined import Confined
from .content import Content, read_all, refuse_odd_file
from .failure import failure
from .journal import Journal
from .named import is_named
from .reach import LIST, LOOK, READ, Opened, Reach
from .reads import Reads
from .target import Target, Written
from .unconfined import Unconfined
from .violation import WorkspaceViolation

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of one file that is read as a whole."""

_ATTEMPTS = 8
"""To open a file that loses its name meanwhile, as it does when something else replaces it."""


class Workspace:
    """Files under one path policy, by directory handle. Nothing is opened before the first path comes.

    ``allow_hard_links`` lets files with several names be opened, ``cross_devices`` lets paths go on into mounted file
    systems, ``force_walk`` does without ``openat2``. ``sealed`` are absolute paths that no tool may write, ``state``
    are those that it may not read either; below ``danger_full_access`` the usual names are protected besides. ``blobs``
    is a folder on disk for what the run's writes replace, so that it outlives the process.

    Raises:
        WorkspaceViolation: the policy is ``none``.
    """

    def __init__(
        self,
        policy: PathPolicy,
        *,
        allow_hard_links: bool = False,
        cross_devices: bool = False,
        force_walk: bool = False,
        sealed: Sequence[str] = (),
        state: Sequence[str] = (),
        blobs: str | None = None,
    ) -> None:
        if policy.access == "none":
            raise WorkspaceViolation(closed().message, reason="path_outside_root")
        self.policy = policy
        self._reach: Reach = (
            Unconfined()
            if policy.access == "danger_full_access"
            else Confined(
                policy,
                allow_hard_links=allow_hard_links,
                cross_devices=cross_devices,
                force_walk=force_walk,
                sealed=sealed,
                state=state,
            )
        )
        self._opened = 0
        self._scoped = False
        self.reads = Reads()
        self.journal = Journal(self, None if blobs is None else Blobs(blobs))

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the roots go; a call that still uses one keeps it until it ends. A later path opens them again."""
        self._reach.close()

    def scope(self) -> "Workspace":
        """The same workspace for one call: whether anything was opened before a violation is asked of this call alone.

        Without a scope the question is asked of the method that found the violation.
        """
        scoped = copy(self)
        scoped._opened, scoped._scoped = 0, True
        return scoped

    def mark(self) -> int:
        """How often something was opened or changed so far. Equal before and after a call: it touched nothing."""
        return self._opened

    def display(self, path: str) -> str:
        """The path as results and messages name it: one that leads to the same file when it is given back."""
        return self._reach.shown(path)

    # --- reading ---

    def open_file(self, path: str) -> Opened:
        """A handle on a regular file, which the caller closes.

        Raises:
            WorkspaceViolation: it lies outside, is protected, or has a second name.
            ToolFailedError: it does not exist, or is a folder, a pipe, a device or a socket.
        """
        opened, folder = self.open_any(path)
        if folder:
            os.close(opened.handle)
            raise ToolFailedError(f"{opened.shown!r} is a folder, not a file", reason="not_a_file")
        return opened

    def open_directory(self, path: str) -> Opened:
        """A handle on a folder, which the caller closes. Raises as ``open_file`` does."""
        opened = self._open(path, LIST)
        self._opened += 1
        return opened

    def open_any(self, path: str) -> tuple[Opened, bool]:
        """A handle on a regular file or a folder, and whether it is a folder. Raises as ``open_file`` does."""
        opened, status = self._look(path)
        return opened, stat.S_ISDIR(status.st_mode)

    def stat(self, path: str) -> os.stat_result:
        """What the file system says of a path, links followed; nothing is read."""
        opened = self._open(path, LOOK)
        try:
            return os.fstat(opened.handle)
        finally:
            os.close(opened.handle)

    def read_bytes(self, path: str, limit_bytes: int = MAX_FILE_BYTES) -> Content:
        """A whole regular file. Raises as ``open_file`` does, and ToolFailedError, ``too_large``."""
        opened, status = self._look(path)
        handle = opened.handle
        try:
            self._refuse_odd(status, opened.shown)
            data = read_all(handle, status.st_size, limit_bytes, opened.shown)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, opened.shown) from exc
        finally:
            os.close(handle)
        return Content(data, opened.shown, opened.key, status)

    @contextmanager
    def scan(self, path: str) -> Iterator[tuple[Opened, list["os.DirEntry[str]"]]]:
        """A folder's entries, unsorted; while this is open they can be asked about."""
        opened = self.open_directory(path)
        try:
            with os.scandir(opened.handle) as entries:
                yield opened, list(entries)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, opened.shown) from exc
        finally:
            os.close(opened.handle)

    def enter_folder(self, folder: int, name: str) -> int:
        """A handle on a folder inside an open one, never through a link. Raises OSError."""
        return self._reach.enter(folder, name, LIST)

    def enter_file(self, folder: int, name: str) -> tuple[int, os.stat_result] | None:
        """A handle on a regular file in an open folder, or None for anything else. Raises OSError."""
        handle = self._reach.enter(folder, name, READ)
        try:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and (
                self._reach.allows_other_names or (status.st_nlink == 1 and is_named(status, folder, name))
            ):
                return handle, status
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    # --- writing ---

    @contextmanager
    def target(self, path: str) -> Iterator[Target]:
        """A place that may be written, open while this is.

        Raises:
            WorkspaceViolation: it lies outside, is protected, or has a second name.
            ToolFailedError: there is something that is no regular file.
        """
        before = self._opened
        try:
            with self._reach.place(path) as placed:
                yield Target(placed, self._reach, self._touched)
        except WorkspaceViolation as violation:
            violation.nothing_opened = self._opened == (0 if self._scoped else before)
            raise

    def write_bytes(
        self,
        path: str,
        data: bytes,
        *,
        create_parents: bool = False,
        expected_digest: str | None = None,
    ) -> Written:
        """Replace or create a file in one step; the mode of an existing one is kept.

        Raises as ``target`` does, and ToolFailedError: ``edit_stale``, what is there has another digest;
        ``path_not_found``, no such folder; ``path_unstable``, it was moved meanwhile.
        """
        with self.target(path) as target:
            return self.replace(target, data, create_parents=create_parents, expected_digest=expected_digest)

    def replace(
        self,
        target: Target,
        data: bytes,
        *,
        create_parents: bool = False,
        expected_digest: str | None = None,
    ) -> Written:
        """Write an open target, and remember it: the run knows the file now, and can put back what was there."""
        written = target.replace(data, create_parents=create_parents, expected_digest=expected_digest)
        self.journal.wrote(written)
        self.reads.note(written.key, written.digest)
        return written

    def remove_empty_folder(self, path: str) -> None:
        """Take away a folder that holds nothing; anything else is left alone."""
        with suppress(ToolFailedError, WorkspaceViolation), self._reach.place(path) as placed:
            place = placed.place
            if place.leaf and not place.missing:
                with suppress(OSError):
                    os.rmdir(place.leaf, dir_fd=place.parent)

    def _look(self, path: str) -> tuple[Opened, os.stat_result]:
        """A handle on a regular file or a folder, and what it is."""
        for _ in range(_ATTEMPTS):
            opened = self._open(path, READ)
            try:
                status = os.fstat(opened.handle)
                folder = stat.S_ISDIR(status.st_mode)
                if not folder:
                    self._refuse_odd(status, opened.shown)
                if folder or self._reach.is_named(opened, status):
                    self._opened += 1
                    return opened, status
            except BaseException:
                os.close(opened.handle)
                raise
            os.close(opened.handle)
        raise failure(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)), self.display(path))

    def _open(self, path: str, flags: int) -> Opened:
        try:
            return self._reach.open(path, flags)
        except WorkspaceViolation as violation:
            violation.nothing_opened = not (self._scoped and self._opened)
            raise

    def _refuse_odd(self, status: os.stat_result, shown: str) -> None:
        try:
            refuse_odd_file(status, shown, allow_other_names=self._reach.allows_other_names)
        except WorkspaceViolation as violation:
            violation.nothing_opened = not (self._scoped and self._opened)
            raise

    def _touched(self) -> None:
        self._opened += 1
