"""What the processes asked for and were told, and whether ledger and effects agree with it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from campaign.kill.child import EFFECTS, LEDGER, WRITES
from licet.errors import LicetError
from licet.ledger.call import CLOSES, REQUESTED, call_of
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file

FINAL = ("completed", "effect_unknown")


class Book:
    """Of one ledger, over all the processes that used it."""

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}
        self.told: dict[str, list[tuple[str, str]]] = {}
        self.promised: set[str] = set()
        """Calls whose end was acknowledged as being on stable storage."""

    def take(self, line: str, *, strict: bool) -> None:
        """One line of a process. Raises ValueError: it is none that a process writes."""
        word, call_id, *rest = line.split()
        if word == "asks":
            self.asked[call_id] = rest[0]
        elif word == "told":
            answer, proof = rest
            self.told.setdefault(call_id, []).append((answer, proof))
            if answer == "completed" and (strict or self.asked[call_id] in WRITES):
                self.promised.add(call_id)
        else:
            raise ValueError(line)

    def unfinished(self) -> list[tuple[str, str]]:
        """Calls that nobody was told the end of, and their tools."""
        return [(call_id, name) for call_id, name in self.asked.items() if call_id not in self.told]

    def finished(self) -> list[tuple[str, str]]:
        return [(call_id, name) for call_id, name in self.asked.items() if call_id in self.told]


class Audit:
    """``findings`` say what must not be; ``completed`` and ``unknown`` count how calls ended, ``effects`` happened."""

    def __init__(self, book: Book, folder: Path) -> None:
        self._book = book
        self.entries = 0
        self.opened: Counter[str] = Counter()
        self.closed: dict[str, str] = {}
        self.effects: Counter[str] = Counter()
        self.proofs: dict[str, str] = {}
        for line in (folder / EFFECTS).read_text().splitlines() if (folder / EFFECTS).exists() else ():
            call_id, proof = line.split()
            self.effects[call_id] += 1
            self.proofs.setdefault(call_id, proof)
        self.findings = [*self._chain(folder / LEDGER)]
        if not self.findings:
            self.findings += [*self._lost(), *self._twice(), *self._untrue(), *self._answers()]
        ends = [answers[-1][0] for answers in book.told.values()]
        self.completed, self.unknown = ends.count("completed"), ends.count("effect_unknown")

    def _chain(self, path: Path) -> Iterator[str]:
        """Read everything. Yields what is wrong with the file."""
        if not path.exists():
            if self._book.promised or self.effects:
                yield "LOST: the ledger is gone"
            return
        try:
            found = verify_file(path)
            if not found.ok:
                yield f"BROKEN: entry {found.seq}: {found.problem}"
                return
            ledger = SqliteLedger(path)
            for entry in ledger.entries():
                self.entries += 1
                call_id = call_of(entry.kind, entry.body.decode())
                if call_id is None:
                    continue
                if entry.kind == REQUESTED:
                    self.opened[call_id] += 1
                elif entry.kind in CLOSES:
                    self.closed[call_id] = entry.kind
            ledger.close()
        except LicetError as exc:
            yield f"BROKEN: {exc}"

    def _lost(self) -> Iterator[str]:
        for call_id in self._book.promised:
            if self.closed.get(call_id) != "tool.completed" or not self.opened[call_id]:
                yield f"LOST: {call_id} was acknowledged as completed, and the ledger says {self.closed.get(call_id)}"

    def _twice(self) -> Iterator[str]:
        for call_id, times in self.effects.items():
            if times > 1:
                yield f"TWICE: {call_id} ({self._book.asked.get(call_id)}) was started {times} times"
            if not self.opened[call_id]:
                yield f"UNINTENDED: {call_id} had its effect, and its intent is not on the ledger"
        for call_id, times in self.opened.items():
            if times > 1:
                yield f"TWICE: {call_id} has {times} beginnings on the ledger"

    def _untrue(self) -> Iterator[str]:
        for call_id, answers in self._book.told.items():
            if self._book.asked[call_id] not in WRITES:
                continue
            for answer, proof in answers:
                if answer == "completed" and proof != self.proofs.get(call_id):
                    yield f"UNTRUE: {call_id} was told as completed by {proof}; it was {self.proofs.get(call_id)}"

    def _answers(self) -> Iterator[str]:
        """Completed or unknown, and that for good; but a read that was not promised to be kept may become unknown."""
        for call_id, name in self._book.asked.items():
            words = [answer for answer, _ in self._book.told.get(call_id, [])]
            if not words:
                yield f"LEFT: {call_id} never came to an end"
                continue
            kept = call_id in self._book.promised or name in WRITES
            if not set(words).issubset(FINAL) or words != sorted(words) or (kept and len(set(words)) > 1):
                yield f"ENDED: {call_id} ({name}) was told as {', '.join(words)}"


__all__ = ["Audit", "Book"]
