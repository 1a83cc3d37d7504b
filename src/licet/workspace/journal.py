"""What the run's writes replaced, so that one call or the whole run can be undone.

Previous contents stay in memory, and with ``blobs`` on disk instead: then the tokens on the ledger are enough for
another process to undo the run, once this one is gone.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import RollbackError, ToolError, ToolFailedError
from .blobs import Blobs
from .content import digest_of
from .failure import too_large
from .kept import Kept, Step, allowed, new_id
from .target import Target, Written

if TYPE_CHECKING:
    from .workspace import Workspace

MAX_KEPT_BYTES = 64 * 1024 * 1024
"""Previous content that one run keeps, in memory or on disk; a write beyond it is refused."""

_MAX_NAMED = 20


@dataclass(slots=True)
class _Held:
    """A file before one call, and what the call made of it. ``data`` is None where there was no file, or a blob is."""

    kept: Kept
    data: bytes | None
    size: int
    written: str | None = None
    """The digest that the call wrote, None until it did."""
    folders: tuple[str, ...] = ()
    """The folders that it made, outermost first."""

    @property
    def step(self) -> Step:
        return Step(self.kept, self.written is not None, self.written)


class Journal:
    """Checkpoints in the order they were taken. Safe to share between threads."""

    def __init__(self, workspace: "Workspace", blobs: Blobs | None = None) -> None:
        self._workspace = workspace
        self._blobs = blobs
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._bytes = 0

    def checkpoint(self, path: str, becomes: Callable[[bytes], bytes] | None = None) -> dict[str, Any]:
        """Keep what is at ``path``, and give the token that puts it back: JSON, telling what it stands for.

        ``becomes`` makes what the call is about to write of what is there; so a crash in the middle of the write can be
        told from a change by somebody else. With blobs, what is kept is on stable storage when this returns.

        Raises:
            WorkspaceViolation: the path may not be written.
            ToolFailedError: ``too_large``, the run has no room left for what is there; ``not_kept``, the disk has none.
        """
        with self._workspace.target(path) as target:
            data = target.read(MAX_KEPT_BYTES - self._bytes)
            kept = Kept(
                id=new_id(),
                root=target.root,
                key=target.key,
                shown=target.shown,
                before=None if data is None else digest_of(data),
                mode=target.mode,
                folders=target.missing_folders,
                after=None,
                blob=None,
            )
        size = len(data or b"")
        with self._lock:
            if self._bytes + size > MAX_KEPT_BYTES:  # another thread took the room meanwhile
                raise too_large(kept.shown, MAX_KEPT_BYTES, "this run can keep no more previous content")
            self._bytes += size
        if becomes is not None:
            with suppress(ToolError):  # the call itself will say why
                kept = kept._replace(after=digest_of(becomes(data or b"")))
        if self._blobs is not None and data is not None:
            kept, data = kept._replace(blob=self._put(data, kept.shown)), None
        with self._lock:
            self._held[kept.id] = _Held(kept, data, size)
        return kept.token()

    def wrote(self, written: Written) -> None:
        """The write that a checkpoint of the same file was taken for."""
        with self._lock:
            for held in reversed(self._held.values()):
                if held.kept.key == written.key:
                    if held.written is None:
                        held.written, held.folders = written.digest, written.folders
                    return

    def restore(self, token: Any) -> None:
        """Put back what one checkpoint kept, and forget it.

        Raises:
            RollbackError: the token is not this run's, or the file is not as that call left it.
        """
        name = token.get("id") if isinstance(token, dict) else None
        held = self._held.get(name) if isinstance(name, str) else None
        if held is None:
            raise RollbackError("no such checkpoint in this run; licet rollback undoes the runs of other processes")
        self._refuse_changed([[held]])
        self._put_back(held)
        self._forget([held])

    def check_unchanged(self) -> None:
        """Raises RollbackError: a file is not as the run left it. It names them, and nothing was touched."""
        by_file: dict[str, list[_Held]] = {}
        with self._lock:
            for held in self._held.values():
                by_file.setdefault(held.kept.key, []).append(held)
        self._refuse_changed(list(by_file.values()))

    def rollback(self) -> list[str]:
        """Undo every write of the run that has a checkpoint, newest first; the paths that were put back.

        Raises:
            RollbackError: a file was changed by something else since; it names them, and nothing was touched.
        """
        self.check_unchanged()
        everything = list(self._held.values())
        for held in reversed(everything):
            self._put_back(held)
        self._forget(everything)
        return sorted({held.kept.shown for held in everything})

    def _put(self, data: bytes, shown: str) -> str:
        assert self._blobs is not None
        try:
            return self._blobs.put(data)
        except OSError as exc:  # where that is, is the operator's to know
            problem = f"what {shown!r} holds cannot be kept for an undo: {os.strerror(exc.errno or 0)}"
            raise ToolFailedError(f"{problem}; nothing was written", reason="not_kept") from exc

    def _refuse_changed(self, files: list[list[_Held]]) -> None:
        changed = [
            steps[0].kept.shown
            for steps in files
            if digest_now(self._workspace, steps[0].kept.key) not in allowed([held.step for held in steps])
        ]
        if changed:
            named = ", ".join(map(repr, sorted(changed)[:_MAX_NAMED]))
            raise RollbackError(
                f"nothing was undone: {len(changed)} of the files were changed since the run wrote them: {named}; "
                "undo them by hand",
                reason="edit_stale",
            )

    def _put_back(self, held: _Held) -> None:
        kept = held.kept
        if held.written is None:
            return
        data = held.data if kept.blob is None or self._blobs is None else self._blobs.get(kept.blob)
        with self._workspace.target(kept.key) as target:
            _replace(target, held, data)
        for folder in reversed(held.folders):
            self._workspace.remove_empty_folder(folder)

    def _forget(self, forgotten: list[_Held]) -> None:
        with self._lock:
            for held in forgotten:
                del self._held[held.kept.id]
                if held.kept.blob is None:  # on disk it stays
                    self._bytes -= held.size


def digest_now(workspace: "Workspace", path: str) -> str | None:
    """What a file is now: None for nothing, a text that is no digest for something that cannot be read."""
    try:
        with workspace.target(path) as target:
            if target.key != path:
                return "unreadable: it leads elsewhere"
            data = target.read(1 << 40)
    except ToolError as exc:
        return f"unreadable: {exc}"
    return None if data is None else digest_of(data)


def _replace(target: Target, held: _Held, data: bytes | None) -> None:
    if data is not None:
        target.replace(data, expected_digest=held.written, mode=held.kept.mode)
    elif target.exists:
        with suppress(FileNotFoundError):
            target.remove()
