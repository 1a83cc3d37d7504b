"""What the run's writes replaced, so that one call or the whole run can be undone while the process lives."""

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import RollbackError, ToolFailedError
from .content import digest_of
from .target import Target, Written

if TYPE_CHECKING:
    from .workspace import Workspace

MAX_KEPT_BYTES = 64 * 1024 * 1024
"""Previous content that one run keeps in memory; a write beyond it is refused."""


@dataclass(slots=True)
class _Kept:
    """One file as it was before one call. ``after`` is the digest that the call wrote, None until it did."""

    id: str
    key: str
    shown: str
    data: bytes | None
    mode: int
    before: str | None
    after: str | None = None
    folders: tuple[str, ...] = ()
    written: bool = False

    @property
    def now(self) -> str | None:
        """The digest that the file should have."""
        return self.after if self.written else self.before


class Journal:
    """Checkpoints in the order they were taken."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        self._kept: dict[str, _Kept] = {}
        self._bytes = 0

    def checkpoint(self, path: str) -> dict[str, Any]:
        """Keep what is at ``path``, and give the token that puts it back: JSON, telling what it stands for.

        Raises:
            WorkspaceViolation: the path may not be written.
            ToolFailedError: ``too_large``, the run has no room left for what is there.
        """
        with self._workspace.target(path) as target:
            data = target.read(MAX_KEPT_BYTES - self._bytes)
            before = None if data is None else digest_of(data)
            kept = _Kept(os.urandom(16).hex(), target.key, target.shown, data, target.mode, before)
        self._kept[kept.id] = kept
        self._bytes += len(data or b"")
        return {"id": kept.id, "path": kept.shown, "existed": data is not None, "digest": before}

    def wrote(self, written: Written) -> None:
        """The write that a checkpoint of the same file was taken for."""
        for kept in reversed(self._kept.values()):
            if kept.key == written.key:
                if not kept.written:
                    kept.after, kept.folders, kept.written = written.digest, written.folders, True
                return

    def restore(self, token: Any) -> None:
        """Put back what one checkpoint kept, and forget it.

        Raises:
            RollbackError: the token is not this run's, or the file is not as that call left it.
        """
        name = token.get("id") if isinstance(token, dict) else None
        kept = self._kept.get(name) if isinstance(name, str) else None
        if kept is None:
            raise RollbackError("no such checkpoint in this process; what it kept lived in the memory of its run")
        self._refuse_changed([kept])
        self._put_back(kept)
        self._forget([kept])

    def check_unchanged(self) -> None:
        """Raises RollbackError: a file is not as the run left it. It names them, and nothing was touched."""
        self._refuse_changed(list({kept.key: kept for kept in self._kept.values()}.values()))

    def rollback(self) -> list[str]:
        """Undo every write of the run that has a checkpoint, newest first; the paths that were put back.

        Raises:
            RollbackError: a file was changed by something else since; it names them, and nothing was touched.
        """
        self.check_unchanged()
        shown = {kept.shown for kept in self._kept.values()}
        for kept in reversed(list(self._kept.values())):
            self._put_back(kept)
        self._forget(list(self._kept.values()))
        return sorted(shown)

    def _refuse_changed(self, kept: list[_Kept]) -> None:
        changed = [k.shown for k in kept if self._digest(k) != k.now]
        if changed:
            named = ", ".join(map(repr, sorted(changed)[:20]))
            raise RollbackError(
                f"nothing was undone: {len(changed)} of the files were changed since the run wrote them: {named}; "
                "undo them by hand",
                reason="edit_stale",
            )

    def _digest(self, kept: _Kept) -> str | None:
        """What the file is now: None for nothing, a text that is no digest for something unreadable."""
        try:
            with self._workspace.target(kept.key) as target:
                data = target.read(1 << 40)
        except ToolFailedError as exc:
            return f"unreadable: {exc}"
        return None if data is None else digest_of(data)

    def _put_back(self, kept: _Kept) -> None:
        if not kept.written:
            return
        with self._workspace.target(kept.key) as target:
            _replace(target, kept)
        for folder in reversed(kept.folders):
            self._workspace.remove_empty_folder(folder)

    def _forget(self, kept: list[_Kept]) -> None:
        for one in kept:
            del self._kept[one.id]
            self._bytes -= len(one.data or b"")


def _replace(target: Target, kept: _Kept) -> None:
    if kept.data is not None:
        target.replace(kept.data, expected_digest=kept.after, mode=kept.mode)
    elif target.exists:
        with suppress(FileNotFoundError):
            target.remove()
