"""One write or sync of a disk fails: the ledger says so, takes nothing more, and has lost nothing it acknowledged."""

import random
import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from campaign.power.check import problem_with
from campaign.power.cut import remains
from campaign.power.disk import Disk, Fault
from campaign.power.story import FILE, Lie, Story
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft

STEPS = 400
"""Enough for 200 writes and 200 syncs."""


class Suffered(NamedTuple):
    """``refused`` is False where the ledger rightly went on: what failed had put nothing at risk.

    So it is where a log is folded into the file, which SQLite tries again.
    """

    refused: bool
    problem: str | None
    hit: str | None


def suffer(folder: Path, fault: Fault, seed: int, *, lie: Lie | None = None) -> Suffered:
    """Let it happen. Then look at the file as it is; as a power cut leaves it; and as one leaves it later, after the
    process was killed and another went on."""
    chance = random.Random(seed)
    first, cut, second, later = (folder / name for name in ("first", "cut", "second", "later"))
    for root in (first, cut, later):
        root.mkdir()
    problem = None
    with ExitStack() as opened, Disk(first, fault=fault) as disk:
        story = Story(disk, first, chance, lie=lie)
        refused = _told(story, disk, opened)
        if disk.hit is None:
            return Suffered(refused, f"there was no {fault.kind} of this number", None)
        if story.told is not None and (taken := _takes_more(story.told, story.next_draft())):
            problem = f"after the error it took {taken}"
        shutil.copytree(first, second, ignore=shutil.ignore_patterns("*-shm"))
        left = remains(disk.log, chance)
        if not fault.lasting:
            problem = problem or _goes_on(Disk(second, after=disk), second, later, chance, story.given)
        with suppress(LedgerUnavailableError):
            opened.close()
    left.lay_out(cut)
    for when, root in (("", first), ("after a power cut: ", cut)):
        found = problem_with(root / FILE, left.acknowledged, story.given)
        problem = problem or (found and when + found)
    return Suffered(refused, problem, disk.hit)


def _told(story: Story, disk: Disk, opened: ExitStack) -> bool:
    """Whether the ledger said that it is not available."""
    try:
        ledger = story.open(opened)
        for _ in range(STEPS):
            ledger = story.step(ledger, opened)
            if disk.hit is not None and story.chance.random() < 0.2:  # some time after it, if it went on
                return False
    except LedgerUnavailableError:
        return True
    return False


def _takes_more(ledger: SqliteLedger, draft: Draft) -> str | None:
    for durable in (True, False):
        with suppress(LedgerUnavailableError):
            ledger.append(draft, durable=durable)
            return "an entry"
    for name, question in (("find", lambda: ledger.find("c1")), ("flush", ledger.flush), ("entries", ledger.entries)):
        with suppress(LedgerUnavailableError):
            question()
            return f"a call of {name}"
    return None


def _goes_on(disk: Disk, root: Path, later: Path, chance: random.Random, given: set[Draft]) -> str | None:
    """Another process finds what the killed one left in memory, goes on, and then the power is cut."""
    with disk:
        story = Story(disk, root, chance)
        try:
            story.tell(chance.randint(1, 6))
        except LedgerUnavailableError as exc:
            return f"UNREADABLE: the next process: {exc}"
    left = remains(disk.log, chance)
    left.lay_out(later)
    found = problem_with(later / FILE, left.acknowledged, given | story.given)
    return found and f"after a kill, more entries and a power cut: {found}"


__all__ = ["STEPS", "Suffered", "suffer"]
