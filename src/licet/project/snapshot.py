"""Everything beside a ``licet.yaml`` that says what may run, read once: what is looked at is what is used.

The file itself, ``licet.lock``, and all that lies in ``config`` and ``skills``. Links and whatever else is no regular
file are refused: what they lead to changes without the snapshot changing.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..errors import ConfigurationError
from .lock import FILE as LOCK
from .lock import MOST_BYTES as MOST_LOCK_BYTES
from .place import quoted
from .yaml_file import MAX_BYTES

FOLDERS = ("config", "skills")

MOST_FILES = 10_000
"""In ``config`` and ``skills`` together."""

MOST_FILE_BYTES = 64 * 1024 * 1024
"""Of them together."""

_MOST_DEPTH = 32
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """``path`` is the configuration, with its folder's real path. ``digests`` is relative name -> ``sha256:...``."""

    path: Path
    content: bytes = field(repr=False)
    lock: bytes | None = field(repr=False)
    digests: Mapping[str, str] = field(repr=False)

    def read(self, name: str) -> bytes:
        """The bytes of a file in ``config`` or ``skills``, by its relative name, if they are those of the snapshot.

        Raises:
            ConfigurationError: it is none of the snapshot's, or was changed since.
        """
        wanted = self.digests.get(name)
        found: bytes | None = None
        if wanted is not None:
            folder = _opened(self.path.parent)
            try:
                found = _through(folder, name.split("/"), self.path.parent)
            finally:
                os.close(folder)
        if found is None or digest(found) != wanted:
            raise ConfigurationError(f"{self.path.parent / name}: it was changed since it was looked at; ask again")
        return found


def digest(content: bytes) -> str:
    """What a file is told by."""
    return f"sha256:{sha256(content).hexdigest()}"


def snapshot(path: Path) -> Snapshot:
    """What stands there now.

    Raises:
        ConfigurationError: there is no such file, or a part of it is a link, no regular file, or too large.
    """
    real = Path(os.path.realpath(os.path.dirname(os.path.abspath(path)))) / path.name
    folder = _opened(real.parent)
    try:
        content = _contents(folder, real.name, real, MAX_BYTES)
        if content is None:
            raise ConfigurationError(f"{real}: there is no such file; `licet init` writes one")
        lock = _contents(folder, LOCK, real.parent / LOCK, MOST_LOCK_BYTES)
        digests = {real.name: digest(content)}
        if lock is not None:
            digests[LOCK] = digest(lock)
        left = _Left()
        for name in FOLDERS:
            digests.update(_below(folder, name, real.parent / name, left, 0))
    except OSError as exc:
        raise ConfigurationError(f"{exc.filename or real}: it cannot be read: {exc.strerror}") from exc
    finally:
        os.close(folder)
    return Snapshot(path=real, content=content, lock=lock, digests=digests)


class _Left:
    files = MOST_FILES
    size = MOST_FILE_BYTES


def _below(parent: int, name: str, shown: Path, left: _Left, depth: int) -> Iterator[tuple[str, str]]:
    """Relative name and digest of each file in a folder; nothing where there is no folder."""
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        if stat.S_ISREG(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return  # a file of that name; nothing is looked for in it
        raise ConfigurationError(f"{_told(shown)}: it is a link; only a plain folder is trusted") from None
    try:
        for entry in sorted(os.listdir(folder)):
            below = shown / entry
            mode = os.stat(entry, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                if depth == _MOST_DEPTH:
                    raise ConfigurationError(f"{_told(below)}: more than {_MOST_DEPTH} folders inside one another")
                for inside, told in _below(folder, entry, below, left, depth + 1):
                    yield f"{name}/{inside}", told
                continue
            content = _contents(folder, entry, below, left.size)
            left.files -= 1
            left.size -= len(content or b"")
            if left.files < 0:
                raise ConfigurationError(f"{_told(shown)}: more than {MOST_FILES} files; move what is no configuration")
            if content is not None:
                yield f"{name}/{entry}", digest(content)
    finally:
        os.close(folder)


def _contents(folder: int, name: str, shown: Path, limit_bytes: int) -> bytes | None:
    """The bytes of a regular file in an open folder; None where there is none."""
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as exc:
        if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise ConfigurationError(f"{_told(shown)}: it cannot be read: {exc.strerror}") from exc
        raise ConfigurationError(f"{_told(shown)}: it is no regular file; only plain files are trusted") from None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ConfigurationError(f"{_told(shown)}: it is no regular file; only plain files are trusted")
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise ConfigurationError(
            f"{_told(shown)}: more than the {limit_bytes} bytes that it may have; use a smaller one"
        )
    return content


def _through(folder: int, names: list[str], shown: Path) -> bytes | None:
    """A file below an open folder, no link on the way."""
    if len(names) == 1:
        return _contents(folder, names[0], shown / names[0], MOST_FILE_BYTES)
    try:
        inner = os.open(names[0], _FOLDER, dir_fd=folder)
    except OSError:
        return None
    try:
        return _through(inner, names[1:], shown / names[0])
    finally:
        os.close(inner)


def _opened(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as exc:
        raise ConfigurationError(f"{_told(folder)}: the folder cannot be opened: {exc.strerror}") from exc


def _told(path: Path) -> str:
    text = str(path)
    return text if text.isprintable() else quoted(text)


__all__ = ["FOLDERS", "MOST_FILES", "MOST_FILE_BYTES", "Snapshot", "digest", "snapshot"]
