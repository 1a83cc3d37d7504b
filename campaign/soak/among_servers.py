"""Endurance among MCP servers: one that is healthy, and others that hang, crash and flood."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

from campaign.report import Report, Say
from campaign.soak.measure import Held, Memory, give_back, left_behind
from campaign.soak.servers import Seen, ServersLoad
from campaign.soak.zombies import Zombies
from licet.model.result import ToolResult

SHORT_S, FULL_S, CONTROL_S = 60.0, 600.0, 8.0
LAP_S = 60.0
"""How long the servers and one ledger last at most; then they are closed, checked and made anew."""
MOST_GROWTH = 0.05
MOST_TIMES = 2.0
"""What the slowest of a hundred healthy calls may take among the others, in units of what it takes alone."""
MOST_REAPED_S = 5.0
MOST_DEAD_S = 2.0
PROJECT = Path(__file__).parents[2]
Harm = Callable[[ToolResult], None]


@dataclass
class Soaked:
    """What one process under load has to tell."""

    findings: list[str] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    entries: int = 0
    growth: float = 0.0
    first_bytes: int = 0
    last_bytes: int = 0
    dead_s: float = 0.0

    @property
    def calls(self) -> int:
        return self.seen.codes.total() + self.seen.cancelled

    def p99_ms(self) -> tuple[float, float]:
        """Alone, and among the others."""
        alone, among = (sorted(part) or [0.0] for part in (self.seen.alone_ms, self.seen.among_ms))
        return alone[int(len(alone) * 0.99)], among[int(len(among) * 0.99)]


def run(seed: int, short: bool, say: Say, seconds: float | None = None, control_s: float = CONTROL_S) -> Report:
    lasting = seconds or (SHORT_S if short else FULL_S)
    missed = []
    for control, told in TOLD.items():
        found = soaked_apart(seed, control_s, control).findings
        caught = any(told in finding for finding in found)
        say(f"control, {control}: {'; '.join(found) or 'nothing found'}")
        missed += [] if caught else [control]
    say(f"{lasting:g} s of load")
    soaked = soaked_apart(seed, lasting, None)
    alone, among = soaked.p99_ms()
    figure = (
        f"{soaked.calls:,} calls in {lasting:g} s, healthy p99 {among:.1f} ms among the others and {alone:.1f} ms "
        f"alone ({among / max(alone, 1e-9):.2f}x), memory {soaked.growth:+.1%} ({soaked.first_bytes >> 20} to "
        f"{soaked.last_bytes >> 20} MiB), {soaked.seen.processes} server processes, cancelled and reaped in "
        f"{max(soaked.seen.reaped_s, default=0):.1f} s at most, dead for {soaked.dead_s:.1f} s at most, "
        f"{len(soaked.findings)} findings"
    )
    kept = {name: value for name, value in soaked.seen.__dict__.items() if not name.endswith("_ms")}
    details = {
        **kept,
        "codes": dict(soaked.seen.codes),
        "healthy_calls": {"alone": len(soaked.seen.alone_ms), "among": len(soaked.seen.among_ms)},
        "p99_ms": {"alone": alone, "among": among},
        "growth": soaked.growth,
        "entries": soaked.entries,
    }
    return Report(figure, tuple(soaked.findings), "; ".join(TOLD), not missed, details)


def soaked_apart(seed: int, seconds: float, control: str | None) -> Soaked:
    """In a process of its own, which holds nothing else."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(soaked_here, seed, seconds, control).result()


def soaked_here(seed: int, seconds: float, control: str | None) -> Soaked:
    """Laps of load; what is held after the last is compared with what was held after a first, short one."""
    give_back()
    soaked = Soaked()
    _lap(seed, min(2.0, seconds / 4), None, Soaked())
    before = Held.now()
    ends = time.monotonic() + seconds
    with _broken(control) as harm, Memory() as memory, Zombies() as zombies:
        lap = 0
        while (left := ends - time.monotonic()) > 1:
            lap += 1
            _lap(seed + lap, left if left < 1.5 * LAP_S else LAP_S, harm, soaked)
    soaked.growth, soaked.first_bytes, soaked.last_bytes = memory.growth
    soaked.dead_s = zombies.longest_s
    soaked.findings += [*_beyond(soaked), *(left_behind(before) if control is None else left_behind(before, 1.0))]
    return soaked


def _beyond(soaked: Soaked) -> Iterator[str]:
    if soaked.growth >= MOST_GROWTH:
        yield f"memory grew by {soaked.growth:.1%}, from {soaked.first_bytes:,} to {soaked.last_bytes:,} bytes"
    alone, among = soaked.p99_ms()
    if among >= MOST_TIMES * alone:
        yield f"healthy calls took {among:.1f} ms among the others and {alone:.1f} ms alone, the slowest of a hundred"
    slowest = max(soaked.seen.reaped_s, default=0.0)
    if slowest >= MOST_REAPED_S:
        yield f"processes were there {slowest:.1f} s after their calls were cancelled"
    if soaked.dead_s >= MOST_DEAD_S:
        yield f"a dead child was not asked about for {soaked.dead_s:.1f} s"


def _lap(seed: int, seconds: float, harm: Harm | None, soaked: Soaked) -> None:
    with tempfile.TemporaryDirectory(prefix="licet-soak-") as folder:
        load = ServersLoad(seed, Path(folder), harm)
        load.run(seconds)
        command = [sys.executable, "-m", "campaign.soak.check", str(load.ledger)]
        said = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    found, seen = json.loads(said.stdout), load.seen
    told, recorded = seen.codes.total(), found["ends"] + found["replayed"]
    if not told <= recorded <= told + seen.cancelled:
        problem = f"{told} results and {seen.cancelled} cancelled calls, but {recorded} ends on the ledger"
        soaked.findings.append(problem)
    soaked.findings += [*found["problems"], *seen.strange]
    soaked.entries += found["entries"]
    soaked.seen.add(seen)


# --- controls: what is broken, and how the finding is told ---


@contextmanager
def _broken(control: str | None) -> Iterator[Harm | None]:
    kept: list[Any] = []
    if control == LEADER_ONLY:
        with patch("os.killpg", os.kill):
            yield None
    elif control is None:
        yield None
    else:
        yield lambda result: HARM[control](result, kept)


def _keep(result: ToolResult, kept: list[Any]) -> None:
    kept.append(result.content * 40 + str(len(kept)))


def _hold_up(result: ToolResult, kept: list[Any]) -> None:
    if result.tool.startswith("mcp/crashing"):
        time.sleep(0.05)


def _forget_a_child(result: ToolResult, kept: list[Any]) -> None:
    if not kept:
        kept.append(subprocess.Popen(["true"]))


LEADER_ONLY = "a build that kills only the process that it started"
HARM: dict[str, Callable[[ToolResult, list[Any]], None]] = {
    "one that keeps what it was told": _keep,
    "one that holds its loop up": _hold_up,
    "one that forgets a child": _forget_a_child,
}
TOLD = {
    LEADER_ONLY: "processes of servers left",
    "one that keeps what it was told": "memory grew",
    "one that holds its loop up": "healthy calls took",
    "one that forgets a child": "a dead child",
}
