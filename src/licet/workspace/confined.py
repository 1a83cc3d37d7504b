"""Below the roots of a policy: links are followed as long as they stay below, nothing leaves."""

import errno
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import ToolError
from ..model.paths import PathPolicy
from ..model.verdict import Deny
from ..policy.paths import components, judged, locate, printable, protected_message
from ..policy.protected import STATE, fold, why_unreadable, why_unwritable
from .failure import failure
from .mount import mount_of
from .named import is_fresh, is_named
from .openat2 import BENEATH, NO_MAGICLINKS, NO_SYMLINKS, NO_XDEV, available, openat2
from .protected import ProjectFolders, below_any, why_same_as_protected
from .reach import LOOK, Opened, Placed
from .root import Root, real_path
from .violation import WorkspaceViolation
from .walk import STEP, walked


class Confined:
    """A policy's roots, opened when the first path needs them. ``sealed`` and ``state`` are absolute paths."""

    def __init__(
        self,
        policy: PathPolicy,
        *,
        allow_hard_links: bool,
        cross_devices: bool,
        force_walk: bool,
        sealed: Sequence[str],
        state: Sequence[str],
    ) -> None:
        self.allows_other_names = allow_hard_links
        self._policy = policy
        self._cross_devices = cross_devices
        self._kernel = not force_walk and available()
        self._stay = BENEATH | NO_MAGICLINKS | (0 if cross_devices else NO_XDEV)
        self._state = [os.path.realpath(path) for path in state]
        self._sealed = [os.path.realpath(path) for path in sealed] + self._state
        self._roots: list[Root] = []
        self._aliases: dict[str, str] = {}
        self._opening = threading.Lock()

    def close(self) -> None:
        self._roots = []

    def shown(self, path: str) -> str:
        found = locate(path, self._policy.roots, self._aliases)
        return printable(path) if found is None else self._shown(found.root_index, found.rest)

    def open(self, path: str, flags: int) -> Opened:
        root, rest, shown = self._found(path)
        names = components(rest)
        self._refuse_state(root, names, shown)
        try:
            handle, names = self._open(root, rest, names, flags)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, shown) from exc
        try:
            self._refuse_state(root, names, shown)
        except WorkspaceViolation:
            os.close(handle)
            raise
        return Opened(handle, shown, root, names)

    def is_named(self, opened: Opened, status: os.stat_result) -> bool:
        if self.allows_other_names or (not is_fresh(status) and real_path(opened.handle) == opened.key):
            return True
        *way, name = opened.names
        try:
            folder, _ = self._open(opened.root, "/".join(way) or ".", way, STEP)
        except OSError:
            return False
        try:
            return is_named(status, folder, name)
        except OSError:
            return False
        finally:
            os.close(folder)

    def enter(self, folder: int, name: str, flags: int) -> int:
        if fold(name) == STATE:
            raise _error(errno.EACCES)
        if self._kernel:
            handle = openat2(folder, name, flags, self._stay | NO_SYMLINKS)
        else:
            handle = os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
        try:
            if not self._kernel and not self._cross_devices and mount_of(handle) != mount_of(folder):
                raise _error(errno.EXDEV)
            if self._state and below_any(real_path(handle), self._state):
                raise _error(errno.EACCES)
        except BaseException:
            os.close(handle)
            raise
        return handle

    @contextmanager
    def place(self, path: str) -> Iterator[Placed]:
        root, rest, shown = self._found(path)
        _refuse(shown, why_unwritable(components(rest)))
        project = ProjectFolders()
        try:
            with walked(root.handle, rest, cross_devices=self._cross_devices, heed=project) as place:
                names = place.real_names
                _refuse(shown, why_unwritable(names) or project.found or why_same_as_protected(root, place))
                if below_any(root.key(names), self._sealed):
                    _refuse(shown, "the operator sealed it")
                if place.status is not None:
                    os.close(place.open_leaf(LOOK))  # a file may be a mount of its own
                yield Placed(place, shown, root)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, shown) from exc

    def still_there(self, placed: Placed) -> bool:
        place = placed.place
        names = "/".join(place.names) or "."
        try:
            if self._kernel:
                handle = openat2(placed.root.handle, names, STEP, self._stay | NO_SYMLINKS)
                try:
                    return os.path.samestat(os.fstat(handle), os.fstat(place.parent))
                finally:
                    os.close(handle)
            with walked(placed.root.handle, names + "/", cross_devices=self._cross_devices) as again:
                return again.names == place.names and os.path.samestat(os.fstat(again.parent), os.fstat(place.parent))
        except OSError:
            return False

    # --- how ---

    def _found(self, path: str) -> tuple[Root, str, str]:
        """The open root of a path, the path below it, and how it is shown."""
        roots = self._roots or self._opened()
        found = judged(path, self._policy, self._aliases)
        if isinstance(found, Deny):
            raise WorkspaceViolation(found.message, reason=found.reason)
        return roots[found.root_index], found.rest, self._shown(found.root_index, found.rest)

    def _opened(self) -> list[Root]:
        with self._opening:
            if not self._roots:
                roots = [Root(spelling) for spelling in self._policy.roots]
                self._aliases = {root.spelling: root.real for root in roots}
                self._roots = roots
            return self._roots

    def _shown(self, root_index: int, rest: str) -> str:
        # A relative path starts at the first root, so a path below another is shown whole: given back, it leads here.
        names = [printable(name) for name in components(rest)]
        return "/".join(names) or "." if root_index == 0 else "/".join((self._policy.roots[root_index], *names))

    def _open(self, root: Root, rest: str, names: list[str], flags: int) -> tuple[int, list[str]]:
        """A handle and its real names."""
        if not self._kernel:
            return self._open_walking(root, rest, flags)
        try:
            handle = openat2(root.handle, rest, flags, self._stay | NO_SYMLINKS)
        except OSError as exc:
            if exc.errno != errno.ELOOP:
                raise
        else:
            return handle, _without_parents(names)
        # A link is on the way. The kernel follows it; the real names are what it says of the handle.
        handle = openat2(root.handle, rest, flags, self._stay)
        top, path = real_path(root.handle), real_path(handle)
        if top and (path == top or path.startswith(top.rstrip("/") + "/")):
            return handle, components(path[len(top) :])
        os.close(handle)
        return self._open_walking(root, rest, flags)

    def _open_walking(self, root: Root, rest: str, flags: int) -> tuple[int, list[str]]:
        with walked(root.handle, rest, cross_devices=self._cross_devices) as place:
            return place.open_leaf(flags), place.real_names

    def _refuse_state(self, root: Root, names: list[str], shown: str) -> None:
        _refuse(shown, why_unreadable(names))
        if self._state and below_any(root.key(_without_parents(names)), self._state):
            _refuse(shown, "it holds licet's own records")


def _refuse(shown: str, reason: str) -> None:
    if reason:
        raise WorkspaceViolation(protected_message(shown, reason), reason="path_protected")


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _without_parents(names: list[str]) -> list[str]:
    """What the names come to where no link is on the way."""
    if ".." not in names:
        return names
    real: list[str] = []
    for name in names:
        if name == "..":
            real.pop()
        else:
            real.append(name)
    return real
