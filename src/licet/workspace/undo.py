"""Undoing writes from what was kept on disk: each file goes back in one step, and none before all are ready.

First every file is looked at, and one that something else changed refuses them all. Then every previous content is put
on the disk beside its file. Only then does the first file change, by a rename; what is left to do could hardly fail. A
process that dies in between leaves each file wholly as it was before the writes, or wholly as they left it, and the
same undo, done again, goes on from there.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import RollbackError, ToolError
from .blobs import Blobs
from .journal import digest_now
from .kept import Kept, Step, allowed
from .target import Staged
from .workspace import Workspace

MAX_NAMED = 20
"""Files that one refusal names."""


class Returned(NamedTuple):
    """A file that is again as it was: ``existed`` or gone."""

    path: str
    existed: bool


@dataclass(slots=True)
class _Return:
    """A file on its way back to what it was before the first of its writes."""

    first: Kept
    now: str | None
    staged: Staged | None = None


class Undo:
    """The way back of some files. ``files`` holds the steps of each, the one that was written last at the end."""

    def __init__(self, workspace: Workspace, blobs: Blobs, files: Sequence[Sequence[Step]]) -> None:
        self._workspace = workspace
        self._blobs = blobs
        self._files = files
        self._returns: list[_Return] = []

    def prepare(self) -> bool:
        """Check everything and make everything ready. False: every file is already as it was.

        Raises RollbackError: nothing was undone; a file was changed by something else, or what it held is not kept.
        """
        try:
            self._returns = self._checked()
            for one in self._returns:
                self._make_ready(one)
        except BaseException:
            self.discard()
            raise
        return bool(self._returns)

    def apply(self) -> list[Returned]:
        """Put every file back, newest first, then take away the folders that were made for them.

        Raises RollbackError: it ``stopped`` half-way; it says where, and may be done again.
        """
        done: list[Returned] = []
        try:
            for one in reversed(self._returns):
                try:
                    self._put_back(one)
                except ToolError as exc:
                    raise RollbackError(
                        f"stopped after {len(done)} of {len(self._returns)} files, at {one.first.key!r}: {exc}; "
                        "mend that, then do the same again: it goes on from there",
                        reason="stopped",
                    ) from exc
                done.append(Returned(one.first.key, one.first.before is not None))
        finally:
            self.discard()
        self._remove_folders()
        return done

    def discard(self) -> None:
        """Take away what was made ready and not used, by an undo that crashed too."""
        for steps in self._files:
            first = steps[0].kept
            with suppress(ToolError), self._workspace.target(first.key) as target:
                target.discard(_name(first))

    def _checked(self) -> list[_Return]:
        returns: list[_Return] = []
        changed: list[str] = []
        for steps in self._files:
            first = steps[0].kept
            now = digest_now(self._workspace, first.key)
            if now not in allowed(steps):
                why = f" ({now})" if now is not None and now.startswith("unreadable") else ""
                changed.append(f"{first.key!r}{why}")
            elif now != first.before:
                returns.append(_Return(first, now))
        if changed:
            raise RollbackError(
                f"nothing was undone: {len(changed)} of {len(self._files)} files are not as the run left them: "
                f"{', '.join(sorted(changed)[:MAX_NAMED])}; undo those by hand",
                reason="edit_stale",
            )
        return returns

    def _make_ready(self, one: _Return) -> None:
        first = one.first
        try:
            with self._workspace.target(first.key) as target:
                target.discard(_name(first))
                if not target.may_be_changed:
                    raise RollbackError("its folder may not be written by this process")
                if first.before is not None:
                    one.staged = target.stage(self._content(first), first.mode, _name(first))
        except ToolError as exc:
            raise RollbackError(f"nothing was undone: {first.key!r} cannot be put back: {exc}") from exc

    def _content(self, kept: Kept) -> bytes:
        if kept.blob is None or kept.blob != kept.before:
            raise RollbackError("what it held was kept in the memory of its process")
        return self._blobs.get(kept.blob)

    def _put_back(self, one: _Return) -> None:
        with self._workspace.target(one.first.key) as target:
            if one.staged is None:
                target.remove(expected_digest=one.now)
            else:
                target.adopt(one.staged, expected_digest=one.now)
            target.sync()

    def _remove_folders(self) -> None:
        """Deepest first, and only what is empty: of those that were missing before a file which is undone."""
        undone = [one.first for one in self._returns]
        undone += [steps[0].kept for steps in self._files if steps[-1].undoing]  # by an undo that crashed
        folders = {folder for first in undone for folder in first.missing}
        for folder in sorted(folders, key=lambda path: -path.count(os.sep)):
            self._workspace.remove_empty_folder(folder)


def _name(kept: Kept) -> str:
    """What is staged has the same name again after a crash, so that nothing is left behind."""
    return f".{kept.id}.tmp"
