"""A disk that remembers what was asked of it: a VFS for SQLite's files, and the ledger's own steps in its folder.

Everything is really written, so that SQLite can read it back, but nothing is really synced: what a power cut would
leave is worked out from the log, by ``campaign.power.cut``.
"""

import errno
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeAlias
from unittest.mock import patch

import apsw

from campaign.lying import APPENDS
from licet.ledger.table import Connection, Cursor
from licet.model.entry import Draft


class Write(NamedTuple):
    file: int
    offset: int
    data: bytes


class Truncate(NamedTuple):
    file: int
    size: int


class Sync(NamedTuple):
    """What was asked of this file before operation ``begun`` is on stable storage now."""

    file: int
    begun: int


class FailedSync(NamedTuple):
    """Whatever of this file was not yet on stable storage may be forgotten, and no later sync brings it back."""

    file: int


class Enter(NamedTuple):
    """A name for a file, new or not. ``file`` is None for a folder."""

    name: str
    file: int | None


class Unlink(NamedTuple):
    name: str


class SyncFolder(NamedTuple):
    folder: str
    begun: int


class Acknowledged(NamedTuple):
    """The ledger said that this is on stable storage."""

    draft: Draft


Operation: TypeAlias = Write | Truncate | Sync | FailedSync | Enter | Unlink | SyncFolder | Acknowledged


class Fault(NamedTuple):
    """The write or the sync of this number fails, and so does everything after it if it is ``lasting``."""

    kind: Literal["write", "sync"]
    number: int
    error: int
    lasting: bool

    def __str__(self) -> str:
        return f"{errno.errorcode[self.error]} at {self.kind} {self.number}{' and ever after' if self.lasting else ''}"


_numbers = itertools.count(1)


class Disk:
    """Use as ``with Disk(root) as disk``; ``disk.connect`` is what a ledger gets, for files below ``root``.

    ``after`` is the same disk under another process: what stands below ``root`` is what that one had in memory.
    """

    def __init__(self, root: Path, *, fault: Fault | None = None, after: "Disk | None" = None) -> None:
        self.log: list[Operation] = [] if after is None else list(after.log)
        self.file_names: dict[int, str] = {} if after is None else dict(after.file_names)
        """The name that each file had first."""
        self.hit: str | None = None
        """What failed: a sync or a write, and of which file."""
        self._root = str(root)
        self._fault = fault
        self._counts = {"write": 0, "sync": 0}
        self._files: dict[str, int] = {} if after is None else dict(after._files)
        self._handles: dict[int, str] = {}
        self._vfs_name = f"licet-disk-{next(_numbers)}"
        self._undo = ExitStack()
        self._real = {name: getattr(os, name) for name in ("open", "mkdir", "link", "unlink", "fsync")}

    def __enter__(self) -> Self:
        vfs = _Vfs(self, self._vfs_name)
        self._undo.callback(vfs.unregister)
        for name in self._real:
            self._undo.enter_context(patch.object(os, name, getattr(self, f"_{name}")))
        self._undo.enter_context(patch.object(sys, "unraisablehook", _quiet(sys.unraisablehook)))
        if not self.log:
            self._take_in()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def connect(self, uri: str) -> Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        return _Told(apsw.Connection(uri, flags=flags, vfs=self._vfs_name))

    def acknowledge(self, draft: Draft) -> None:
        self.log.append(Acknowledged(draft))

    def _take_in(self) -> None:
        """What is below the root already is on stable storage."""
        for path in sorted(Path(self._root).rglob("*")):
            name = str(path.relative_to(self._root))
            if path.is_dir():
                self.log.append(Enter(name, None))
                continue
            file = self.opened(name)
            self.log += (Write(file, 0, path.read_bytes()), Sync(file, len(self.log) + 1))
        folders = {os.path.dirname(operation.name) for operation in self.log if isinstance(operation, Enter)}
        self.log += [SyncFolder(folder, len(self.log)) for folder in sorted(folders)]

    # --- SQLite's files ---

    def name_of(self, path: str) -> str | None:
        """The path as the log has it. None: it is somewhere else."""
        path = os.path.abspath(path)
        return path[len(self._root) + 1 :] if path.startswith(self._root + "/") else None

    def opened(self, name: str) -> int:
        """The number of the file under this name, which is created if there is none."""
        if name not in self._files:
            self._files[name] = file = len(self.file_names)
            self.file_names[file] = name
            self.log.append(Enter(name, file))
        return self._files[name]

    def write(self, file: int, offset: int, data: bytes, really: Callable[[bytes], None]) -> None:
        failed = self._fails("write", file)
        if failed:
            data = data[: len(data) // 2]  # a disk that gives up, gives up somewhere
        self.log.append(Write(file, offset, data))
        really(data)
        if failed:
            raise self._error(failed, file)

    def truncate(self, file: int, size: int) -> None:
        self.log.append(Truncate(file, size))

    def sync(self, file: int, *, with_folder: bool) -> None:
        begun = len(self.log)
        if failed := self._fails("sync", file):
            error = self._error(failed, file)
            self.log.append(FailedSync(file))
            raise error
        self.log.append(Sync(file, begun))
        if with_folder:
            self.log.append(SyncFolder(os.path.dirname(self.file_names[file]), begun))

    def delete(self, name: str, *, with_folder: bool) -> None:
        self._files.pop(name, None)
        self.log.append(Unlink(name))
        if with_folder:
            self.log.append(SyncFolder(os.path.dirname(name), len(self.log)))

    def _fails(self, kind: Literal["write", "sync"], file: int | None) -> int:
        self._counts[kind] += 1
        fault = self._fault
        if fault is None:
            return 0
        if self.hit is None and (kind, self._counts[kind]) == (fault.kind, fault.number):
            self.hit = f"{kind} of {'the folder' if file is None else self.file_names[file]}"
            return fault.error
        return fault.error if self.hit is not None and fault.lasting else 0

    def _error(self, error: int, file: int) -> Exception:
        failed = _Full if error == errno.ENOSPC else _Broken
        return failed(os.strerror(error), self._is_folding(file))

    def _is_folding(self, file: int) -> bool:
        """Whether the log is being folded into this file, or is synced to be so: a commit syncs what it just wrote."""
        name = self.file_names[file]
        if name.endswith("-journal") or f"{name}-journal" in self._files:
            return False
        if not name.endswith("-wal"):
            return f"{name}-wal" in self._files
        last = next(
            (o for o in reversed(self.log) if isinstance(o, Write | Sync | FailedSync) and o.file == file), None
        )
        return isinstance(last, Sync | FailedSync)

    # --- the ledger's own steps, through ``os`` ---

    def _open(self, path: Any, flags: int, *rest: Any, **more: Any) -> int:
        handle: int = self._real["open"](path, flags, *rest, **more)
        name = self._named(path)
        if name is not None:
            self._handles[handle] = name
            if flags & os.O_CREAT:
                self.opened(name)
        return handle

    def _mkdir(self, path: Any, *rest: Any, **more: Any) -> None:
        self._real["mkdir"](path, *rest, **more)
        if (name := self._named(path)) is not None:
            self.log.append(Enter(name, None))

    def _link(self, old: Any, new: Any, **more: Any) -> None:
        self._real["link"](old, new, **more)
        old, new = self._named(old), self._named(new)
        if old is not None and new is not None:
            self._files[new] = self._files[old]
            self.log.append(Enter(new, self._files[old]))

    def _unlink(self, path: Any, **more: Any) -> None:
        self._real["unlink"](path, **more)
        if (name := self._named(path)) is not None:
            self.delete(name, with_folder=False)

    def _fsync(self, handle: int) -> None:
        name = self._handles.get(handle)
        if name is None:
            self._real["fsync"](handle)
            return
        begun = len(self.log)
        if failed := self._fails("sync", None):
            raise OSError(failed, os.strerror(failed))
        self.log.append(SyncFolder(name, begun))

    def _named(self, path: Any) -> str | None:
        path = os.path.abspath(path)
        return "" if path == self._root else self.name_of(path)


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk, name: str) -> None:
        self._disk = disk
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        known = None if path is None else self._disk.name_of(path)
        return apsw.VFSFile("", name, flags) if known is None else _File(self._disk, known, name, flags)

    def xDelete(self, path: str, with_folder: bool) -> None:  # noqa: N802
        super().xDelete(path, False)
        if (name := self._disk.name_of(path)) is not None:
            self._disk.delete(name, with_folder=with_folder)


class _File(apsw.VFSFile):
    """One open file. As on any Unix, the first sync of a journal that was opened to be created syncs its folder."""

    def __init__(self, disk: Disk, known: str, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        journal = flags[0] & (apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL)
        self._with_folder = bool(journal and flags[0] & apsw.SQLITE_OPEN_CREATE)
        self._disk = disk
        self._file = disk.opened(known)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.write(self._file, offset, bytes(data), lambda part: super(_File, self).xWrite(part, offset))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        super().xTruncate(size)
        self._disk.truncate(self._file, size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.sync(self._file, with_folder=self._with_folder)
        self._with_folder = False


class _Broken(apsw.IOError):
    """``folding``: while the log was folded into the file."""

    def __init__(self, message: str, folding: bool) -> None:
        super().__init__(message)
        self.folding = folding


class _Full(apsw.FullError):
    def __init__(self, message: str, folding: bool) -> None:
        super().__init__(message)
        self.folding = folding


def _quiet(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What SQLite keeps to itself is no news: the disk knows that it failed."""
    return lambda told: None if isinstance(told.exc_value, _Broken | _Full) else hook(told)


class _Told:
    """A connection that tells of an error of the disk where SQLite does.

    SQLite keeps to itself what fails after a commit while the log is folded into the file, and what fails while a file
    is closed; apsw raises it all the same.
    """

    def __init__(self, inner: apsw.Connection) -> None:
        self._inner = inner

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        try:
            cursor: Cursor = self._inner.execute(sql, values)
        except (_Broken, _Full) as exc:
            if not exc.folding or not (sql == "COMMIT" or sql.startswith(APPENDS)):
                raise
            cursor = self._inner.execute("SELECT 1 WHERE 0")
        return cursor

    def close(self) -> None:
        with suppress(_Broken, _Full):
            self._inner.close()


__all__ = [
    "Acknowledged",
    "Disk",
    "Enter",
    "FailedSync",
    "Fault",
    "Operation",
    "Sync",
    "SyncFolder",
    "Truncate",
    "Unlink",
    "Write",
]
