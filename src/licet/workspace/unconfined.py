"""Everywhere, for ``danger_full_access``: links are followed, nothing is protected, still only regular files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ToolError
from ..policy.paths import components, printable, unnameable
from .failure import failure, not_a_file
from .reach import Opened, Placed
from .root import Root, real_path
from .violation import WorkspaceViolation
from .walk import walked


class Unconfined:
    """The whole file system. Relative paths start at the working directory as it was when this was made."""

    allows_other_names = True

    def __init__(self) -> None:
        self._base = os.getcwd()
        self._top: Root | None = None

    def close(self) -> None:
        self._top = None

    def shown(self, path: str) -> str:
        names = [printable(name) for name in components(path)]
        if not path.startswith("/"):
            return "/".join(names) or "."
        base = components(self._base)
        if names[: len(base)] == base and ".." not in names:
            return "/".join(names[len(base) :]) or "."
        return "/" + "/".join(names)

    def open(self, path: str, flags: int) -> Opened:
        absolute, shown = self._judged(path)
        try:
            # Looked at first: opening a device may already do something.
            before = os.stat(absolute)
            if before.st_mode & 0o170000 not in (0o100000, 0o040000):
                raise not_a_file(shown, before)
            handle = os.open(absolute, flags)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, shown) from exc
        return Opened(handle, shown, self._root(), components(real_path(handle) or os.path.realpath(absolute)))

    def is_named(self, opened: Opened, status: os.stat_result) -> bool:
        return True

    def enter(self, folder: int, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)

    @contextmanager
    def place(self, path: str) -> Iterator[Placed]:
        absolute, shown = self._judged(path)
        root = self._root()
        try:
            with walked(root.handle, absolute, confined=False) as place:
                yield Placed(place, shown, root)
        except ToolError:  # some are OSErrors too
            raise
        except OSError as exc:
            raise failure(exc, shown) from exc

    def still_there(self, placed: Placed) -> bool:
        place = placed.place
        try:
            with walked(placed.root.handle, "/".join((*place.names, ".")), confined=False) as again:
                return again.names == place.names and os.path.samestat(os.fstat(again.parent), os.fstat(place.parent))
        except OSError:
            return False

    def _judged(self, path: str) -> tuple[str, str]:
        verdict = unnameable(path)
        if verdict is not None:
            raise WorkspaceViolation(verdict.message, reason=verdict.reason)
        if not path.startswith("/"):
            path = f"{self._base}/{path}" if path else path
        return path, self.shown(path)

    def _root(self) -> Root:
        if self._top is None:
            self._top = Root("/")
        return self._top
