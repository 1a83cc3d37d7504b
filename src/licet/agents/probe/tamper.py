"""Flips one byte in a copy of a ledger, past every trigger, and asks ``verify`` for it."""

import mmap
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import LedgerUnavailableError
from ...ledger.call import REFUSED
from ...ledger.file import uri_of
from ...ledger.verify import Verification, verify_file
from ...model.entry import Entry


class Flip(NamedTuple):
    """``whole`` is the copy as it was, ``broken`` the same with one other bit in entry ``seq``, ``offset`` bytes in."""

    seq: int
    offset: int
    whole: Verification
    broken: Verification

    @property
    def found(self) -> bool:
        """Whether the copy was sound, and verification names exactly the entry that was changed."""
        return self.whole.ok and not self.broken.ok and self.broken.seq == self.seq

    def document(self, ledger: Path, runs: Sequence[str]) -> dict[str, Any]:
        """What it shows, for a JSON document."""
        return {
            "ledger": {
                "file": str(ledger),
                "runs": list(runs),
                "entries": self.whole.count,
                "head": self.whole.head.hex(),
                "ok": self.whole.ok,
                "problem": self.whole.problem,
            },
            "flipped": {
                "seq": self.seq,
                "offset": self.offset,
                "found": self.found,
                "found_at": self.broken.seq,
                "problem": self.broken.problem,
            },
        }


def flip_one_byte(ledger: Path, entries: Sequence[Entry], folder: Path) -> Flip:
    """Copy the ledger into ``folder``, change one byte in one of ``entries``, and verify before and after.

    A refusal is preferred. Where there is no entry at all nothing is changed, and so nothing is found.

    Raises:
        LedgerUnavailableError: the ledger cannot be read.
    """
    copy = folder / "copy.licet"
    _copy(ledger, copy)
    whole = verify_file(copy)
    chosen = [entry for entry in entries if entry.kind in REFUSED] or entries
    if not chosen:
        return Flip(0, 0, whole, whole)
    entry = min(chosen, key=lambda one: len(one.body))  # the shortest stands on one page, in one piece
    offset = _flip(copy, entry.body)
    return Flip(entry.seq, offset, whole, verify_file(copy))


def _copy(ledger: Path, copy: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(uri_of(ledger, mode="ro"), uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as exc:
        raise LedgerUnavailableError(f"the ledger {ledger} cannot be copied: {exc}") from exc


def _flip(path: Path, body: bytes) -> int:
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        start = content.find(body)
        if start < 0:
            raise LedgerUnavailableError(f"the entry to change does not stand in the file {path.name}")
        offset = start + len(body) // 2
        content[offset] ^= 1
        content.flush()
    return offset
