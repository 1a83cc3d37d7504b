"""What is protected by where it stands or what it is, not by how it is spelled: this needs a look at the disk."""

import os
from collections.abc import Sequence

from ..policy.protected import CONFIGURATION, PROJECT_FOLDERS, PROTECTED, fold
from .root import Root
from .walk import Place

_POLICY = "it is part of licet's own configuration"


class ProjectFolders:
    """Told each name of a path as it is followed; remembers one that stands beside a ``licet.yaml``."""

    def __init__(self) -> None:
        self.found = ""

    def __call__(self, folder: int, name: str) -> None:
        if fold(name) in PROJECT_FOLDERS and exists(folder, CONFIGURATION):
            self.found = _POLICY


def exists(folder: int, name: str) -> bool:
    """Whether a folder holds this name, a link to nothing included."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def why_same_as_protected(root: Root, place: Place) -> str:
    """Why a place is refused though its names are harmless: a protected name of the root leads to it, or above it.

    ``licet.yaml`` may be a link to ``conf/main.yaml``; then that file is the configuration under another name.
    """
    own = _identities(root, [*PROTECTED, *(PROJECT_FOLDERS if exists(root.handle, CONFIGURATION) else ())])
    way = {_identity(os.fstat(handle)) for handle in place.handles[1:]}
    if place.status is not None:
        way.add(_identity(place.status))
    return next((PROTECTED.get(name, _POLICY) for identity, name in own.items() if identity in way), "")


def below_any(path: str, folders: Sequence[str]) -> bool:
    """Whether an absolute path is one of these or below one, whatever the case of its letters."""
    folded = path.casefold() + "/"
    return any(folded.startswith(folder.casefold().rstrip("/") + "/") for folder in folders)


def _identities(root: Root, names: Sequence[str]) -> dict[tuple[int, int], str]:
    found = {}
    for name in names:
        try:
            found[_identity(os.stat(name, dir_fd=root.handle))] = name
        except OSError:
            continue
    return found


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
