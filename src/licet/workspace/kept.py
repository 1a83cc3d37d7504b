"""What is known of one file before one call, as a token that another process can read."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

_ID_LENGTH = 32


class Kept(NamedTuple):
    """A file before a call wrote it.

    ``key`` is its one absolute name and ``root`` the folder that it was found in; ``before`` is its digest, None for no
    file, and ``mode`` its permission bits. ``folders`` counts the folders above it that did not exist. ``after`` is the
    digest that the call was about to write, None if that was not known. ``blob`` is the digest under which its content
    is kept on disk, None if it is not.
    """

    id: str
    root: str
    key: str
    shown: str
    before: str | None
    mode: int
    folders: int
    after: str | None
    blob: str | None

    def token(self) -> dict[str, Any]:
        """JSON that holds no content."""
        return {
            "after": self.after,
            "blob": self.blob,
            "digest": self.before,
            "existed": self.before is not None,
            "file": _told(self.key),
            "folders": self.folders,
            "id": self.id,
            "kind": "file",  # and not the token of a tool of yours
            "mode": self.mode,
            "path": self.shown,
            "root": _told(self.root),
        }

    @classmethod
    def of(cls, token: Any) -> "Kept | None":
        """What a token tells; None for the token of anything else."""
        match token:
            case {
                "after": None | str() as after,
                "blob": None | str() as blob,
                "digest": None | str() as before,
                "file": file,
                "folders": int() as folders,
                "id": str() as name,
                "kind": "file",
                "mode": int() as mode,
                "path": str() as shown,
                "root": folder,
            }:
                key, root = _path(file), _path(folder)
                sound = _is_id(name) and 0 <= mode <= 0o777
                if key and root and sound and 0 <= folders < key.count("/"):
                    return cls(name, root, key, shown, before, mode, folders, after, blob)
        return None

    @property
    def missing(self) -> list[str]:
        """The folders that did not exist, innermost first."""
        found, folder = [], self.key
        for _ in range(self.folders):
            folder = os.path.dirname(folder)
            found.append(folder)
        return found


class Step(NamedTuple):
    """What one call made of a file. ``after`` is the digest that it wrote, or, unless it certainly ``wrote``, may have
    written; None if it wrote nothing, or nobody knows what. ``undoing`` tells that somebody began to undo it, and that
    nobody knows whether they came so far.
    """

    kept: Kept
    wrote: bool
    after: str | None
    undoing: bool = False


def new_id() -> str:
    """What names a checkpoint; no two are the same."""
    return os.urandom(_ID_LENGTH // 2).hex()


def allowed(steps: Sequence[Step]) -> set[str | None]:
    """The digests that a file may have after these steps, if nothing else changed it; empty if something else did."""
    now = {steps[0].kept.before}
    for step in steps:
        if step.kept.before not in now:
            return set()
        before, now = now, set() if step.wrote else {step.kept.before}
        if step.after is not None:
            now.add(step.after)
        if step.undoing:
            now |= before
    return now


def _is_id(name: str) -> bool:
    return len(name) == _ID_LENGTH and set(name) <= set("0123456789abcdef")


def _told(path: str) -> str | dict[str, str]:
    """A path as JSON can hold it: text, or for a name that is no UTF-8 its bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return {"hex": os.fsencode(path).hex()}
    return path


def _path(told: Any) -> str | None:
    try:
        path = told if isinstance(told, str) else os.fsdecode(bytes.fromhex(told["hex"]))
    except (KeyError, TypeError, ValueError):
        return None
    return path if path.startswith("/") and "\0" not in path else None
