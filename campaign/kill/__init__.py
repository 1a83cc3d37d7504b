"""kill -9 at random points under 32 callers. After each restart everything unfinished is asked for again."""

import multiprocessing
import os
import random
import select
import tempfile
from collections import Counter
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from campaign.kill.book import Audit, Book
from campaign.kill.child import DONE, HERE, Build, Task, work
from campaign.report import Report, Say

LONGEST_S = 0.2
"""Of a process that is killed by the clock, from its first line on."""

MOST_LINES = 1500
"""Of one that is killed once it said so much."""

PATIENCE_S = 60.0
"""With a process that should come to its end."""


class Size(NamedTuple):
    """``points`` are kills in all; after so many a ledger is audited, and the next begun."""

    points: int
    points_per_ledger: int


FULL = Size(500, 50)
SHORT = Size(25, 13)
CONTROL = Size(16, 4)

CONTROLS: tuple[tuple[Build, str], ...] = (
    ("forgets", "TWICE"),
    ("acknowledges early", "LOST"),
    ("intends late", "TWICE"),
)


class Outcome(NamedTuple):
    findings: list[str]
    counts: Counter[str]


def run(seed: int, short: bool, say: Say, *, size: Size | None = None, control: Size = CONTROL) -> Report:
    size = size or (SHORT if short else FULL)
    chance = random.Random(seed)
    started = monotonic()
    found = kill(size, "sound", chance, say)
    seconds = monotonic() - started
    caught = {build: _catches(control, build, word, chance) for build, word in CONTROLS}
    counts, words = found.counts, Counter(finding.partition(":")[0] for finding in found.findings)
    figure = (
        f"{counts['kills']} kills in {seconds:.0f} s, {counts['asked']} calls, {counts['again']} asked for again under"
        f" their old ids, {counts['promised']} acknowledged as durable, {counts['entries']} entries:"
        f" {words['LOST']} lost, {words['BROKEN']} chain breaks, {words['TWICE']} started twice;"
        f" {counts['completed']} completed, {counts['unknown']} unknown, {words['ENDED'] + words['LEFT']} otherwise"
    )
    return Report(
        figure=figure,
        findings=tuple(found.findings),
        control=", ".join(
            f"a build that {build} ({'caught' if is_caught else 'MISSED'})" for build, is_caught in caught.items()
        ),
        control_caught=all(caught.values()),
        details={**counts, "seconds": seconds},
    )


def _catches(size: Size, build: Build, word: str, chance: random.Random) -> bool:
    """Whether the harness notices, at the latest after so many kills."""
    for _ in range(size.points // size.points_per_ledger):
        found = kill(Size(size.points_per_ledger, size.points_per_ledger), build, chance, lambda line: None)
        if any(finding.startswith(word) for finding in found.findings):
            return True
    return False


def kill(size: Size, build: Build, chance: random.Random, say: Say) -> Outcome:
    findings: list[str] = []
    counts: Counter[str] = Counter()
    ledger = 0
    while counts["kills"] < size.points:
        ledger += 1
        points = min(size.points_per_ledger, size.points - counts["kills"])
        with tempfile.TemporaryDirectory() as folder:
            shift = Shift(Path(folder), build, chance)
            for _ in range(points):
                shift.until_killed()
            shift.to_the_end()
            audit = Audit(shift.book, Path(folder))
        findings += [f"{finding} (ledger {ledger})" for finding in (*shift.findings, *audit.findings)]
        counts += shift.counts
        counts.update(
            asked=len(shift.book.asked),
            promised=len(shift.book.promised),
            entries=audit.entries,
            effects=audit.effects.total(),
            completed=audit.completed,
            unknown=audit.unknown,
        )
        say(f"{counts['kills']} kills, {counts['asked']} calls, {len(findings)} findings")
    return Outcome(findings, counts)


class Shift:
    """The processes that use one ledger, one after the other."""

    def __init__(self, folder: Path, build: Build, chance: random.Random) -> None:
        self.book = Book()
        self.findings: list[str] = []
        self.counts: Counter[str] = Counter()
        self._folder = folder
        self._build = build
        self._chance = chance
        self._processes = multiprocessing.get_context("forkserver")  # starts from one that has everything imported
        self._processes.set_forkserver_preload(["campaign.kill.child"])
        self._number = 0

    def until_killed(self) -> None:
        """Start a process, and kill it after a random time, or once it said a random number of things."""
        by_clock = self._chance.random() < 0.5
        lines = MOST_LINES * 10 if by_clock else self._chance.randint(1, MOST_LINES)
        seconds = self._chance.uniform(0, LONGEST_S) if by_clock else PATIENCE_S
        known = self.book.finished()
        again = self.book.unfinished() + self._chance.sample(known, min(len(known), 8))
        self._run(again, most=1_000_000, lines=lines, seconds=seconds)

    def to_the_end(self) -> None:
        """Start a last process that asks for everything again, whatever became of it, and let it finish."""
        self._run([*self.book.unfinished(), *self.book.finished()], most=64, lines=None, seconds=PATIENCE_S)

    def _run(self, again: list[tuple[str, str]], *, most: int, lines: int | None, seconds: float) -> None:
        self._number += 1
        strict = self._chance.random() < 0.3
        task = Task(
            str(self._folder), f"p{self._number}", self._chance.getrandbits(32), self._build, strict, again, most
        )
        reader, writer = self._processes.Pipe(duplex=False)
        process = self._processes.Process(target=work, args=(task, writer), daemon=True)
        process.start()
        writer.close()
        said = _listen(reader, 1, PATIENCE_S)
        said += _listen(reader, lines, seconds)
        if lines is not None:
            process.kill()
            self.counts["kills"] += 1
        said += _listen(reader, None, PATIENCE_S)
        reader.close()
        self._end(process, said, strict=strict, killed=lines is not None)
        self.counts["again"] += len(again)

    def _end(self, process: BaseProcess, said: bytes, *, strict: bool, killed: bool) -> None:
        process.join(PATIENCE_S)
        *whole, _ = said.decode().split("\n")
        done = whole[-1:] == [DONE]
        if whole[:1] != [HERE]:
            self.findings.append(f"ENDED: process {self._number} never began")
        for line in whole[1 : -1 if done else None]:
            self.book.take(line, strict=strict)
        if not killed and not (done and process.exitcode == 0):
            self.findings.append(f"LEFT: the last process ended with {process.exitcode}")
            process.kill()
        if killed and process.exitcode not in (-9, 0):
            self.findings.append(f"ENDED: process {self._number} ended by itself with {process.exitcode}")


def _listen(reader: Connection, lines: int | None, seconds: float) -> bytes:
    """What is said until there were so many lines, the time is over, or the pipe is closed."""
    said = bytearray()
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0 and (lines is None or said.count(b"\n") < lines):
        if select.select([reader], [], [], left)[0]:
            part = os.read(reader.fileno(), 65536)
            if not part:
                break
            said += part
    return bytes(said)


__all__ = ["CONTROL", "FULL", "SHORT", "Size", "kill", "run"]
