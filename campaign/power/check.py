"""What must be true of a ledger that was found on a disk, whatever happened to the disk."""

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from campaign.power.disk import Acknowledged, Disk, Sync, SyncFolder, Write
from campaign.power.story import FILE
from licet.errors import LicetError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file
from licet.model.entry import Draft, Entry

AFTERWARDS = Draft("later", "tool.requested", "somebody", b'{"call":"afterwards"}', b"{}")

WAL_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
WAL_FRAME_BYTES = 24


def problem_with(path: Path, acknowledged: Collection[Draft], given: Collection[Draft]) -> str | None:
    """None: everything acknowledged is there, as it was given, in a whole chain that can be continued.

    Read with the standard library's SQLite and no simulation. What was not acknowledged may be there or not.
    """
    if not path.exists():
        return f"LOST: the ledger is gone, with {len(acknowledged)} acknowledged entries" if acknowledged else None
    try:
        found = verify_file(path)
        if not found.ok:
            return f"BROKEN: {found.problem} (entry {found.seq})"
        with closing(SqliteLedger(path)) as ledger:
            held = [_as_draft(entry) for entry in ledger.entries()]
            there = set(held)
            lost = [draft for draft in acknowledged if draft not in there]
            if lost:
                return f"LOST: {len(lost)} of {len(acknowledged)} acknowledged entries"
            if len(there) != len(held) or not there.issubset(given):
                return "BROKEN: it holds entries that nobody gave to it, or one of them twice"
            receipt = ledger.append(AFTERWARDS, durable=True)
            assert receipt is not None
            receipt.wait()
        found = verify_file(path)
    except LicetError as exc:
        return f"UNREADABLE: {exc}"
    if not found.ok or found.count != len(held) + 1:
        return f"BROKEN: after one more entry: {found.problem} ({found.count} entries)"
    return None


def _as_draft(entry: Entry) -> Draft:
    return Draft(entry.run_id, entry.kind, entry.actor, entry.body, entry.trace)


def untested(disk: Disk, *, synced: bool = True) -> str | None:
    """Why this log proves nothing about a write-ahead log: it has none, or its commits are not synced.

    A simulation that quietly falls back to a rollback journal loses nothing either, and shows nothing.
    """
    wal, journal = f"{FILE}-wal", f"{FILE}-journal"
    frames = headers = syncs = acknowledged = 0
    unsynced_frames = False
    for operation in disk.log:
        match operation:
            case Write(file, offset, data) if disk.file_names[file] == wal:
                headers += offset == 0 and data[:4] in WAL_MAGIC
                frames += offset > 0 and len(data) == WAL_FRAME_BYTES
                unsynced_frames = True
            case Write(file) if disk.file_names[file] == journal:
                return "it has a rollback journal"
            case Sync(file) if disk.file_names[file] == wal:
                syncs += 1
                unsynced_frames = False
            case Acknowledged():
                acknowledged += 1
                if synced and unsynced_frames:
                    return "frames of an acknowledged entry were not synced"
    if not any(isinstance(operation, SyncFolder) for operation in disk.log):
        return "no folder was synced"
    if not (headers and frames and acknowledged) or (synced and not syncs):
        return f"{headers} headers, {frames} frames and {syncs} syncs of a write-ahead log, {acknowledged} entries"
    return None


__all__ = ["problem_with", "untested"]
