"""The durable ledger against what the disk and SQLite can do at all, on the same file system in the same run.

Rates are entries a second, each acknowledged when it is on stable storage. The limits: one write and fdatasync after
the other; one SQLite transaction after the other; and a plain table that takes 256 rows a transaction.
"""

import asyncio
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from bench.measure import Gate
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file
from licet.model.entry import Draft

MODULE = "bench.ledger"
PACKAGES = ("licet",)
UNIT = "us an entry"
GATES = (
    Gate("32 awaiters / a seventh of one write and fdatasync", "32 awaiters", "fdatasync / 7", 1, 7 / 12),
    Gate("512 awaiters / 256 rows a transaction / 0.45", "512 awaiters", "batch of 256 / 0.45", 1, 0.45 / 0.65),
    Gate("one awaiter, p50 / one SQLite FULL commit, p50", "one awaiter, p50", "one commit, p50", 2.5, 1.5),
    Gate("verify / a hash-only scan / 0.45", "verify", "hash-only scan / 0.45", 1, 0.45 / 0.6),
)
RUN = "r0123456789abcdef-%d"
BODY = b'{"arguments":{"a":1,"b":2,"label":"%b"},"call":"%b.%%d","tool":"local/add"}' % (b"x" * 370, RUN.encode())
TRACE = b'{"at_us":1700000000000000,"tool":"local/add"}'  # about 512 bytes with the body, as in the limits
A_BODY = BODY % (10, 10)


def drafts(many: int, first: int = 0) -> Iterator[Draft]:
    """So many intents of calls, 64 a run, with the ids that runs give them; made beforehand, as the limits' rows."""
    places = [divmod(number, 64) for number in range(first, first + many)]
    return iter([Draft(RUN % run, "tool.requested", "bench", BODY % (run, call), TRACE) for run, call in places])


def per_entry(work: Callable[[], int]) -> float:
    started = time.perf_counter()
    entries = work()
    return (time.perf_counter() - started) / entries * 1e6


def fdatasync(path: Path, times: int) -> int:
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for _ in range(times):
        os.write(handle, A_BODY + b"h" * 32)
        os.fdatasync(handle)
    os.close(handle)
    return times


def plain(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS e(seq INTEGER PRIMARY KEY, body TEXT, head BLOB)")
    return connection


def commits(path: Path, times: int) -> float:
    connection, took = plain(path), []
    for _ in range(times):
        started = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO e(body, head) VALUES (?, ?)", (A_BODY.decode(), b"h" * 32))
        connection.execute("COMMIT")
        took.append((time.perf_counter() - started) * 1e6)
    connection.close()
    return statistics.median(took)


def batches(path: Path, times: int) -> int:
    connection, rows = plain(path), [(A_BODY.decode(), b"h" * 32)] * 256
    for _ in range(times):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO e(body, head) VALUES (?, ?)", rows)
        connection.execute("COMMIT")
    connection.close()
    return times * 256


def awaiters(ledger: SqliteLedger, many: int, entries: Iterator[Draft]) -> int:
    """So many tasks that append and await one entry after the other, until there are no more."""
    written = 0

    async def one() -> None:
        nonlocal written
        for entry in entries:
            receipt = ledger.append(entry, durable=True)
            assert receipt is not None
            await receipt
            written += 1

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(many)))

    asyncio.run(all_of_them())
    return written


def alone(ledger: SqliteLedger, entries: Iterator[Draft]) -> float:
    took: list[float] = []

    async def one() -> None:
        for entry in entries:
            started = time.perf_counter()
            receipt = ledger.append(entry, durable=True)
            assert receipt is not None
            await receipt
            took.append((time.perf_counter() - started) * 1e6)

    asyncio.run(one())
    return statistics.median(took)


def scan(path: Path) -> int:
    """Every entry's bytes read, and hashed twice as its digest and its head are, with nothing compared."""
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    head, count = b"", 0
    for _, run, kind, actor, body, trace, _, _ in connection.execute(
        "SELECT seq, run_id, kind, actor, body, trace, digest, head FROM entry ORDER BY seq"
    ):
        digest = sha256(b"".join((kind, actor, body))).digest()
        head = sha256(b"".join((head, run, digest, trace))).digest()
        count += 1
    connection.close()
    return count


def main(rounds: int) -> None:
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for number in range(rounds):
            here = Path(folder) / str(number)
            here.mkdir()
            one_sync = per_entry(lambda here=here: fdatasync(here / "log", 400))  # type: ignore[misc]
            note("fdatasync / 7", one_sync / 7)
            note("batch of 256 / 0.45", per_entry(lambda here=here: batches(here / "b.db", 60)) / 0.45)  # type: ignore[misc]
            note("one commit, p50", commits(here / "c.db", 300))
            with closing(SqliteLedger(here / "ledger.db")) as ledger:
                one, some, many = drafts(300), drafts(32 * 60, 1_000), drafts(512 * 24, 10_000)
                note("one awaiter, p50", alone(ledger, one))
                note("32 awaiters", per_entry(lambda ledger=ledger, some=some: awaiters(ledger, 32, some)))  # type: ignore[misc]
                note("512 awaiters", per_entry(lambda ledger=ledger, many=many: awaiters(ledger, 512, many)))  # type: ignore[misc]
            note("hash-only scan / 0.45", per_entry(lambda here=here: scan(here / "ledger.db")) / 0.45)  # type: ignore[misc]
            note("verify", per_entry(lambda here=here: verify_file(here / "ledger.db").count))  # type: ignore[misc]
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
