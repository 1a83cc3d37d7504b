"""Undoing writes from what was kept on disk: each file goes back in one step, and none before all are ready.

First every file is looked at, and one that something else changed refuses them all. Then every previous content is put
on the disk beside its file. Only then does the first file change, by a rename; what is left to do could hardly fail. A
process that dies in between leaves files that are wholly as they were before, or wholly as they are: ``resumed`` goes
on from there.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..errors import RollbackError, ToolError
from .blobs import Blobs
from .journal import digest_now
from .kept import Kept, Step, allowed
from .target import Staged
from .workspace import Workspace

MAX_NAMED = 20
"""Files that one refusal names."""


@dataclass(slots=True)
class _Return:
    """A file on its way back to what it was before the first of the writes."""

    first: Kept
    now: str | None
    staged: Staged | None = None

    @property
    def name(self) -> str:
        """What is staged has the same name again after a crash, so that nothing is left behind."""
        return f".{self.first.id}.tmp"


class Undo:
    """The way back of some files. ``files`` holds the steps of each, the one that was written last at the end.

    ``resumed`` says that an undo of these steps began before, and nobody knows how far it came.
    """

    def __init__(
        self, workspace: Workspace, blobs: Blobs, files: Sequence[Sequence[Step]], *, resumed: bool = False
    ) -> None:
        self._workspace = workspace
        self._blobs = blobs
        self._files = files
        self._resumed = resumed
        self._returns: list[_Return] = []

    def prepare(self) -> bool:
        """Check everything and make everything ready. False: every file is already as it was.

        Raises RollbackError: nothing was undone; a file was changed by something else, or what it held is not kept.
        """
        self._returns = self._checked()
        try:
            for one in self._returns:
                self._make_ready(one)
        except BaseException:
            self.discard()
            raise
        return bool(self._returns)

    def apply(self) -> list[str]:
        """Put every file back, newest first, then take away the folders that were made for them. Gives their paths.

        Raises RollbackError: it stopped half-way; it says where, and may be done again with ``resumed``.
        """
        done: list[str] = []
        try:
            for one in reversed(self._returns):
                try:
                    self._put_back(one)
                except (OSError, ToolError) as exc:
                    raise RollbackError(
                        f"stopped after {len(done)} of {len(self._returns)} files, at {one.first.key!r}: {_why(exc)}; "
                        "mend that, then do the same again: it goes on from there",
                        reason="stopped",
                    ) from exc
                done.append(one.first.key)
        finally:
            self.discard()
        self._remove_folders()
        return done

    def discard(self) -> None:
        """Take away what was made ready and not used."""
        for one in self._returns:
            with suppress(ToolError), self._workspace.target(one.first.key) as target:
                target.discard(one.name)

    def _checked(self) -> list[_Return]:
        returns: list[_Return] = []
        changed: list[str] = []
        for steps in self._files:
            first = steps[0].kept
            accepted = allowed(steps)
            if self._resumed and accepted:
                accepted |= {step.kept.before for step in steps}
            now = digest_now(self._workspace, first.key)
            if now not in accepted:
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
                target.discard(one.name)
                if not target.may_be_changed:
                    raise RollbackError("its folder may not be written by this process")
                if first.before is not None:
                    one.staged = target.stage(self._content(first), first.mode, one.name)
        except (OSError, ToolError) as exc:
            raise RollbackError(f"nothing was undone: {first.key!r} cannot be put back: {_why(exc)}") from exc

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
        """Deepest first, and only what is empty: of those that the writes found missing."""
        folders = {folder for steps in self._files for folder in steps[0].kept.missing}
        for folder in sorted(folders, key=lambda path: -path.count(os.sep)):
            self._workspace.remove_empty_folder(folder)


def _why(exc: OSError | ToolError) -> str:
    return str(exc) if isinstance(exc, ToolError) else os.strerror(exc.errno or 0)
