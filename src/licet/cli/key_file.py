"""Files of keys and checkpoints: where a key may lie, and how they are read and made."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..errors import ConfigurationError

T = TypeVar("T")

_MARKS = (".git", "licet.yaml")
"""What makes a folder a project: runs are given such folders as their roots."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def read_file(path: str, option: str, limit_bytes: int, parse: Callable[[bytes], T]) -> T:
    """What the file holds, parsed.

    Raises:
        ConfigurationError: it is larger, or ``parse`` refuses it.
        OSError: it cannot be read.
    """
    if not path or "\0" in path:
        raise ConfigurationError(f"{option} {path!r} names no file")
    with open(path, "rb") as file:
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ConfigurationError(f"{option} {path}: this is neither a key nor a checkpoint, but a larger file")
    try:
        return parse(data)
    except ConfigurationError as exc:
        raise ConfigurationError(f"{option} {path}: {exc}") from exc


def refuse_beside(ledger: Path, path: str, option: str) -> None:
    """Raises ConfigurationError: whoever can write the ledger could take this key, and sign what they made of it."""
    folder = os.path.dirname(os.path.realpath(ledger))
    if _inside(path, folder):
        raise ConfigurationError(
            f"{option} {path} lies in the ledger's folder {folder}, where it would prove nothing; keep it elsewhere"
        )


def refuse_within_reach(path: str, option: str, roots: Iterable[str]) -> None:
    """Raises ConfigurationError: a run that is given this project or root could read the key, or replace it."""
    for root in roots:
        if _inside(path, os.path.realpath(root)):
            raise ConfigurationError(f"{option} {path} lies inside --root {root}; keep it outside every root")
    project = _project(path)
    if project is not None:
        raise ConfigurationError(
            f"{option} {path} lies inside the project {project}, where a run may look; keep it elsewhere, such as in"
            " ~/.config/licet"
        )


def make_pair(private: tuple[str, bytes], public: tuple[str, bytes]) -> None:
    """Two new files, or none: 0600 for the first, 0644 for the second.

    Raises:
        ConfigurationError: one of them exists, or its folder does not. Nothing is overwritten.
    """
    _make(*private, mode=0o600, option="--key")
    try:
        _make(*public, mode=0o644, option="--public-key")
    except BaseException:
        os.unlink(private[0])
        raise


def _make(path: str, data: bytes, *, mode: int, option: str) -> None:
    try:
        handle = os.open(path, _NEW, mode)
    except FileExistsError:
        raise ConfigurationError(f"{option} {path} exists, and a key is never overwritten; name another file") from None
    except FileNotFoundError:
        raise ConfigurationError(f"{option} {path}: its folder does not exist; make it first") from None
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def _project(path: str) -> str | None:
    """The project that a path lies in: a folder with a mark, or the working directory unless it is above home."""
    real = os.path.realpath(path)
    above = [str(folder) for folder in Path(real).parents]
    marked = next((folder for folder in above if any(os.path.lexists(f"{folder}/{mark}") for mark in _MARKS)), None)
    here, home = os.path.realpath(os.getcwd()), os.path.realpath(os.path.expanduser("~"))
    if marked is None and here in above and not _inside(home, here):
        return here
    return marked


def _inside(path: str, folder: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), folder)) == folder


__all__ = ["make_pair", "read_file", "refuse_beside", "refuse_within_reach"]
