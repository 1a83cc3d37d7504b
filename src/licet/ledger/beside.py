"""What lies beside a ledger's file and belongs to it: no tool may open any of it."""

from os import PathLike, fspath


def blobs_of(path: str | PathLike[str]) -> str:
    """The folder of what was replaced by the writes that stand on this ledger."""
    return f"{fspath(path)}.blobs"


def lock_of(path: str | PathLike[str]) -> str:
    """The file that those lock who work on a run of this ledger."""
    return f"{fspath(path)}.lock"


def files_of(path: str | PathLike[str]) -> tuple[str, ...]:
    """The ledger itself, SQLite's own files, the lock of its runs, and the folder of blobs."""
    return (*(f"{fspath(path)}{end}" for end in ("", "-wal", "-shm", "-journal")), lock_of(path), blobs_of(path))


__all__ = ["blobs_of", "files_of", "lock_of"]
