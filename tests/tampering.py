"""Changes of a ledger's file, as by somebody who knows about the triggers and can hash."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from chained import A_STORY, completed, draft, linked, requested
from licet.ledger.call import call_of
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft

STORY = (*A_STORY, requested("c5"), completed("c5"), draft("pin.first_use", run="", tool="acme/git.log"))
LAST = len(STORY)


def written(path: Path, drafts: Sequence[Draft] = STORY) -> Path:
    """A ledger's file with these entries at its end."""
    with closing(SqliteLedger(path)) as ledger:
        for each in drafts:
            ledger.append(each, durable=False)
    return path


def tamper(path: Path, *statements: str, change: Callable[[sqlite3.Connection], None] | None = None) -> None:
    """Change the file behind the triggers' back, and put them there again: the schema looks as if nothing was."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            raw.execute(statement)
        if change is not None:
            change(raw)
        for _, sql in triggers:
            raw.execute(sql)


def rewrite_from(path: Path, seq: int, *drafts: Draft) -> None:
    """Put other entries from ``seq`` on, hashed as they must be."""
    kept = linked(*STORY[: seq - 1], *drafts)[seq - 1 :]

    def forge(raw: sqlite3.Connection) -> None:
        raw.execute("DELETE FROM entry WHERE seq >= ?", (seq,))
        for e in kept:
            raw.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    e.seq,
                    e.run_id,
                    e.kind,
                    e.actor,
                    e.body.decode(),
                    e.trace.decode(),
                    e.digest,
                    e.head,
                    call_of(e.kind, e.body.decode()),
                ),
            )

    tamper(path, change=forge)


COLUMNS = {
    "seq": "UPDATE entry SET seq = seq + 1000 WHERE seq = {seq}",
    "seq of zero": "UPDATE entry SET seq = 0 WHERE seq = {seq}",
    "run_id": "UPDATE entry SET run_id = run_id || 'x' WHERE seq = {seq}",
    "kind": "UPDATE entry SET kind = 'tool.failed' WHERE seq = {seq}",
    "kind, which would be found nowhere": "UPDATE entry SET kind = kind || 'x' WHERE seq = {seq}",
    "actor": "UPDATE entry SET actor = 'nobody' WHERE seq = {seq}",
    "body": "UPDATE entry SET body = replace(body, '\"', ' \"') WHERE seq = {seq}",
    "trace": "UPDATE entry SET trace = '{{\"at_us\":2}}' WHERE seq = {seq}",
    "digest": "UPDATE entry SET digest = zeroblob(32) WHERE seq = {seq}",
    "digest, cut": "UPDATE entry SET digest = substr(digest, 1, 31) WHERE seq = {seq}",
    "head": "UPDATE entry SET head = zeroblob(32) WHERE seq = {seq}",
    "head, longer": "UPDATE entry SET head = CAST(head || X'00' AS BLOB) WHERE seq = {seq}",
    "call": "UPDATE entry SET call = coalesce(call, '') || 'x' WHERE seq = {seq}",
    "all of it": "DELETE FROM entry WHERE seq = {seq}",
}
"""A change of each column of an entry, and of all of it. ``{seq}`` says of which."""
