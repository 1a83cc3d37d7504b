"""The whole demonstration: two columns, their verdicts, the ledger and its mutilated copy."""

import secrets
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...ledger.sqlite import SqliteLedger
from .attacks import attacks
from .copying import Copied
from .play import GRANTS, id_of, played_bare, played_through
from .playground import Playground
from .tamper import Flip, flip_one_byte
from .verdict import Row, evidence_of, row, row_document


class Report(NamedTuple):
    """What the attacks showed. ``source`` is the project that was copied, None for the sample."""

    source: Path | None
    copied: Copied
    rows: tuple[Row, ...]
    ledger: Path
    runs: tuple[str, ...]
    flip: Flip
    seconds: float

    @property
    def passed(self) -> int:
        """Attacks that the corridor did not stop."""
        return sum(not row.held for row in self.rows)

    @property
    def controlled(self) -> int:
        """Attacks that did harm to bare handlers. None: the attacks are blunt and prove nothing."""
        return sum(row.got_through > 0 for row in self.rows)

    @property
    def ok(self) -> bool:
        return not self.passed and self.controlled > 0 and self.flip.found


async def probe(source: Path | None, ledger: SqliteLedger) -> Report:
    """Attack a throw-away copy of ``source``, or of a sample, in both columns. The copies are gone afterwards.

    Raises:
        ConfigurationError: the source is not there, is no folder, or cannot be listed.
        LedgerUnavailableError: the ledger cannot be read back.
    """
    started = time.monotonic()
    run_id = f"probe-{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory(prefix="licet-probe-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        bare, through = _playground(folder / "bare", source), _playground(folder / "licet", source)
        direct = await played_bare(bare)
        held = await played_through(through, ledger, run_id)
        runs = tuple(id_of(run_id, mode) for mode in GRANTS)
        entries = [entry for run in runs for entry in ledger.entries(run)]
        evidence = evidence_of(entries)
        listed = zip(attacks(through), direct, held, strict=True)
        rows = tuple(row(*facts, evidence) for facts in listed)
        flip = flip_one_byte(ledger.path, entries, folder)
    return Report(source, through.copied, rows, ledger.path, runs, flip, time.monotonic() - started)


def document(report: Report) -> dict[str, Any]:
    """The report as one JSON document."""
    return {
        "ok": report.ok,
        "project": None if report.source is None else str(report.source),
        "copied": report.copied._asdict(),
        "attacks": [row_document(row) for row in report.rows],
        "got_through": {"called_directly": report.controlled, "through_licet": report.passed},
        **report.flip.document(report.ledger, report.runs),
        "seconds": round(report.seconds, 3),
    }


def _playground(base: Path, source: Path | None) -> Playground:
    try:
        return Playground(base, source)
    except OSError as exc:
        if source is None or exc.filename is None or not str(exc.filename).startswith(str(source)):
            raise
        raise ConfigurationError(f"{source} cannot be listed ({exc.strerror}); name a folder that can") from exc
