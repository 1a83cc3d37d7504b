"""How things are timed: in rounds, every case of a round in turn, so that a slow moment of the machine hits all."""

import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
Rounds = dict[str, list[float]]
Case = tuple[Callable[[], Awaitable[object]], int]
"""What is awaited, and how often in one round."""


class Gate(NamedTuple):
    """``case`` in units of ``peer`` must not be above ``must``, if there is one; ``aim`` is what would be good."""

    name: str
    case: str
    peer: str
    must: float | None = None
    aim: float | None = None


class Figure(NamedTuple):
    """The median of the rounds' ratios, and their range; None where the peer is not installed."""

    gate: Gate
    median: float | None
    low: float | None
    high: float | None
    processes: int
    rounds: int

    @property
    def skipped(self) -> bool:
        return self.median is None

    @property
    def beyond(self) -> bool:
        return self.median is not None and self.gate.must is not None and self.median > self.gate.must


async def time_rounds(cases: Mapping[str, Case], rounds: int) -> Rounds:
    """Microseconds for each case and round.

    Each case is warmed up first. Garbage that a case makes is collected on its time, what the libraries made when they
    were imported is not looked at again.
    """
    measured: Rounds = {name: [] for name in cases}
    for case, often in cases.values():
        for _ in range(max(20, often // 10)):
            await case()
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, (case, often) in cases.items():
            gc.collect()
            started = time.perf_counter()
            for _ in range(often):
                await case()
            measured[name].append((time.perf_counter() - started) / often * 1e6)
    return measured


def in_processes(module: str, processes: int, rounds: int, groups: Sequence[Sequence[str]] = ((),)) -> list[Rounds]:
    """Run ``python -m module ROUNDS`` in fresh processes, which print their rounds as JSON.

    With ``groups`` each of them has processes of its own, which get its words as further arguments.
    """
    found = []
    for _ in range(processes):
        for group in groups:
            command = [sys.executable, "-m", module, str(rounds), *group]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"bench: {' '.join(command[1:])} failed:\n{done.stderr}")
            found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def figure(gate: Gate, runs: list[Rounds], groups: int = 1) -> Figure:
    """The median over processes of each process's median ratio of its rounds.

    Of ``groups`` that have processes of their own, one measures the peer; or every one does, as it does a case of ours.
    """
    measured = [run for run in runs if gate.peer in run]
    if not measured:
        return Figure(gate, None, None, None, 0, 0)
    if len(measured) not in (len(runs) // groups, len(runs)):
        raise KeyError(f"{gate.peer} was measured in {len(measured)} of {len(runs) // groups} processes")
    runs = measured
    ratios = [[case / peer for case, peer in zip(run[gate.case], run[gate.peer], strict=True)] for run in runs]
    flat = [ratio for run in ratios for ratio in run]
    median = statistics.median(statistics.median(run) for run in ratios)
    return Figure(gate, median, min(flat), max(flat), len(ratios), len(ratios[0]))


def medians(runs: list[Rounds]) -> dict[str, float]:
    """Each case's median over all rounds of all processes, in the case's own unit."""
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: statistics.median(v for run in runs for v in run.get(name, ())) for name in names}


def circumstances(*packages: str) -> dict[str, object]:
    """What a figure depends on: commit, kind of machine, what else it was doing, versions."""
    changed = _git("status", "--porcelain", "--", "src", "bench")
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": _git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else ""),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}, {cores()} cores",
        "load": round(os.getloadavg()[0], 1),
        "busy": busy(),
        "versions": {name: _version(name) for name in packages},
    }


def cores() -> int:
    return len(os.sched_getaffinity(0))


def busy() -> bool:
    """Whether others leave too little of the machine for ratios to mean something; a suite itself keeps one core."""
    return os.getloadavg()[0] > max(1, cores() - 0.5)


def _processor() -> str:
    with open("/proc/cpuinfo") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "processor unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
