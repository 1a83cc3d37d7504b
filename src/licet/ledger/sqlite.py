"""The ledger of a machine: one SQLite file that several processes may share.

Needs SQLite 3.37 or newer. Reading goes through connections that cannot write.
"""

import atexit
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import LedgerUnavailableError
from ..model.entry import CallRecord, Draft, Entry
from . import file, fork
from .batch import Batch
from .call import NOTHING, call_of, record_of
from .chain import digest_of
from .committer import Committer
from .run import RunSummary, summarise
from .table import ENTRY_COLUMNS, FIND, UNKNOWN, Connect, Connection, last_place
from .writer import Line, Linked, Writer


class SqliteLedger:
    """Opens the ledger at ``path``, or begins one there; its folder is made if only that is missing.

    Several processes may append to one file; one object serves all threads and loops of a process. The first error of
    the file is final for the object: everything later is refused until the ledger is opened again. Entries in line are
    written before the process ends, unless it is killed.

    ``connect`` opens an SQLite URI. ``busy_s`` is how long a writer waits for another process, twice.

    Raises LedgerUnavailableError: from here and from every method, with the reason and the path.
    """

    def __init__(self, path: str | PathLike[str], *, connect: Connect | None = None, busy_s: float = 5.0) -> None:
        self.path = Path(path).absolute()
        self._connect = connect or file.connect
        self._busy_s = busy_s
        self._closed = False
        self._read_lock = Lock()
        with file.unavailable(self.path), ExitStack() as undo:
            file.create(self.path, self._connect)
            fork.check(file.check(self.path))
            writing, meta = file.open_writer(self.path, self._connect, busy_s)
            undo.callback(writing.close)
            self.id = meta.id
            self._writer = Writer(self.path, writing)
            self._reader = self._open_reader()
            undo.callback(self._reader.close)
            name = f"licet ledger {self.path.name}"
            self._committer: Committer[Line, Linked] = Committer(self._writer.link, self._writer.write, name)
            undo.pop_all()
        self._connections: list[Any] = [writing, self._reader]
        fork.watch(self)
        atexit.register(self.close)

    def append(self, draft: Draft, /, *, durable: bool) -> Batch[Line] | None:
        """Give the entry its place in line.

        Gives something to await, or to ``wait`` for in a thread, if ``durable`` or if more than 8192 entries or 64 MiB
        are in line. It ends when the entry is on stable storage.
        """
        run_id, kind, actor, body, trace = draft
        try:
            run_id.encode()
            line = (run_id, kind, actor, body.decode(), trace.decode(), digest_of(kind, actor, body), trace)
        except UnicodeError as exc:
            raise LedgerUnavailableError(f"an entry needs text in UTF-8: {exc} (kind {kind!r})") from exc
        return self._committer.put(line, len(body) + len(trace), wait=durable)

    def find(self, call_id: str, /) -> CallRecord:
        """What is known of a call id. What is in line for it is written first."""
        try:
            call_id.encode()
        except UnicodeEncodeError:  # no entry can hold such an id
            return NOTHING
        # An id of plain characters stands in its bodies as it is; others may be escaped there in several ways.
        plain = call_id.isascii() and call_id.replace("-", "").replace("_", "").isalnum()
        for _, kind, _, body, *_ in self._committer.in_line():
            if (not plain or call_id in body) and call_of(kind, body) == call_id:
                self._committer.flush()
                break
        with file.unavailable(self.path), self._read_lock:
            rows = self._reader.execute(FIND, (call_id, call_id)).fetchall()
        return record_of(map(_entry, rows))

    def entries(self, run_id: str | None = None, /) -> Iterator[Entry]:
        """Entries in order, of one run or all, read while you go: as many as there are now."""
        self._committer.flush()
        if run_id is None:
            return map(_entry, self._stream(f"SELECT {ENTRY_COLUMNS} FROM entry ORDER BY seq"))
        return map(_entry, self._stream(f"SELECT {ENTRY_COLUMNS} FROM entry WHERE run_id = ? ORDER BY seq", run_id))

    def runs(self) -> list[RunSummary]:
        """The runs on the ledger, oldest first."""
        self._committer.flush()
        rows = self._stream("SELECT run_id, kind, actor, call, trace FROM entry ORDER BY seq")
        return summarise((*names, trace.encode()) for *names, trace in rows)

    def unknown(self, run_id: str | None = None, /) -> tuple[Entry, ...]:
        """The beginnings of calls that have no end: under way, or of an effect that nobody knows."""
        self._committer.flush()
        found = map(_entry, self._stream(UNKNOWN))
        return tuple(entry for entry in found if run_id in (None, entry.run_id))

    @property
    def head(self) -> bytes:
        """The last digest of the chain, other processes' entries included."""
        self._committer.flush()
        with file.unavailable(self.path), self._read_lock:
            return last_place(self._reader).head

    def flush(self) -> None:
        """Wait until everything in line is on stable storage. Blocks the thread, a loop's too."""
        self._committer.flush()

    def close(self) -> None:
        """Write what is in line and let go of the file; the last one out folds the write-ahead log into it.

        Twice is fine. Raises LedgerUnavailableError: what was in line could not be written.
        """
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        try:
            self._committer.close(f"the ledger {self.path} was closed: open it again")
        finally:
            with self._read_lock:
                self._reader.close()
            self._writer.close()
            fork.unwatch(self)

    def refuse_after_fork(self, refusal: str) -> list[Any]:
        """Refuse everything in the child of a fork. Gives the connections, which must not be closed there."""
        self._closed = True
        self._read_lock = Lock()
        self._committer.refuse_after_fork(refusal)
        return self._connections

    def _open_reader(self) -> Connection:
        return file.open_reader(self.path, self._connect, self._busy_s)

    def _stream(self, sql: str, *values: Any) -> Iterator[Any]:
        """Rows one by one, from a connection of their own: a slow reader holds nobody up."""
        with file.unavailable(self.path), closing(self._open_reader()) as connection:
            yield from connection.execute(sql, values)


def _entry(row: Iterable[Any]) -> Entry:
    seq, run_id, kind, actor, body, trace, digest, head = row
    return Entry(seq, run_id, kind, actor, body.encode(), trace.encode(), digest, head)


__all__ = ["SqliteLedger"]
