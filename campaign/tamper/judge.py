"""Whether verification noticed, and whether there was something to notice."""

import sqlite3
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from campaign.tamper.mutation import Change
from campaign.tamper.victim import Victim, read
from licet.errors import LedgerUnavailableError
from licet.ledger.checkpoint import Checkpoint, Comparison, sign, verify_against
from licet.ledger.file import connect
from licet.ledger.keys import raw
from licet.ledger.table import Connection
from licet.ledger.verify import Verification

NAMED = ("missing at the end", "older copy", "made anew")
"""What a bare chain must say that it does not exclude."""


class Verdict(NamedTuple):
    """``word``: ``chain`` noticed, or only the ``checkpoint`` did; ``harmless``: what the ledger says is unchanged."""

    word: str
    finding: str | None = None


class Judge:
    """Holds the operator's key, and another one that anybody may have."""

    def __init__(self) -> None:
        self.key = Ed25519PrivateKey.generate()
        self._public = self.key.public_key()
        self._stranger = Ed25519PrivateKey.generate()
        self._connect: Callable[[str], Connection] = connect

    def over(self, connect: Callable[[str], Connection]) -> "Judge":
        """The same, looking through other connections."""
        other = copy(self)
        other._connect = connect
        return other

    def judge(self, path: Path, victim: Victim, change: Change) -> Verdict:
        try:
            seen = self._against(path, victim.latest)
        except LedgerUnavailableError:
            return Verdict("chain")
        if seen.ok:
            return self._unnoticed(path, victim)
        if not seen.found.ok:
            return Verdict("chain")
        if not change.hidden:
            return Verdict("checkpoint", f"the chain alone should have shown it, not the checkpoint: {seen.problem}")
        if not all(word in seen.found.text and word in seen.excluded for word in NAMED):
            return Verdict("checkpoint", "without a checkpoint it is not named as not excluded")
        return Verdict("checkpoint", self._forged(path, seen.found) or self._earlier(path, victim, change))

    def _against(self, path: Path, checkpoint: Checkpoint) -> Comparison:
        return verify_against(path, checkpoint, self._public, connect=self._connect)

    def _unnoticed(self, path: Path, victim: Victim) -> Verdict:
        try:
            same = read(path) == victim.content
        except sqlite3.Error as exc:
            return Verdict("missed", f"it cannot be read ({exc}), and was called sound")
        return Verdict("harmless") if same else Verdict("missed", "it says something else, and was called sound")

    def _forged(self, path: Path, found: Verification) -> str | None:
        """A checkpoint of the changed ledger under another key, with and without the operator's key written on it."""
        forged = sign(found, self._stranger)
        for checkpoint in (forged, replace(forged, public_key=raw(self._public)), replace(forged, public_key=None)):
            if self._against(path, checkpoint).ok:
                return "a checkpoint that a stranger signed was believed"
        return None

    def _earlier(self, path: Path, victim: Victim, change: Change) -> str | None:
        """An earlier checkpoint vouches for what it saw, and says that it does for nothing else."""
        if change.kept is None:
            return None
        seen, size = self._against(path, victim.earlier), victim.earlier.size
        if seen.ok != (change.kept >= size):
            return f"the checkpoint of {size} entries says {seen.ok}: {seen.problem}"
        if seen.ok and not ("Not excluded" in seen.excluded and "after that entry" in seen.excluded):
            return "the earlier checkpoint does not say what it does not exclude"
        return None


__all__ = ["NAMED", "Judge", "Verdict"]
