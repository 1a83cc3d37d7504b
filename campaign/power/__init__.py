"""Power cuts and disk errors, at every write and sync of the ledger's file."""

import errno
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple
from unittest.mock import patch

import apsw

from campaign.lying import Deaf, Rollback, Unsynced
from campaign.power.check import problem_with, untested
from campaign.power.cut import Remains, remains
from campaign.power.disk import Disk, Fault
from campaign.power.fault import suffer
from campaign.power.story import FILE, Lie, Story
from campaign.report import Report, Say
from campaign.scratch import scratch
from licet.ledger import file, writer
from licet.model.entry import Draft

STEPS = 40
"""Of a story: about 120 to 200 entries."""


class Size(NamedTuple):
    stories: int
    cuts_per_story: int
    errors: int
    """How many of the first writes, and of the first syncs, fail."""


FULL = Size(stories=40, cuts_per_story=25, errors=200)
SHORT = Size(stories=6, cuts_per_story=10, errors=20)
CONTROL = Size(stories=6, cuts_per_story=10, errors=12)


NOTHING = Remains({}, frozenset(), [], 0)


class Cuts(NamedTuple):
    """``unsynced`` is in how many of them a write was not on stable storage."""

    findings: list[str]
    unsynced: int
    acknowledged: int


def run(seed: int, short: bool, say: Say, *, size: Size | None = None, control: Size = CONTROL) -> Report:
    with patch.object(writer, "ROOM_AFTER", 4), patch.object(file, "ROOM_BYTES", 100_000):  # in a short story, too
        return _run(seed, say, size or (SHORT if short else FULL), control)


def _run(seed: int, say: Say, size: Size, control: Size) -> Report:
    chance = random.Random(seed)
    cuts = cut_the_power(size, chance)
    count = size.stories * size.cuts_per_story
    say(f"{count} power cuts, {cuts.unsynced} of them with unsynced writes: {len(cuts.findings)} findings")
    errors, met = fail(size.errors, chance)
    say(f"{sum(met.values())} disk errors: {len(errors)} findings")
    controls = {
        "synchronous=NORMAL": (cut_the_power(control, chance, lie=Unsynced).findings, "LOST"),
        "a rollback journal": (cut_the_power(control, chance, lie=Rollback).findings, "proves nothing"),
        "a commit that hides its error": (fail(control.errors, chance, lie=Deaf)[0], "LOST"),
    }
    caught = {name: sum(word in finding for finding in found) for name, (found, word) in controls.items()}
    kinds = Counter(word for finding in cuts.findings + errors for word in ("LOST", "UNREADABLE") if word in finding)
    figure = (
        f"{count} power cuts, {cuts.unsynced} with unsynced writes, {cuts.acknowledged} acknowledged entries at stake;"
        f" {sum(met.values())} disk errors, {met['refused']} refused and {met['harmless']} harmless:"
        f" {kinds['LOST']} lost, {kinds['UNREADABLE']} unreadable, {len(cuts.findings) + len(errors)} findings;"
        f" written by SQLite {apsw.sqlite_lib_version()} (apsw), read by {sqlite3.sqlite_version} (sqlite3),"
        " through the same ledger code"
    )
    return Report(
        figure=figure,
        findings=(*cuts.findings, *errors),
        control=", ".join(
            f"{name} ({f'caught {times} times' if times else 'MISSED'})" for name, times in caught.items()
        ),
        control_caught=all(caught.values()),
        details={
            "cuts": count,
            "cuts_with_unsynced_writes": cuts.unsynced,
            "acknowledged": cuts.acknowledged,
            "errors": dict(met),
            "sqlite_written": apsw.sqlite_lib_version(),
            "sqlite_read": sqlite3.sqlite_version,
        },
    )


def cut_the_power(size: Size, chance: random.Random, *, lie: Lie | None = None) -> Cuts:
    """Tell stories, and look at each as it is after cuts at random operations; some begin on what a cut left."""
    findings: list[str] = []
    unsynced = acknowledged = 0
    before, given = NOTHING, set[Draft]()
    for number in range(1, size.stories + 1):
        with scratch() as made:
            root = Path(made)
            disk, start = _told(root / "disk", before, given, chance, lie)
            if reason := untested(disk, synced=lie is not Unsynced):
                findings.append(f"story {number} proves nothing: {reason}")
            for place in range(size.cuts_per_story):
                cut = chance.randint(start, len(disk.log))
                left = remains(disk.log[:cut], chance)
                unsynced += left.unsynced > 0
                acknowledged += len(left.acknowledged)
                problem = _problem_after(root / f"cut-{place}", left, given)
                if problem is not None:
                    findings.append(f"story {number}, power cut after operation {cut} of {len(disk.log)}: {problem}")
            goes_on = problem is None and str(FILE) in left.files and chance.random() < 0.5
            before, given = (left, given) if goes_on else (NOTHING, set())
    return Cuts(findings, unsynced, acknowledged)


def _told(root: Path, before: Remains, given: set[Draft], chance: random.Random, lie: Lie | None) -> tuple[Disk, int]:
    """The disk, and where in its log the story begins. Whatever was put in line is added to ``given``."""
    root.mkdir()
    before.lay_out(root)
    with Disk(root) as disk:
        for draft in before.acknowledged:
            disk.acknowledge(draft)
        start = len(disk.log)
        story = Story(disk, root, chance, lie=lie)
        story.tell(STEPS)
    given |= story.given
    return disk, start


def _problem_after(root: Path, left: Remains, given: set[Draft]) -> str | None:
    root.mkdir()
    left.lay_out(root)
    return problem_with(root / FILE, left.acknowledged, given)


def fail(most: int, chance: random.Random, *, lie: Lie | None = None) -> tuple[list[str], Counter[str]]:
    """Each of the first ``most`` writes and syncs fails once, with each error: what was found, and how they ended."""
    findings: list[str] = []
    met: Counter[str] = Counter()
    for fault in _faults(most, chance):
        with scratch() as folder:
            suffered = suffer(Path(folder), fault, chance.getrandbits(32), lie=lie)
        met["refused" if suffered.refused else "harmless"] += 1
        if suffered.problem is not None:
            findings.append(f"{fault} ({suffered.hit}): {suffered.problem}")
    return findings, met


def _faults(most: int, chance: random.Random) -> Iterator[Fault]:
    kinds: tuple[Literal["write", "sync"], ...] = ("write", "sync")
    for number in range(1, most + 1):
        for kind in kinds:
            for error in (errno.EIO, errno.ENOSPC):
                yield Fault(kind, number, error, lasting=chance.random() < 0.5)


__all__ = ["FULL", "SHORT", "Size", "cut_the_power", "fail", "run"]
