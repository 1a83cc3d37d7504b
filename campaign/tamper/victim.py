"""The ledgers that are tampered with: their files as bytes, what was kept of them outside, and what they say."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from licet.ledger.checkpoint import Checkpoint, sign
from licet.ledger.file import uri_of
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file
from licet.model.entry import Draft, Entry

NAME = "ledger.db"

Files = dict[str, bytes]
"""Of a ledger, by what follows its name: nothing, or ``-wal``."""

Content = tuple[Any, ...]


class Backup(NamedTuple):
    """An older copy, and how many entries it holds."""

    files: Files
    size: int


class Victim(NamedTuple):
    """``latest`` was signed when the ledger had all its entries, ``earlier`` when it had some of them."""

    name: str
    files: Files
    entries: list[Entry]
    content: Content
    latest: Checkpoint
    earlier: Checkpoint
    backups: list[Backup]

    def lay_out(self, folder: Path) -> Path:
        return lay_out(self.files, folder)


def lay_out(files: Files, folder: Path) -> Path:
    """Write the files of a ledger, in place of whatever is there."""
    for old in folder.glob(f"{NAME}*"):
        old.unlink()
    for suffix, content in files.items():
        (folder / f"{NAME}{suffix}").write_bytes(content)
    return folder / NAME


def victims(chance: random.Random, folder: Path, key: Ed25519PrivateKey) -> list[Victim]:
    """Small and large, closed, and with entries that stand in the write-ahead log."""
    kinds = (("small", 9, 60, True), ("middle", 60, 200, True), ("large", 160, 9000, True), ("open", 40, 300, False))
    made = []
    for name, entries, body_bytes, is_closed in kinds:
        (folder / name).mkdir()
        made.append(_victim(name, list(_drafts(chance, entries, body_bytes)), is_closed, chance, folder / name, key))
    return made


def _victim(
    name: str, drafts: list[Draft], is_closed: bool, chance: random.Random, folder: Path, key: Ed25519PrivateKey
) -> Victim:
    path = folder / NAME
    sizes = sorted(chance.sample(range(1, len(drafts)), 3))
    backups: list[Backup] = []
    earlier: Checkpoint | None = None
    ledger = SqliteLedger(path)
    for number, draft in enumerate(drafts, 1):
        ledger.append(draft, durable=False)
        if number in sizes:
            ledger.close()
            backups.append(Backup(_files(path), number))
            earlier = sign(verify_file(path), key)
            ledger = SqliteLedger(path)
    ledger.flush()
    entries = list(ledger.entries())
    if is_closed:
        ledger.close()
    files = _files(path)
    latest = sign(verify_file(path), key)
    content = read(path)
    ledger.close()
    assert earlier is not None
    return Victim(name, files, entries, content, latest, earlier, backups)


def _drafts(chance: random.Random, many: int, body_bytes: int) -> Iterator[Draft]:
    for number in range(many):
        call = number // 2
        kind = chance.choice(("tool.completed", "tool.failed")) if number % 2 else "tool.requested"
        if chance.random() < 0.15:
            kind = "pin.first_use"
        pad = chance.randbytes(chance.randrange(body_bytes) // 2).hex()
        actor = chance.choice(("alice", "bob", "käthe"))
        body = f'{{"call":"c{call}","pad":"{pad}"}}'
        trace = f'{{"at_us":{1_700_000_000_000_000 + number}}}'
        yield Draft(f"run-{call // 5}", kind, actor, body.encode(), trace.encode())


def _files(path: Path) -> Files:
    names = {suffix: path.with_name(path.name + suffix) for suffix in ("", "-wal")}
    return {suffix: file.read_bytes() for suffix, file in names.items() if file.exists()}


def read(path: Path) -> Content:
    """Everything that a ledger's file says, through its tables and through its indexes, with the types of SQLite.

    Raises sqlite3.Error: it cannot be read.
    """
    with closing(sqlite3.connect(uri_of(path, mode="rw"), uri=True, isolation_level=None)) as raw:
        raw.text_factory = bytes
        raw.execute("PRAGMA query_only = ON")
        return tuple(tuple(raw.execute(question).fetchall()) for question in _QUESTIONS)


def _typed(columns: str) -> str:
    return ", ".join(f"typeof({column}), {column}" for column in columns.split())


_QUESTIONS = (
    f"SELECT {_typed('seq run_id kind actor body trace digest head call')} FROM entry NOT INDEXED ORDER BY seq",
    f"SELECT {_typed('format ledger_id created_us digest')} FROM meta",
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
    "SELECT call, kind, seq FROM entry INDEXED BY entry_by_call WHERE call IS NOT NULL ORDER BY call, kind, seq",
    "SELECT run_id, seq FROM entry INDEXED BY entry_by_run WHERE run_id >= '' ORDER BY run_id, seq",
)


__all__ = ["NAME", "Backup", "Content", "Files", "Victim", "lay_out", "read", "victims"]
