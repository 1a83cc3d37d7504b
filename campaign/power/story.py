"""A ledger is written on the simulated disk, and every acknowledgement goes into the disk's log."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from campaign.lying import lying
from campaign.power.disk import Disk
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection
from licet.model.entry import Draft

FILE = Path("state") / "ledger.db"
"""Below the root of the disk; the ledger makes the folder."""

Lie: TypeAlias = Callable[[Connection], Connection]


def drafts(chance: random.Random) -> Iterator[Draft]:
    """Beginnings and ends of calls, none like another; most are small, a few take several pages."""
    teller = chance.getrandbits(64)
    number = 0
    while True:
        number += 1
        for kind in ("tool.requested", "tool.completed"):
            size = chance.choice((10, 10, 40, 200, 700, chance.randrange(12_000)))
            body = f'{{"call":"c{number}.{teller:x}","pad":"{chance.randbytes(size).hex()}"}}'
            yield Draft(f"run-{number // 9}", kind, "somebody", body.encode(), b'{"at_us":%d}' % number)


class Story:
    """``given`` are the drafts that were put in line, acknowledged or not, also when an error ends the telling."""

    def __init__(self, disk: Disk, root: Path, chance: random.Random, *, lie: Lie | None = None) -> None:
        self.given: set[Draft] = set()
        self.told: SqliteLedger | None = None
        """The ledger that was the first to say that it is not available; None: it could not even be opened."""
        self.path = root / FILE
        self._disk = disk
        self.chance = chance
        self._drafts = drafts(chance)
        self._inner = disk.connect if lie is None else lying(lie, disk.connect)
        self._pages = chance.choice((6, 15, 40, 1000))

    def tell(self, steps: int) -> None:
        """Raises LedgerUnavailableError: the disk failed, and the ledger said so."""
        with ExitStack() as opened:
            ledger = self.open(opened)
            for _ in range(steps):
                ledger = self.step(ledger, opened)

    def step(self, ledger: SqliteLedger, opened: ExitStack) -> SqliteLedger:
        """Something that happens to a ledger; gives the one to go on with. ``opened`` closes it."""
        step = self.chance.random()
        if step < 0.8:
            self._append(ledger)
        elif step < 0.88:
            self._flush(ledger)
        elif step < 0.94:
            with ExitStack() as for_now:  # as another process would
                self._append(self.open(for_now))
        elif step < 0.97:
            ledger.find("c1")
        else:
            opened.close()
            return self.open(opened)
        return ledger

    def open(self, opened: ExitStack) -> SqliteLedger:
        ledger = SqliteLedger(self.path, connect=self._connect)
        opened.callback(ledger.close)
        return ledger

    def next_draft(self) -> Draft:
        draft = next(self._drafts)
        self.given.add(draft)
        return draft

    def _connect(self, uri: str) -> Connection:
        connection = self._inner(uri)
        connection.execute(f"PRAGMA wal_autocheckpoint = {self._pages}")  # so that a short story has many of them
        return connection

    @contextmanager
    def _using(self, ledger: SqliteLedger) -> Iterator[None]:
        try:
            yield
        except LedgerUnavailableError:
            self.told = ledger
            raise

    def _append(self, ledger: SqliteLedger) -> None:
        line = [self.next_draft() for _ in range(self.chance.choice((1, 1, 2, 7)))]
        with self._using(ledger):
            waiting = [(ledger.append(draft, durable=True), draft) for draft in line]
            for receipt, draft in waiting:
                assert receipt is not None
                receipt.wait()
                self._disk.acknowledge(draft)

    def _flush(self, ledger: SqliteLedger) -> None:
        line = [self.next_draft() for _ in range(self.chance.randint(1, 30))]
        with self._using(ledger):
            for draft in line:
                ledger.append(draft, durable=False)
            ledger.flush()
        for draft in line:
            self._disk.acknowledge(draft)


__all__ = ["FILE", "Lie", "Story", "drafts"]
