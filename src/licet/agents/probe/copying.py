"""A bounded copy of a project. What is read is only ever read: the project stays as it is, byte for byte."""

import os
import stat
from collections import deque
from pathlib import Path
from typing import NamedTuple

LIMIT_ENTRIES = 1_000
LIMIT_BYTES = 10 * 1024 * 1024

LEFT_OUT = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox", "target"})
"""Folders that hold history or what tools made: large, and no attack needs them. A ``.git/config`` is planted later."""

_BLOCK = 1 << 20


class Copied(NamedTuple):
    """``cut``: a limit was reached. ``skipped`` counts what could not be read, and what is neither file nor folder.

    Links are among them: one that a stranger put there would lead what is written to the copy out of it.
    """

    files: int
    size_bytes: int
    cut: bool
    skipped: int


def copy_tree(
    source: Path, target: Path, *, but: str = "", limit_entries: int = LIMIT_ENTRIES, limit_bytes: int = LIMIT_BYTES
) -> Copied:
    """Copy what is near the top first, never through a link. A folder of the name ``but`` is left out.

    Raises:
        OSError: the source itself cannot be listed, or the target cannot be written.
    """
    with os.scandir(source):
        pass
    target.mkdir(mode=0o700)
    files = size = entries = skipped = 0
    cut = False
    waiting = deque([(source, target)])
    while waiting:
        folder, into = waiting.popleft()
        for entry in _sorted(folder):
            name = entry.name
            if name in LEFT_OUT or name == but:
                continue
            if entries >= limit_entries:
                return Copied(files, size, True, skipped)
            entries += 1
            if entry.is_dir(follow_symlinks=False):
                (into / name).mkdir(mode=0o700)
                waiting.append((folder / name, into / name))
            else:
                taken = _copy_file(entry.path, into / name, limit_bytes - size)
                if taken is None:
                    skipped += 1
                elif taken < 0:
                    cut = True
                else:
                    files += 1
                    size += taken
    return Copied(files, size, cut, skipped)


def _sorted(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _copy_file(source: str, target: Path, limit_bytes: int) -> int | None:
    """Bytes copied. None: it is no regular file or cannot be read. -1: it is larger than what is left."""
    try:
        reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(reading, "rb", buffering=0) as data:
        status = os.fstat(reading)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > limit_bytes:
            return -1
        copied = 0
        with open(target, "xb", buffering=0) as writing:
            while copied < limit_bytes:
                try:
                    block = data.read(min(_BLOCK, limit_bytes - copied))
                except OSError:
                    return None
                if not block:
                    break
                writing.write(block)
                copied += len(block)
    return copied
