"""Mixed load for the time asked, and what is left of it: no growth, nothing open, every call ended once."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from campaign.report import Report, Say
from campaign.soak.load import Load
from campaign.soak.measure import Held, Memory, give_back, left_behind

SHORT_S, FULL_S, CONTROL_S = 60.0, 1800.0, 6.0
LAP_S = 120.0
"""How long one runtime and one ledger last at most; then they are closed, checked and made anew."""
MOST_GROWTH = 0.05
PROJECT = Path(__file__).parents[2]


@dataclass
class Soaked:
    """What one process under load has to tell."""

    findings: list[str] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    entries: int = 0
    growth: float = 0.0
    first_bytes: int = 0
    last_bytes: int = 0
    p50_ms: float = 0.0
    p99_ms: float = 0.0

    @property
    def calls(self) -> int:
        return self.codes.total() + self.cancelled


def run(seed: int, short: bool, say: Say, seconds: float | None = None, control_s: float = CONTROL_S) -> Report:
    lasting = seconds or (SHORT_S if short else FULL_S)
    missed = []
    for leak, told in LEAKS.items():
        found = soaked_apart(seed, control_s, leak).findings
        caught = any(told in finding for finding in found)
        say(f"control, {leak}: {'; '.join(found) or 'nothing found'}")
        missed += [] if caught else [leak]
    say(f"{lasting:g} s of load")
    soaked = soaked_apart(seed, lasting, None)
    figure = (
        f"{soaked.calls:,} calls in {lasting:g} s, {soaked.entries:,} entries, memory {soaked.growth:+.1%} "
        f"({soaked.first_bytes >> 20} to {soaked.last_bytes >> 20} MiB), {len(soaked.findings)} findings"
    )
    details = {**soaked.__dict__, "codes": dict(soaked.codes)}
    return Report(figure, tuple(soaked.findings), f"{' and '.join(LEAKS)}", not missed, details)


def soaked_apart(seed: int, seconds: float, leak: str | None) -> Soaked:
    """In a process of its own, which holds nothing else."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(soaked_here, seed, seconds, leak).result()


def soaked_here(seed: int, seconds: float, leak: str | None) -> Soaked:
    """Laps of load; what is held after the last is compared with what was held after a first, short one."""
    give_back()
    soaked = Soaked()
    kept: list[Any] = []
    keep = None if leak is None else LEAK_WITH[leak](kept)
    _lap(seed, min(1.0, seconds / 10), None, Soaked())
    before = Held.now()
    ends = time.monotonic() + seconds
    with Memory() as memory:
        lap = 0
        while (left := ends - time.monotonic()) > 0.5:
            lap += 1
            lasting = min(LAP_S, left if left < LAP_S else left / 2 if left < 2 * LAP_S else LAP_S)
            _lap(seed + lap, lasting, keep, soaked)
    soaked.growth, soaked.first_bytes, soaked.last_bytes = memory.growth
    if soaked.growth >= MOST_GROWTH:
        sizes = f"{soaked.first_bytes:,} to {soaked.last_bytes:,} bytes"
        soaked.findings.append(f"memory grew by {soaked.growth:.1%}, from {sizes}")
    soaked.findings += left_behind(before) if leak is None else left_behind(before, 1.0)
    return soaked


def _lap(seed: int, seconds: float, keep: Callable[[Any], None] | None, soaked: Soaked) -> None:
    with tempfile.TemporaryDirectory(prefix="licet-soak-") as folder:
        load = Load(seed, Path(folder), keep)
        load.run(seconds)
        seen = load.seen
        command = [sys.executable, "-m", "campaign.soak.check", str(load.ledger)]
        said = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    found = json.loads(said.stdout)
    told, recorded = seen.codes.total(), found["ends"] + found["replayed"]
    if not told <= recorded <= told + seen.cancelled:
        problem = f"{told} results and {seen.cancelled} cancelled calls, but {recorded} ends on the ledger"
        soaked.findings.append(problem)
    soaked.findings += [*found["problems"], *seen.strange]
    soaked.codes += seen.codes
    soaked.cancelled += seen.cancelled
    soaked.entries += found["entries"]
    healthy = sorted(seen.healthy_ms) or [0.0]
    soaked.p50_ms, soaked.p99_ms = healthy[len(healthy) // 2], healthy[int(len(healthy) * 0.99)]


def _keep_results(kept: list[Any]) -> Callable[[Any], None]:
    return lambda result: kept.append(result["text"] * 400 + str(len(kept)))


def _keep_descriptors(kept: list[Any]) -> Callable[[Any], None]:
    return lambda result: kept.append(os.open(os.devnull, os.O_RDONLY)) if len(kept) < 500 else None


LEAK_WITH = {"a handler that keeps its results": _keep_results, "one that leaves files open": _keep_descriptors}
LEAKS = {"a handler that keeps its results": "memory grew", "one that leaves files open": "descriptors left"}
"""The control: what is planted, and how the finding begins."""
