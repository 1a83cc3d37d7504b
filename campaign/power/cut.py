"""What a disk may hold after a power cut: all that was synced, and of the rest whatever chance left."""

import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias, assert_never

from campaign.power.disk import (
    Acknowledged,
    Enter,
    FailedSync,
    Operation,
    Sync,
    SyncFolder,
    Truncate,
    Unlink,
    Write,
)
from licet.model.entry import Draft

SECTOR = 512

_Step: TypeAlias = Enter | Unlink


class Remains(NamedTuple):
    """``files`` by name; what was ``acknowledged`` before; how many writes were ``unsynced``, of whichever file."""

    files: dict[str, bytes]
    folders: frozenset[str]
    acknowledged: list[Draft]
    unsynced: int

    def lay_out(self, root: Path) -> None:
        for folder in sorted(self.folders):
            (root / folder).mkdir()
        for name, content in self.files.items():
            (root / name).write_bytes(content)


def remains(log: Iterable[Operation], chance: random.Random) -> Remains:
    """One of the many outcomes of a cut after the last operation of ``log``."""
    kept = chance.choice((0.0, 1.0, chance.random()))  # the extremes are outcomes too, and likely ones
    content: dict[int, bytearray] = {}
    pending: dict[int, list[tuple[int, Write | Truncate]]] = {}
    names: dict[str, int | None] = {}
    steps: list[tuple[int, _Step]] = []
    acknowledged: list[Draft] = []
    for number, operation in enumerate(log):
        match operation:
            case Write() | Truncate():
                pending.setdefault(operation.file, []).append((number, operation))
            case Sync(file, begun):
                waiting = pending.get(file, [])
                _apply(content.setdefault(file, bytearray()), (o for n, o in waiting if n < begun))
                pending[file] = [(n, o) for n, o in waiting if n >= begun]
            case FailedSync(file):
                pending[file] = [one for one in pending.get(file, ()) if chance.random() < kept]
            case Enter() | Unlink():
                steps.append((number, operation))
            case SyncFolder(folder, begun):
                later = []
                for n, step in steps:
                    if n < begun and os.path.dirname(step.name) == folder:
                        _take(names, step)
                    else:
                        later.append((n, step))
                steps = later
            case Acknowledged(draft):
                acknowledged.append(draft)
            case never:
                assert_never(never)
    for _, step in steps:
        if chance.random() < kept:
            _take(names, step)
    for file, waiting in pending.items():
        _apply(content.setdefault(file, bytearray()), _left(chance, kept, [operation for _, operation in waiting]))
    unsynced = sum(len(waiting) for waiting in pending.values())
    folders = frozenset(name for name, file in names.items() if file is None)
    files = {
        name: bytes(content.get(file, b""))
        for name, file in names.items()
        if file is not None and os.path.dirname(name) in folders | {""}
    }
    for name in [name for name in files if name.endswith("-wal") and chance.random() < 0.3]:
        files[f"{name.removesuffix('-wal')}-shm"] = chance.randbytes(32768)  # what was shared memory means nothing now
    return Remains(files, folders, acknowledged, unsynced)


def _take(names: dict[str, int | None], step: _Step) -> None:
    if isinstance(step, Enter):
        names[step.name] = step.file
    else:
        names.pop(step.name, None)


def _left(chance: random.Random, kept: float, waiting: list[Write | Truncate]) -> Iterator[Write | Truncate]:
    """Each write is there, or not, or in part; in any order but across a change of the file's size."""
    line: list[Write | Truncate] = []
    for operation in (*waiting, None):
        if isinstance(operation, Write):
            line.append(operation)
            continue
        chance.shuffle(line)
        for write in line:
            assert isinstance(write, Write)
            if chance.random() < 0.4:
                yield from _torn(chance, kept, write)
            elif chance.random() < kept:
                yield write
        line = []
        if operation is not None and chance.random() < kept:
            yield operation


def _torn(chance: random.Random, kept: float, write: Write) -> Iterator[Write]:
    """Some sectors of it. One that was under way may hold anything, but nothing outside of the write is touched."""
    start = 0
    while start < len(write.data):
        end = start + SECTOR - (write.offset + start) % SECTOR
        data = write.data[start:end]
        if chance.random() < kept:
            yield Write(write.file, write.offset + start, data)
        elif 0 < kept < 1 and chance.random() < 0.05:
            yield Write(write.file, write.offset + start, chance.randbytes(len(data)))
        start = end


def _apply(content: bytearray, operations: Iterable[Write | Truncate]) -> None:
    for operation in operations:
        if isinstance(operation, Truncate):
            del content[operation.size :]
            continue
        offset, data = operation.offset, operation.data
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(data)] = data


__all__ = ["SECTOR", "Remains", "remains"]
