"""Your own tools, fuzzed in both columns against stubs with the same contracts."""

import asyncio
import secrets
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...approvals.rule import RuleApprover
from ...errors import ConfigurationError
from ...ledger.call import REFUSED, fields_of
from ...ledger.sqlite import SqliteLedger
from ...model.entry import Entry
from ...model.names import short
from ...model.paths import PathPolicy
from ...model.principal import Principal
from ...model.result import ToolResult
from ...model.tool import ToolSpec
from ...runtime.run import Run
from ...runtime.runtime import Runtime
from .fuzz import Input, inputs
from .stub import Stub, enters, stub_of
from .tamper import Flip, flip_one_byte

PRINCIPAL = "fuzzer"
_AT_ONCE = 16


class Fuzzed(NamedTuple):
    """One tool. ``bad`` inputs have to be refused, ``good`` ones let in; ``ran_bad`` did enter the stub directly.

    ``passed`` and ``turned_away`` are the corridor's mistakes: a bad input that was let in, a good one that was not.
    ``entries`` are the refusals on the ledger.
    """

    tool: str
    bad: int
    good: int
    ran_bad: int
    passed: tuple[str, ...]
    turned_away: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def held(self) -> bool:
        return not self.passed and not self.turned_away


class OwnReport(NamedTuple):
    """``skipped`` are hosted tools: nothing in this process calls them."""

    seed: int
    tools: tuple[Fuzzed, ...]
    skipped: tuple[str, ...]
    ledger: Path
    runs: tuple[str, ...]
    flip: Flip
    seconds: float

    @property
    def controlled(self) -> int:
        """Tools whose stub ran when it must not, called directly. None: the inputs are blunt and prove nothing."""
        return sum(fuzzed.ran_bad > 0 for fuzzed in self.tools)

    @property
    def ok(self) -> bool:
        return all(fuzzed.held for fuzzed in self.tools) and self.controlled > 0 and self.flip.found


class Runs(NamedTuple):
    """Of a principal that may call everything, of one that may only read, and of one that was granted nothing."""

    writing: Run
    reading: Run
    ungranted: Run


async def probe_own(specs: Iterable[ToolSpec], ledger: SqliteLedger, seed: int) -> OwnReport:
    """Fuzz contracts; of the tools behind them nothing runs.

    Raises:
        ConfigurationError: there is no tool that could be called in this process, or two have one name.
        LedgerUnavailableError: the ledger cannot be read back.
    """
    started = time.monotonic()
    listed = list(specs)
    callable_here = [spec for spec in listed if spec.source != "hosted"]
    if not callable_here:
        raise ConfigurationError("there is no tool to probe; name a function, a Tool, a ToolSpec or a list of these")
    with tempfile.TemporaryDirectory(prefix="licet-probe-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        told, runs = await _played(callable_here, ledger, seed, folder)
        entries = [entry for run in runs for entry in ledger.entries(run)]
        flip = flip_one_byte(ledger.path, entries, folder)
    tools = tuple(_recorded(fuzzed, refusals, entries) for fuzzed, refusals in told)
    skipped = tuple(short(spec.name) for spec in listed if spec.source == "hosted")
    return OwnReport(seed, tools, skipped, ledger.path, runs, flip, time.monotonic() - started)


_Refusals = list[tuple[Input, ToolResult]]


async def _played(
    specs: Sequence[ToolSpec], ledger: SqliteLedger, seed: int, folder: Path
) -> tuple[list[tuple[Fuzzed, _Refusals]], tuple[str, ...]]:
    names = [spec.name for spec in specs]
    stubs = [stub_of(spec) for spec in specs]
    paths = PathPolicy.current_project(folder)
    run_id = f"probe-{secrets.token_hex(4)}"
    ids = (f"{run_id}-rw", f"{run_id}-ro", f"{run_id}-none")
    with Runtime([tool for tool, _ in stubs], ledger=ledger, approver=RuleApprover(*names)) as runtime:
        writer = Principal(PRINCIPAL, grants=names, mode="workspace_write", paths=paths)
        reader = Principal(PRINCIPAL, grants=names, mode="read_only", paths=paths)
        nobody = Principal(PRINCIPAL, mode="workspace_write", paths=paths)
        async with (
            runtime.run(writer, id=ids[0]) as writing,
            runtime.run(reader, id=ids[1]) as reading,
            runtime.run(nobody, id=ids[2]) as ungranted,
        ):
            runs = Runs(writing, reading, ungranted)
            return [await _fuzzed(tool.spec, stub, seed, runs) for tool, stub in stubs], ids


async def _fuzzed(spec: ToolSpec, stub: Stub, seed: int, runs: Runs) -> tuple[Fuzzed, _Refusals]:
    """One tool in both columns, and the results that have to stand on the ledger as refusals."""
    made = inputs(spec, seed)
    good = [found for found in made if found.fits]
    bad = [(found, runs.writing) for found in made if not found.fits]
    example = good[0].arguments if good else {}
    bad.append((Input("not granted", "/", example, False), runs.ungranted))
    if not spec.capabilities.read_only and spec.tool_type != "intrinsic":
        bad.append((Input("hidden by the mode", "/", example, False), runs.reading))
    ran_bad = sum(enters(spec, stub, found.arguments) for found, _ in bad)
    passed, refusals = [], []
    for found, run in bad:  # one after the other, so that the stub tells which of them got in
        before = stub.entered
        result = await run.call(spec.name, found.arguments)
        if stub.entered > before or result.success or result.effect != "none":
            passed.append(str(found))
        else:
            refusals.append((found, result))
    turned_away = await _turned_away(spec, stub, good, runs.writing)
    told = Fuzzed(short(spec.name), len(bad), len(good), ran_bad, tuple(passed), tuple(turned_away), ())
    return told, refusals


async def _turned_away(spec: ToolSpec, stub: Stub, good: Sequence[Input], run: Run) -> list[str]:
    """The good inputs that did not get in, by their results and by the stub's own count."""
    found = []
    for start in range(0, len(good), _AT_ONCE):
        some, before = good[start : start + _AT_ONCE], stub.entered
        results = await asyncio.gather(*(run.call(spec.name, one.arguments) for one in some))
        found += [f"{result.code}: {one}" for one, result in zip(some, results, strict=True) if not result.success]
        entered, told = stub.entered - before, sum(result.success for result in results)
        if entered != told:
            found.append(f"{told} calls succeeded and {entered} reached the tool")
    return found


def _recorded(fuzzed: Fuzzed, refusals: _Refusals, entries: Sequence[Entry]) -> Fuzzed:
    """The same with its refusals on the ledger; one that is not there did not happen as it was told."""
    known = {fields_of(entry.body).get("call"): entry for entry in entries if entry.kind in REFUSED}
    found, lost = [], []
    for one, result in refusals:
        entry = known.get(result.call_id)
        if entry is None or fields_of(entry.body).get("code") != result.code:
            lost.append(f"not on the ledger: {one}")
        else:
            found.append(entry)
    return fuzzed._replace(passed=(*fuzzed.passed, *lost), entries=tuple(found))


def document(report: OwnReport) -> dict[str, Any]:
    """The report as one JSON document."""
    return {
        "ok": report.ok,
        "seed": report.seed,
        "tools": [_tool(fuzzed) for fuzzed in report.tools],
        "skipped": list(report.skipped),
        **report.flip.document(report.ledger, report.runs),
        "seconds": round(report.seconds, 3),
    }


def _tool(fuzzed: Fuzzed) -> dict[str, Any]:
    return {
        "tool": fuzzed.tool,
        "verdict": "refused" if fuzzed.held else "passed",
        "bad": {"inputs": fuzzed.bad, "ran_directly": fuzzed.ran_bad, "refused": len(fuzzed.entries)},
        "good": {"inputs": fuzzed.good, "ran": fuzzed.good - len(fuzzed.turned_away)},
        "passed": list(fuzzed.passed),
        "turned_away": list(fuzzed.turned_away),
        "entries": [{"seq": entry.seq, "kind": entry.kind} for entry in fuzzed.entries],
    }
