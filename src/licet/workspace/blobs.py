"""Previous contents on disk, each under its own digest: what an undo needs once the process is gone.

Nothing in here is ever removed by licet. Files are 0600 in a folder of 0700, because what a file held before may be as
secret as what it holds now.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import RollbackError
from .content import digest_of, read_all

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Blobs:
    """A folder of contents. It is made when the first one is put there; nothing above it is."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._is_there = False

    def put(self, data: bytes) -> str:
        """The digest of ``data``, which is on stable storage under that name when this returns. Raises OSError.

        It is written anew even if the name exists: whatever stands there is right afterwards.
        """
        digest = digest_of(data)
        folder = self._opened()
        try:
            _write(folder, _name(digest), data)
            os.fsync(folder)
        finally:
            os.close(folder)
        return digest

    def get(self, digest: str) -> bytes:
        """The content of this digest. Raises RollbackError: it is gone, or is not what its name says."""
        try:
            handle = os.open(os.path.join(self.folder, _name(digest)), _FILE)
        except OSError as exc:
            raise RollbackError(f"the content {digest} is not in {self.folder}: {exc.strerror}") from exc
        try:
            status = os.fstat(handle)
            data = read_all(handle, status.st_size, 1 << 40, digest) if stat.S_ISREG(status.st_mode) else b""
        except OSError as exc:
            raise RollbackError(f"the content {digest} in {self.folder} cannot be read: {exc.strerror}") from exc
        finally:
            os.close(handle)
        if digest_of(data) != digest:
            raise RollbackError(f"what is kept in {self.folder} under {digest} was changed")
        return data

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for an undo. It is let go of when the process ends, however that ends.

        Raises RollbackError: another undo is under way, or the folder cannot be opened.
        """
        import fcntl

        try:
            folder = self._opened()
        except OSError as exc:
            raise RollbackError(f"nothing was undone: {self.folder} cannot be opened: {exc.strerror}") from exc
        try:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                raise RollbackError("nothing was undone: another rollback is under way; let it end first") from exc
            yield
        finally:
            os.close(folder)

    def _opened(self) -> int:
        if self._is_there:
            return os.open(self.folder, _FOLDER)
        with suppress(FileExistsError):
            os.mkdir(self.folder, 0o700)
        folder = os.open(self.folder, _FOLDER)
        try:
            _sync(os.path.dirname(self.folder))
        except BaseException:
            os.close(folder)
            raise
        self._is_there = True
        return folder


def _name(digest: str) -> str:
    name = digest.removeprefix("sha256:")
    if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
        raise RollbackError(f"{digest!r} is no digest of a content")
    return name


def _write(folder: int, name: str, data: bytes) -> None:
    temporary = f".{os.urandom(12).hex()}.tmp"
    handle = os.open(temporary, _NEW, 0o600, dir_fd=folder)
    try:
        with open(handle, "wb", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fsync(handle)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _sync(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
