"""Racing renames and links against every file operation, on ``openat2`` and on the fallback walk."""

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter_ns
from typing import NamedTuple

from campaign.paths.operations import ESCAPED, READING, WRITING, Operation, naive_read, naive_write, outcome
from campaign.paths.world import SCENES, Scene, attacked, build, guarded, swaps
from campaign.report import Report, Say
from campaign.scratch import scratch
from licet.model.paths import PathPolicy
from licet.workspace.openat2 import available
from licet.workspace.workspace import Workspace

MOST_US = 50.0
"""What an open may cost beyond a plain one, median."""

PATIENCE_S = 60.0
"""For the control to lose in one scene."""

_GUARD_EVERY = 64


class Size(NamedTuple):
    """Of one way of opening, over all scenes. ``seconds`` ends a scene earlier, if it is short."""

    opens: int
    writes: int
    seconds: float
    timed: int


FULL = Size(1_000_000, 100_000, float("inf"), 20_000)
SHORT = Size(200_000, 20_000, 3.2, 4_000)


class Raced(NamedTuple):
    """One scene on one way of opening."""

    opens: Counter[str]
    writes: Counter[str]
    swaps: int
    findings: list[str]


def run(seed: int, short: bool, say: Say, size: Size | None = None) -> Report:
    """Every scene on both ways of opening, then the control in every scene."""
    size = size or (SHORT if short else FULL)
    ways = (["openat2"] if available() else []) + ["walk"]
    findings = [] if len(ways) == 2 else ["openat2 is not available here, so it was not raced"]
    opens, writes, done = 0, 0, 0
    cells, costs = {}, {}
    with scratch() as folder:
        for way in ways:
            for number, scene in enumerate(SCENES):
                world = Path(folder, way, scene.attack)
                raced = race(scene, world, way, seed + number, size)
                cells[f"{way} {scene.attack}"] = raced._asdict()
                findings += [f"{way}, {scene.attack}: {finding}" for finding in raced.findings]
                opens, writes, done = opens + raced.opens.total(), writes + raced.writes.total(), done + raced.swaps
                say(
                    f"{way} {scene.attack}: {raced.swaps} swaps, opens {dict(raced.opens)}, writes {dict(raced.writes)}"
                )
            costs[way] = cost_us(Path(folder, way, SCENES[0].attack, "ws"), way, size.timed)
            if costs[way] > MOST_US:
                findings.append(f"{way}: an open costs {costs[way]:.1f} us more than a plain one")
        lost = {scene.attack: control(scene, Path(folder, "control", scene.attack), seed) for scene in SCENES}
    held = [name for name, escapes in lost.items() if not escapes]
    say(f"control: {lost}")
    escapes = sum("escaped" in finding for finding in findings)
    figure = f"{escapes} escapes in {opens} opens and {writes} writes against {done} swaps; " + ", ".join(
        f"{way} +{cost:.1f} us an open" for way, cost in costs.items()
    )
    told = "a path resolved and judged first and opened by its name later, in every scene"
    if held:
        told += f" (it did not lose in {', '.join(held)})"
    return Report(
        figure, tuple(findings), told, not held, {"cells": cells, "over_plain_open_us": costs, "control": lost}
    )


def race(scene: Scene, world: Path, way: str, seed: int, size: Size) -> Raced:
    """One scene: reads and writes in turn while another process moves what they open."""
    root = build(world)
    before, handles = guarded(world), len(os.listdir("/proc/self/fd"))
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    findings: Counter[str] = Counter()
    dice = random.Random(seed)
    opens, writes = size.opens // len(SCENES) + 1, size.writes // len(SCENES) + 1
    latest = monotonic() + size.seconds
    with (
        Workspace(PathPolicy.current_project(root), force_walk=way == "walk") as workspace,
        attacked(world, scene.attack, seed),
    ):
        for number in range(opens + writes):
            writing = dice.randrange(opens + writes) < writes
            operation = _drawn(dice, WRITING if writing else READING)
            came = outcome(operation, workspace, scene, number)
            counts[writing][came.partition(" ")[0]] += 1
            if came not in ("done", "refused"):
                findings[f"{operation.name} {came}"] += 1
            if number % _GUARD_EVERY == 0:
                if writing and guarded(world) != before:
                    findings[f"something outside was changed, escaped before write {number}"] += 1
                    break
                if monotonic() > latest:
                    break
    if guarded(world) != before:
        findings["something outside was changed, it escaped"] += 1
    left = [str(path) for path in root.rglob("*.tmp")]
    if left:
        findings[f"{len(left)} temporary files were left"] += 1
    if len(os.listdir("/proc/self/fd")) > handles:
        findings["handles were left open"] += 1
    for kind, counted in (("opens", counts[False]), ("writes", counts[True])):
        missing = {"done", "refused"} - counted.keys()
        if missing and counted.total() > 1000:
            findings[f"no {kind} were ever {' or '.join(sorted(missing))}: nothing raced"] += 1
    return Raced(
        counts[False], counts[True], swaps(world), [f"{finding}, {times} times" for finding, times in findings.items()]
    )


def control(scene: Scene, world: Path, seed: int, patience_s: float = PATIENCE_S) -> bool:
    """Whether the naive way escapes under the same attack, seen by the same guard: reading, and writing."""
    return _loses(scene, world / "read", seed, naive_read, patience_s) and _loses(
        scene, world / "write", seed, naive_write, patience_s
    )


def _loses(scene: Scene, world: Path, seed: int, naive: Callable[[Path, Scene], str], patience_s: float) -> bool:
    root = build(world)
    before = guarded(world)
    latest = monotonic() + patience_s
    with attacked(world, scene.attack, seed):
        while monotonic() < latest:
            for _ in range(16):
                if naive(root, scene) == ESCAPED:
                    return True
            if naive is naive_write and guarded(world) != before:
                return True
    return False


def cost_us(root: Path, way: str, times: int) -> float:
    """What opening and closing a file costs beyond the plain call, in microseconds: the difference of the medians."""
    path = "steady/sub/file"
    plain, confined = [], []
    absolute = str(root / path)
    with Workspace(PathPolicy.current_project(root), force_walk=way == "walk") as workspace:
        for _ in range(times):
            start = perf_counter_ns()
            os.close(os.open(absolute, os.O_RDONLY))
            middle = perf_counter_ns()
            os.close(workspace.open_file(path).handle)
            confined.append(perf_counter_ns() - middle)
            plain.append(middle - start)
    return (median(confined) - median(plain)) / 1000


def _drawn(dice: random.Random, operations: tuple[Operation, ...]) -> Operation:
    return dice.choices(operations, [operation.weight for operation in operations])[0]
