"""Everything below an open folder, in order, by handles: no name is looked up from the top a second time."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from time import thread_time
from typing import NamedTuple

from ...errors import ToolError
from ...policy.paths import printable
from ...policy.protected import STATE, fold
from ...workspace.reach import Opened
from ...workspace.workspace import Workspace
from . import ignore
from .bounds import refuse_late
from .patience import Patience, TooSlowError

MAX_DEPTH = 100
MAX_ENTRIES = 1_000_000
_PASSED_OVER = frozenset({".git", STATE})


class Found(NamedTuple):
    """One entry of the open ``folder``. ``path`` is in bytes, from ``Tour.start`` on below the folder searched.

    A folder's path ends with ``/``.
    """

    folder: int
    name: str
    path: bytes
    is_folder: bool


@dataclass(slots=True)
class Tour:
    """One traversal: what it has to know, and what it could not see."""

    workspace: Workspace
    deadline: float | None
    unreadable: int = 0
    """Folders and files that could not be opened, lay on another mount, or have a name that may be outside."""
    seen: int = 0
    incomplete: bool = False
    start: int = 0
    """Where, in the paths' bytes, the part below the folder searched begins; before it stands what is above."""
    patience: Patience = field(default_factory=Patience)
    """Of the ignore files. Once it is used up nothing more is ignored."""
    _ignores: bool = True
    _open: list["_Folder"] = field(default_factory=list)

    def below(self, opened: Opened) -> Iterator[Found]:
        """Files, links and folders, a folder before what is in it, sorted by path; ignored ones left out."""
        top = encoded("".join(f"{name}/" for name in opened.names))
        self.start = len(top)
        self._push(opened.handle, top, self._above(opened))
        try:
            while self._open:
                folder = self._open[-1]
                entry = next(folder.entries, None)
                if entry is None:
                    self._pop()
                    continue
                name, path, is_folder = entry
                yield Found(folder.handle, name, path, is_folder)
                if is_folder:
                    self._enter(folder, name, path)
        finally:
            while self._open:
                self._pop()

    def _enter(self, folder: "_Folder", name: str, path: bytes) -> None:
        if len(self._open) > MAX_DEPTH:
            self.unreadable += 1
            return
        try:
            handle = self.workspace.enter_folder(folder.handle, name)
        except FileNotFoundError:
            return
        except OSError:
            self.unreadable += 1
            return
        self._push(handle, path, folder.layers)

    def _push(self, handle: int, prefix: bytes, layers: tuple[ignore.Layer, ...]) -> None:
        folder = _Folder(handle, iter(()), layers)
        self._open.append(folder)
        refuse_late(self.deadline)
        try:
            with os.scandir(handle) as scan:
                names = [
                    (f"{printable(entry.name)}/", entry.name, True)
                    if entry.is_dir(follow_symlinks=False)
                    else (printable(entry.name), entry.name, False)
                    for entry in scan
                ]
        except OSError:
            self.unreadable += 1
            return
        self.seen += len(names)
        if self.seen > MAX_ENTRIES:
            self.incomplete = True
            return
        if any(name == ignore.FILE for name, _, _ in names):
            own = self._rules(handle, len(prefix))
            folder.layers = layers = (*layers, own) if own else layers
        names.sort(key=itemgetter(0))
        folder.entries = self._kept(names, prefix, layers)

    def _kept(
        self, names: list[tuple[str, str, bool]], prefix: bytes, layers: tuple[ignore.Layer, ...]
    ) -> Iterator[tuple[str, bytes, bool]]:
        for shown, name, is_folder in names:
            if name.startswith(".") and fold(name) in _PASSED_OVER:
                continue
            path = prefix + shown.encode()
            if layers and self._ignored(path, layers):
                continue
            yield name, path, is_folder

    def _ignored(self, path: bytes, layers: tuple[ignore.Layer, ...]) -> bool:
        if not self._ignores:
            return False
        begun = thread_time()
        found = ignore.ignored(path, layers)
        try:
            self.patience.spend(begun, sum(len(layer.rules) for layer in layers))
        except TooSlowError:
            self._ignores = False
        return found

    def _rules(self, folder: int, start: int) -> ignore.Layer | None:
        """What the ignore file of an open folder says, if it has one."""
        try:
            entered = self.workspace.enter_file(folder, ignore.FILE) if self._ignores else None
        except OSError:
            return None
        if entered is None:
            return None
        handle, _ = entered
        try:
            return ignore.layer(os.read(handle, ignore.MAX_FILE_BYTES), start, self.patience)
        except OSError:
            return None
        except TooSlowError:
            self._ignores = False
            return None
        finally:
            os.close(handle)

    def _above(self, opened: Opened) -> tuple[ignore.Layer, ...]:
        """The ignore files of the folders above the one searched, up to the repository's or the root's."""
        layers: list[ignore.Layer] = []
        names = opened.names
        found = _is_repository(opened.handle)
        while names and not found:
            names = names[:-1]
            try:
                folder = self.workspace.open_directory(opened.root.key(names))
            except ToolError:
                return ()
            try:
                own = self._rules(folder.handle, len(encoded("".join(f"{name}/" for name in names))))
                found = _is_repository(folder.handle)
            finally:
                os.close(folder.handle)
            if own:
                layers.insert(0, own)
        # Everywhere is no project: what stands above counts only up to a repository.
        return tuple(layers) if found or self.workspace.policy.access != "danger_full_access" else ()

    def _pop(self) -> None:
        folder = self._open.pop()
        if self._open:  # the first handle belongs to whoever began
            os.close(folder.handle)


@dataclass(slots=True)
class _Folder:
    handle: int
    entries: Iterator[tuple[str, bytes, bool]]
    layers: tuple[ignore.Layer, ...]


def encoded(name: str) -> bytes:
    """A name as it is shown, in bytes: that is what patterns match, so that every name can be found."""
    return printable(name).encode()


def _is_repository(folder: int) -> bool:
    try:
        os.stat(".git", dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True
