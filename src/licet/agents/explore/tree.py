"""The shape of a project, from its files' paths alone."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

MAP_DEPTH = 2


class Branch(NamedTuple):
    """A folder of the map. ``depth`` counts from 1; ``files`` is of everything below."""

    path: str
    depth: int
    files: int


class _Node:
    __slots__ = ("below", "direct", "files")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.direct = 0
        self.files = 0


def folders_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """The names in each folder; the project's own is ``.``."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        found[folder or "."].append(name)
    return dict(found)


def branches(folders: dict[str, list[str]]) -> list[Branch]:
    """The map, sorted by path: a folder that holds nothing but one folder is one with it, as in ``src/main/java``."""
    top = _Node()
    for folder, names in folders.items():
        node = top
        node.files += len(names)
        for part in folder.split("/") if folder != "." else ():
            node = node.below.setdefault(part, _Node())
            node.files += len(names)
        node.direct += len(names)
    found: list[Branch] = []
    _collect(top, "", 1, found)
    return sorted(found)


def _collect(node: _Node, prefix: str, depth: int, found: list[Branch]) -> None:
    if depth > MAP_DEPTH:
        return
    for name, child in node.below.items():
        path, inner = prefix + name, child
        while not inner.direct and len(inner.below) == 1:
            ((only, inner),) = inner.below.items()
            path = f"{path}/{only}"
        found.append(Branch(path, depth, child.files))
        _collect(inner, path + "/", depth + 1, found)
