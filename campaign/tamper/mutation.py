"""One change to a ledger's file, made by somebody who can write it and knows how it is made."""

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from campaign.tamper.victim import Victim, lay_out
from licet.ledger.call import call_of
from licet.ledger.chain import START, Place, digest_of, linked
from licet.ledger.table import Meta
from licet.model.entry import Draft, Entry

ENTRY_COLUMNS = ("seq", "run_id", "kind", "actor", "body", "trace", "digest", "head", "call")
META_COLUMNS = ("format", "ledger_id", "created_us", "digest")
BLOBS = {"digest", "head", "ledger_id"}


class Change(NamedTuple):
    """``hidden``: a chain alone may not show it. ``kept``: how many entries are as they were, where that is known."""

    told: str
    hidden: bool = False
    kept: int | None = None


Mutation: TypeAlias = Callable[[Path, Victim, random.Random], Change]


# --- single values and rows, past the triggers ---


@contextmanager
def past_the_triggers(path: Path) -> Iterator[sqlite3.Connection]:
    """The schema looks afterwards as if nothing had been."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA synchronous = OFF")
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        raw.execute("BEGIN")
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        yield raw
        for _, sql in triggers:
            raw.execute(sql)
        raw.execute("COMMIT")


def flip_in_entry(path: Path, victim: Victim, chance: random.Random) -> Change:
    seq = chance.randint(1, len(victim.entries))
    return flip_in_column(path, victim, chance, column=chance.choice(ENTRY_COLUMNS), seq=seq)


def flip_in_column(path: Path, victim: Victim, chance: random.Random, *, column: str, seq: int) -> Change:
    with past_the_triggers(path) as raw:
        raw.text_factory = bytes
        value = raw.execute(f"SELECT {column} FROM entry WHERE seq = ?", (seq,)).fetchone()[0]
        while True:
            other = _flipped(value, chance)
            taken = column == "seq" and raw.execute("SELECT 1 FROM entry WHERE seq = ?", (other,)).fetchone()
            if not taken:
                break
        raw.execute(f"UPDATE entry SET {column} = {_placeholder(column)} WHERE seq = ?", (other, seq))
    return Change(f"a bit of {column} of entry {seq}")


def flip_in_meta(path: Path, victim: Victim, chance: random.Random) -> Change:
    column = chance.choice(META_COLUMNS)
    with past_the_triggers(path) as raw:
        value = raw.execute(f"SELECT {column} FROM meta").fetchone()[0]
        raw.execute(f"UPDATE meta SET {column} = ?", (_flipped(value, chance),))
    return Change(f"a bit of {column} in meta")


def forge_meta(path: Path, victim: Victim, chance: random.Random) -> Change:
    """With the digest that belongs to it."""
    with past_the_triggers(path) as raw:
        meta = Meta(*raw.execute("SELECT format, ledger_id, created_us FROM meta").fetchone())
        column = chance.choice(("ledger_id", "created_us"))
        meta = meta._replace(**{column: _flipped(getattr(meta, column), chance)})
        raw.execute("UPDATE meta SET ledger_id = ?, created_us = ?, digest = ?", (*meta[1:], meta.digest()))
    return Change(f"another {column} in meta, with its digest", hidden=True)


def copy_a_value(path: Path, victim: Victim, chance: random.Random) -> Change:
    column = chance.choice(ENTRY_COLUMNS[1:])
    one, other = chance.sample(range(1, len(victim.entries) + 1), 2)
    with past_the_triggers(path) as raw:
        raw.execute(
            f"UPDATE entry SET {column} = (SELECT {column} FROM entry WHERE seq = ?) WHERE seq = ?", (one, other)
        )
    return Change(f"{column} of entry {one} put into entry {other}")


def delete(path: Path, victim: Victim, chance: random.Random) -> Change:
    """Of one entry or a few in a row, but not of the end."""
    first = chance.randint(1, len(victim.entries) - 1)
    last = min(first + chance.choice((0, 0, 1, 5)), len(victim.entries) - 1)
    with past_the_triggers(path) as raw:
        raw.execute("DELETE FROM entry WHERE seq BETWEEN ? AND ?", (first, last))
        if closed := chance.random() < 0.5:
            raw.execute("UPDATE entry SET seq = seq - ? WHERE seq > ?", (last - first + 1, last))
    return Change(f"entries {first} to {last} deleted{', the gap closed' if closed else ''}")


def swap(path: Path, victim: Victim, chance: random.Random) -> Change:
    one, other = chance.sample(range(1, len(victim.entries) + 1), 2)
    columns = ENTRY_COLUMNS[1:] if chance.random() < 0.7 else (chance.choice(ENTRY_COLUMNS[1:]),)
    names = ", ".join(columns)
    with past_the_triggers(path) as raw:
        raw.execute(f"CREATE TEMP TABLE held AS SELECT seq, {names} FROM entry WHERE seq IN (?, ?)", (one, other))
        for to, source in ((one, other), (other, one)):
            raw.execute(
                f"UPDATE entry SET ({names}) = (SELECT {names} FROM held WHERE seq = ?) WHERE seq = ?", (source, to)
            )
    return Change(f"{names} of entries {one} and {other} swapped")


def insert(path: Path, victim: Victim, chance: random.Random) -> Change:
    """A copy of an entry, at any place; what follows moves on by one number."""
    source, at = chance.randint(1, len(victim.entries)), chance.randint(1, len(victim.entries) + 1)
    names = ", ".join(ENTRY_COLUMNS[1:])
    with past_the_triggers(path) as raw:
        raw.execute(f"CREATE TEMP TABLE held AS SELECT {names} FROM entry WHERE seq = ?", (source,))
        raw.execute("UPDATE entry SET seq = -seq WHERE seq >= ?", (at,))
        raw.execute("UPDATE entry SET seq = 1 - seq WHERE seq < 0")
        raw.execute(f"INSERT INTO entry(seq, {names}) SELECT ?, {names} FROM held", (at,))
    return Change(f"entry {source} inserted once more as entry {at}")


def replace(path: Path, victim: Victim, chance: random.Random) -> Change:
    """REPLACE of an entry by another that is hashed as it must be, but for what follows."""
    seq = chance.randint(1, len(victim.entries) - 1)
    before = _place(victim, seq - 1)
    entry = next(_linked(before, [_another(victim.entries[seq - 1], chance)]))
    with past_the_triggers(path) as raw:
        raw.execute(f"REPLACE INTO entry VALUES ({', '.join('?' * 9)})", _row(entry))
    return Change(f"entry {seq} replaced by another with its own hashes")


# --- what a chain alone does not show ---


def rehash(path: Path, victim: Victim, chance: random.Random) -> Change:
    """One entry is another, and all that follow are hashed anew."""
    seq = chance.randint(1, len(victim.entries))
    drafts = [_draft(entry) for entry in victim.entries[seq - 1 :]]
    drafts[0] = _another(victim.entries[seq - 1], chance)
    _put(path, _linked(_place(victim, seq - 1), drafts), seq)
    return Change(f"entry {seq} changed, the tail hashed anew", hidden=True, kept=seq - 1)


def take_out(path: Path, victim: Victim, chance: random.Random) -> Change:
    """One entry is gone, and all that follow are numbered and hashed anew."""
    seq = chance.randint(1, len(victim.entries))
    _put(path, _linked(_place(victim, seq - 1), [_draft(entry) for entry in victim.entries[seq:]]), seq)
    return Change(f"entry {seq} taken out, the tail hashed anew", hidden=True, kept=seq - 1)


def truncate(path: Path, victim: Victim, chance: random.Random) -> Change:
    kept = chance.choice((0, len(victim.entries) - 1, chance.randrange(len(victim.entries))))
    with past_the_triggers(path) as raw:
        raw.execute("DELETE FROM entry WHERE seq > ?", (kept,))
    return Change(f"truncated to {kept} entries", hidden=True, kept=kept)


def roll_back(path: Path, victim: Victim, chance: random.Random) -> Change:
    """With the log that there is now, or with the one that there was."""
    backup = chance.choice(victim.backups)
    if "-wal" in victim.files and chance.random() < 0.5:
        lay_out({**victim.files, **backup.files}, path.parent)
        return Change(f"the file of {backup.size} entries put back under the log", hidden=True)
    lay_out(backup.files, path.parent)
    return Change(f"the copy of {backup.size} entries put back", hidden=True, kept=backup.size)


def rewrite(path: Path, victim: Victim, chance: random.Random) -> Change:
    """Everything anew, under the ledger's own id."""
    drafts = [_another(entry, chance) for entry in victim.entries]
    _put(path, _linked(START, drafts), 1)
    return Change("rewritten as a whole", hidden=True, kept=0)


# --- the file itself ---


def flip_in_file(path: Path, victim: Victim, chance: random.Random) -> Change:
    file = _some_file(path, chance)
    content = bytearray(file.read_bytes())
    at = chance.randrange(len(content))
    content[at] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    return Change(f"a bit at {at} of {file.name}", hidden=True)


def flip_in_header(path: Path, victim: Victim, chance: random.Random) -> Change:
    content = bytearray(path.read_bytes())
    at = chance.randrange(100)
    content[at] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return Change(f"a bit at {at} of {path.name}, in its header", hidden=True)


def cut_file(path: Path, victim: Victim, chance: random.Random) -> Change:
    file = _some_file(path, chance)
    content = file.read_bytes()
    kept = chance.randrange(len(content))
    file.write_bytes(content[:kept])
    return Change(f"{file.name} cut to {kept} bytes", hidden=True)


def move_pages(path: Path, victim: Victim, chance: random.Random) -> Change:
    """One page of the file holds what another held, or nothing, or both are swapped."""
    content = bytearray(path.read_bytes())
    one, other = (page * 4096 for page in chance.sample(range(len(content) // 4096), 2))
    first, second = bytes(content[one : one + 4096]), bytes(content[other : other + 4096])
    how = chance.choice(("copied", "swapped", "emptied"))
    content[one : one + 4096] = bytes(4096) if how == "emptied" else second
    if how == "swapped":
        content[other : other + 4096] = first
    path.write_bytes(content)
    return Change(f"pages {one // 4096} and {other // 4096} of {path.name} {how}", hidden=True)


def change_schema(path: Path, victim: Victim, chance: random.Random) -> Change:
    statement = chance.choice(
        (
            "DROP TRIGGER entry_kept",
            "DROP TRIGGER entry_unchanged",
            "DROP TRIGGER entry_in_order",
            "DROP TRIGGER meta_alone",
            "DROP INDEX entry_by_call",
            "DROP INDEX entry_by_run",
            "CREATE TABLE more(x)",
            "CREATE VIEW more AS SELECT 1",
            "CREATE TRIGGER more AFTER INSERT ON entry BEGIN SELECT 1; END",
            "ALTER TABLE entry ADD COLUMN more TEXT",
            "ALTER TABLE entry RENAME COLUMN call TO named",
            "ALTER TABLE meta RENAME TO other",
        )
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute(statement)
    return Change(statement)


def hide_from_index(path: Path, victim: Victim, chance: random.Random) -> Change:
    """An index that leaves an entry out, under the definition of one that does not."""
    index, column = chance.choice((("entry_by_call", "call"), ("entry_by_run", "run_id")))
    named = [e.seq for e in victim.entries if column == "run_id" or call_of(e.kind, e.body.decode()) is not None]
    seq = chance.choice(named)
    with past_the_triggers(path) as raw:
        honest = raw.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)).fetchone()[0]
        raw.execute(f"DROP INDEX {index}")
        raw.execute(f"{honest} {'AND' if ' WHERE ' in honest else 'WHERE'} seq <> {seq}")
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (honest, index))
    return Change(f"entry {seq} left out of {index}")


MUTATIONS: dict[Mutation, int] = {
    flip_in_entry: 30,
    flip_in_meta: 4,
    forge_meta: 2,
    copy_a_value: 6,
    delete: 6,
    swap: 6,
    insert: 6,
    replace: 6,
    rehash: 5,
    take_out: 3,
    truncate: 4,
    roll_back: 3,
    rewrite: 2,
    flip_in_file: 12,
    flip_in_header: 2,
    cut_file: 3,
    move_pages: 3,
    change_schema: 2,
    hide_from_index: 2,
}
"""How often each is chosen, in relation to the others."""


def _some_file(path: Path, chance: random.Random) -> Path:
    log = path.with_name(f"{path.name}-wal")
    return log if log.exists() and chance.random() < 0.6 else path


def _flipped(value: Any, chance: random.Random) -> Any:
    """The value with one other bit; what is not there is there."""
    if value is None:
        return b"c1"
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(50)
    changed = bytearray(value) or bytearray(1)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _placeholder(column: str) -> str:
    return "?" if column in BLOBS or column == "seq" else "CAST(? AS TEXT)"


def _draft(entry: Entry) -> Draft:
    return Draft(*entry[1:6])


def _another(entry: Entry, chance: random.Random) -> Draft:
    """The same with something else in it."""
    draft = _draft(entry)
    how = chance.randrange(4)
    if how == 0:
        return draft._replace(actor="mallory")
    if how == 1:
        return draft._replace(body=draft.body.replace(b'"pad":"', b'"pad":"0'))
    if how == 2:
        return draft._replace(trace=b'{"at_us":1}')
    return draft._replace(kind="tool.failed" if draft.kind != "tool.failed" else "tool.completed")


def _place(victim: Victim, seq: int) -> Place:
    return Place(seq, victim.entries[seq - 1].head) if seq else START


def _linked(place: Place, drafts: Sequence[Draft]) -> Iterator[Entry]:
    return (Entry(*fields) for fields in linked(place, drafts))


def _put(path: Path, entries: Iterator[Entry], first: int) -> None:
    with past_the_triggers(path) as raw:
        raw.execute("DELETE FROM entry WHERE seq >= ?", (first,))
        raw.executemany(f"INSERT INTO entry VALUES ({', '.join('?' * 9)})", map(_row, entries))


def _row(entry: Entry) -> tuple[Any, ...]:
    body, trace = entry.body.decode(), entry.trace.decode()
    assert entry.digest == digest_of(entry.kind, entry.actor, entry.body)
    call = call_of(entry.kind, body)
    return (entry.seq, entry.run_id, entry.kind, entry.actor, body, trace, entry.digest, entry.head, call)


__all__ = ["ENTRY_COLUMNS", "MUTATIONS", "Change", "Mutation", "flip_in_column", "hide_from_index", "past_the_triggers"]
