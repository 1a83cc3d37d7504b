"""A folder for files that nobody needs on a disk: what is simulated is no more true for being synced."""

import os
import tempfile

_MEMORY = "/dev/shm"


def scratch() -> "tempfile.TemporaryDirectory[str]":
    """In memory where there is a file system for that."""
    return tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)


__all__ = ["scratch"]
