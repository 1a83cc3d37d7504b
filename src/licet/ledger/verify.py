"""Is this chain whole? Reads everything, believes nothing, changes nothing.

A chain shows that no entry was changed, taken out, put in or moved, as long as not everything after it was made anew.
It cannot show by itself that its end is still there, or that it is not an older copy, or a new chain altogether: for
that its head must be compared with one that was kept elsewhere, and every result says so. ``checkpoint`` compares it
with one that was signed.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import tee
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import ChainBrokenError, LedgerUnavailableError
from ..model.entry import Entry
from . import file, fork
from .call import AN_END, AN_INTENT, CALL_KINDS, REQUESTED, call_of
from .chain import START, Fields, Place, linked
from .table import ENTRY_COLUMNS, Connect, read_meta

NOT_EXCLUDED = (
    "Not excluded: that entries are missing at the end, that this is an older copy, or that the chain was made anew."
    " To exclude that, compare the head with one that was kept elsewhere, or verify it against a checkpoint that was."
)

Row = Sequence[Any]
"""The eight columns of an entry and a ninth that repeats the call id. Their types are to be found out."""

_NOT_REPEATED = object()
_an_intent = re.compile(AN_INTENT.encode(), re.DOTALL).fullmatch
_an_end = re.compile(AN_END.encode()).match
_DRAFT = itemgetter(slice(1, 6))
_AS_BYTES = ENTRY_COLUMNS.replace("body, trace", "CAST(body AS BLOB), CAST(trace AS BLOB)")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found. ``count`` entries are sound, ``head`` is the digest of the last of them.

    ``problem`` says what is wrong with the entry ``seq``, where reading ended; both are None if ``ok``. ``unknown`` are
    the calls that have a beginning and no end: they are under way, or nobody knows what they did. ``ledger`` is the id
    of the file, empty where entries came from none; ``marked`` is the head after the entry that was asked for, None if
    the sound entries do not reach it.
    """

    count: int
    head: bytes
    ok: bool
    problem: str | None
    seq: int | None
    unknown: tuple[str, ...]
    ledger: bytes = b""
    marked: bytes | None = None

    @property
    def text(self) -> str:
        """The result in words for a person, with what it does not prove."""
        sound = f"{self.count} entries are sound, head {self.head.hex()}."
        found = sound if self.ok else f"Broken at entry {self.seq}: {self.problem}. Before it {sound}"
        begun = f" Calls without an end: {', '.join(map(ascii, self.unknown))}." if self.unknown else ""
        return f"{found}{begun} {NOT_EXCLUDED}"


def verify(entries: Iterable[Entry], *, start: Place = START, mark: int | None = None) -> Verification:
    """Check the entries that follow ``start``: numbers without gaps, digests, the chain."""
    return _walk(((*entry, _NOT_REPEATED) for entry in entries), start, mark)


def verify_file(
    path: str | PathLike[str], *, mark: int | None = None, connect: Connect | None = None, busy_s: float = 5.0
) -> Verification:
    """Check a ledger's file: every column of every entry, the chain, the meta, and the indexes that ``find`` trusts.

    The file is opened for reading only; what stands in its write-ahead log counts. A damaged entry is a result.
    ``mark`` asks for the head after one entry.

    Raises LedgerUnavailableError: it is no ledger, or it cannot be read.
    """
    from concurrent.futures import ThreadPoolExecutor

    path, connect = Path(path).absolute(), connect or file.connect
    with file.unavailable(path):
        fork.check(file.check(path))
        with closing(file.open_reader(path, connect, busy_s, mode="ro")) as connection, ThreadPoolExecutor(1) as beside:
            connection.execute("BEGIN")  # one view of the file, whatever is appended meanwhile
            meta = read_meta(connection)
            looking = beside.submit(_damage, path, connect, busy_s)
            rows = connection.execute(f"SELECT {_AS_BYTES}, call FROM entry ORDER BY seq")
            found = replace(_walk(rows, START, mark), ledger=meta.id)
            if not found.ok:
                return found
            damage = looking.result()
    if damage != "ok":
        return replace(found, ok=False, problem=f"the file is damaged: {damage}", seq=found.count)
    return found


def _damage(path: Path, connect: Connect, busy_s: float) -> str:
    """What SQLite finds: types that a cast hides, and indexes that leave an entry out. It needs no interpreter's lock,
    so this costs no time where there is a second processor.
    """
    with closing(file.open_reader(path, connect, busy_s, mode="ro")) as connection:
        return str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])


def _walk(rows: Iterable[Row], start: Place, mark: int | None) -> Verification:
    place, last = start.seq, start.head
    marked = last if place == mark else None
    begun: dict[str, None] = {}
    problem = None
    rows, read = tee(rows)
    try:
        # The chain as it must be, made anew from what the entries say, beside what they are.
        for made, row in zip(linked(start, map(_DRAFT, read)), rows, strict=True):
            seq, _, kind, _, body, trace, digest, head, repeated = row
            if head != made[7] or digest != made[6] or seq != made[0]:
                raise ChainBrokenError(_difference(made, row))
            call_id = repeated
            if kind not in CALL_KINDS or not _says(body, kind, repeated):
                call_id = call_of(kind, body.decode())
                if call_id != repeated and repeated is not _NOT_REPEATED:
                    raise ChainBrokenError("its column for the call id is not what its body says")
            if not (body.isascii() and trace.isascii()):
                body.decode()
                trace.decode()
            place, last = seq, head
            if seq == mark:
                marked = head
            if call_id is None:
                continue
            if kind == REQUESTED:
                begun[call_id] = None
            else:
                begun.pop(call_id, None)
    except ChainBrokenError as exc:
        problem = str(exc)
    except LedgerUnavailableError:
        raise
    except Exception as exc:  # another type than a column must have, text that is not UTF-8, a page that is no SQLite
        problem = f"it cannot be read: {exc}"
    ok = problem is None
    failed = None if ok else place + 1
    return Verification(place - start.seq, last, ok, problem, failed, tuple(begun), marked=marked)


def _difference(made: Fields, row: Row) -> str:
    if made[0] != row[0]:
        return f"its number is {row[0]}"
    if made[6] != row[6]:
        return "its kind, actor or body is not what its digest says"
    return "its run, trace or head does not follow from the entry before it"


def _says(body: bytes, kind: str, call_id: Any) -> bool:
    """Whether the body of an entry of a call plainly names this call: without a parser, as most do."""
    plainly = _an_intent(body) if kind == REQUESTED else _an_end(body)
    return plainly is not None and type(call_id) is str and plainly[1] == call_id.encode()


__all__ = ["NOT_EXCLUDED", "Verification", "verify", "verify_file"]
