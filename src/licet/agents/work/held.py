"""One process at a time works on a run: a lock beside the ledger, which ends with its holder, however that ends."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from ...ledger.beside import lock_of
from ...ports import Ledger
from ..workflow import NotAppliedError


@contextmanager
def held(ledger: Ledger, run_id: str) -> Iterator[None]:
    """Work on a run until the end of the block. A ledger that is no file needs no lock: no other process sees it.

    Raises:
        NotAppliedError: ``under_way``, another process works on it.
        OSError: the lock's file cannot be made.
    """
    path = getattr(ledger, "path", None)
    if path is None:
        yield
        return
    handle = os.open(lock_of(path), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(run_id))
        except BlockingIOError:
            told = f"another process works on the run {run_id}; wait until it ends"
            raise NotAppliedError("under_way", told) from None
        yield
    finally:
        os.close(handle)


def _place(run_id: str) -> int:
    """Each run has a byte of its own in the file, which stays empty."""
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:6], "big")


__all__ = ["held"]
