"""What a probe shows: one line an attack or a tool, both columns, and the ledger."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import output

if TYPE_CHECKING:
    from ..agents.probe.demonstration import Report
    from ..agents.probe.own import Fuzzed, OwnReport
    from ..agents.probe.tamper import Flip
    from ..agents.probe.verdict import Row
    from ..model.entry import Entry

_SHOWN_MISTAKES = 10


def show(report: "Report") -> None:
    output.table(("attack", "called directly", "through licet", "ledger entry"), map(_cells, report.rows))
    show_ledger(report.ledger, report.runs, report.flip)
    copied = report.copied
    where = "a sample project" if report.source is None else str(report.source)
    bounds = f"{copied.files:,} of its files" if copied.cut else f"{copied.files:,} files"
    show_end(
        report.ok,
        f"{len(report.rows)} attacks on a copy of {where}, {bounds}, {report.seconds:.1f} s: "
        f"{report.controlled} got through directly, ",
        f"{report.passed} through licet",
    )


def _cells(row: "Row") -> tuple[output.Cell, ...]:
    name = row.attack.name if len(row.tried) == 1 else f"{row.attack.name} ({len(row.tried)})"
    done = next((tried.harm for tried in row.tried if tried.harm), "")
    stopped = next((tried.stopped for tried in row.tried if tried.stopped), "")
    direct = output.Styled(done, "red") if done else output.Styled(f"stopped: {stopped}", "dim")
    return name, direct, verdict(row), entries_in(row)


def verdict(row: "Row") -> output.Cell:
    """What the corridor made of an attack."""
    wrong = [tried.problem for tried in row.tried if tried.problem]
    if wrong:
        return output.Styled(f"PASSED: {wrong[0]}", "bold red")
    if row.attack.holds == "contained":
        return output.Styled(f"contained: {row.attack.how}", "green")
    codes = [tried.code for tried in row.tried]
    return output.Styled(f"refused {max(codes, key=codes.count)}", "green")


def entries_in(row: "Row") -> str:
    """Those that prove an attack's refusals; of a contained one the last."""
    entries = [tried.entry for tried in row.tried if tried.entry is not None]
    return _entries(entries if row.attack.holds == "refused" else entries[-1:])


def _entries(entries: "Sequence[Entry]") -> str:
    """Their numbers, as a range of pages is written (10500-11), and the kind of the first."""
    if not entries:
        return "none, nothing was asked"
    first, last = entries[0].seq, entries[-1].seq
    if first == last:
        return f"{first} {entries[0].kind}"
    digits = next((n for n in (2, 3, 4) if first // 10**n == last // 10**n), len(str(last)))
    return f"{first}-{str(last)[-digits:]} {entries[0].kind}"


def show_own(report: "OwnReport") -> None:
    output.table(("tool", "called directly", "through licet", "ledger entries"), map(_own_cells, report.tools))
    mistakes = [(f.tool, "PASSED", text) for f in report.tools for text in f.passed]
    mistakes += [(f.tool, "TURNED AWAY", text) for f in report.tools for text in f.turned_away]
    for tool, word, text in mistakes[:_SHOWN_MISTAKES]:
        output.styled_line(output.Styled(f"{word} ", "bold red"), f"{tool}: {text}")
    if len(mistakes) > _SHOWN_MISTAKES:
        output.line(f"and {len(mistakes) - _SHOWN_MISTAKES} more; --json shows all")
    if report.skipped:
        output.line(f"not probed, the model's provider runs them: {', '.join(report.skipped)}")
    show_ledger(report.ledger, report.runs, report.flip)
    bad, good = sum(f.bad for f in report.tools), sum(f.good for f in report.tools)
    ran, passed = sum(f.ran_bad for f in report.tools), sum(len(f.passed) for f in report.tools)
    show_end(
        report.ok,
        f"{bad:,} bad and {good:,} good calls of stubs, not of your code, seed {report.seed}, {report.seconds:.1f} s: "
        f"{ran:,} bad ones ran directly, ",
        f"{passed:,} through licet",
    )


def _own_cells(fuzzed: "Fuzzed") -> tuple[output.Cell, ...]:
    direct = output.Styled(f"{fuzzed.ran_bad} of {fuzzed.bad} bad calls ran", "red" if fuzzed.ran_bad else "dim")
    good = f"{fuzzed.good - len(fuzzed.turned_away)} of {fuzzed.good} good ran" if fuzzed.good else "no good call known"
    if fuzzed.held:
        verdict = output.Styled(f"refused {len(fuzzed.entries)}, {good}", "green")
    else:
        verdict = output.Styled(f"PASSED {len(fuzzed.passed)} bad; {good}", "bold red")
    return fuzzed.tool, direct, verdict, _entries(fuzzed.entries)


def show_ledger(ledger: Path, runs: "Sequence[str]", flip: "Flip") -> None:
    """Where the evidence is, and that a mutilated copy of it was found out."""
    whole = flip.whole
    sound = f"{whole.count:,} entries verified" if whole.ok else f"BROKEN at entry {whole.seq}: {whole.problem}"
    output.styled_line(f"ledger {ledger}: ", output.Styled(sound, "green" if whole.ok else "bold red"))
    found = "verify finds it there" if flip.found else f"verify MISSES it, it says {flip.broken.seq}"
    first, *others = runs
    named = " ".join([first, *(f"-{run.rpartition('-')[2]}" for run in others)])
    output.styled_line(
        f"runs {named}; one byte of entry {flip.seq} flipped in a copy: ",
        output.Styled(found, "green" if flip.found else "bold red"),
    )


def show_end(ok: bool, told: str, last: str) -> None:
    """The last line, which says it all."""
    output.styled_line(told, output.Styled(f"{last}.", "bold green" if ok else "bold red"))


__all__ = ["entries_in", "show", "show_end", "show_ledger", "show_own", "verdict"]
