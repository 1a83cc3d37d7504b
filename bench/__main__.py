"""Run suites, print their ratios, keep them as JSON; with ``--gate`` exit 1 beyond a must."""

import argparse
import sys
from importlib import import_module
from typing import Any

from bench import kept, page
from bench.kept import BUILT, KEPT, SUITES, short
from bench.measure import Figure, busy, circumstances, figure, in_processes, medians


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="|".join(SUITES), help="all of them by default")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a figure is beyond its must")
    parser.add_argument("--keep", action="store_true", help="keep the figures in docs/benchmarks, and draw them")
    parser.add_argument("--plot", action="store_true", help="run nothing; draw what is kept in docs/benchmarks")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    if unknown := set(chosen.suites) - set(SUITES):
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    if chosen.plot and (chosen.suites or chosen.gate or chosen.keep):
        parser.error("--plot runs nothing; give it alone")
    found: list[Figure] = []
    for suite in () if chosen.plot else chosen.suites or SUITES:
        found += run(suite, chosen.processes, chosen.rounds, chosen.keep)
    if chosen.keep or chosen.plot:
        print(f"\ndrawn: {', '.join(page.draw())}")
    if chosen.gate:
        print(f"\n{verdict(found)}")
    return 1 if chosen.gate and any(one.beyond for one in found) else 0


def run(name: str, processes: int, rounds: int, keep: bool) -> list[Figure]:
    """Run a suite, tell its figures, and write them down."""
    suite: Any = import_module(f"bench.{SUITES[name]}")
    met = circumstances(*suite.PACKAGES)
    groups = getattr(suite, "GROUPS", ((),))
    runs = in_processes(suite.MODULE, processes, rounds, groups)
    figures = [figure(gate, runs, len(groups)) for gate in suite.GATES]
    print(f"\n{name}: {suite.UNIT}, medians of {processes} processes x {rounds} rounds")
    for case, value in medians(runs).items():
        print(f"  {value:10.2f}  {case}")
    for one in figures:
        print(f"  {told(one)}")
    if met["busy"] or busy():
        met["busy"] = True
        print("  the machine is busy with other work: the ratios of this run say little")
    document = {
        **met,
        "unit": suite.UNIT,
        "medians": {case: short(value) for case, value in medians(runs).items()},
        "figures": [kept.plain(one) for one in figures],
    }
    print(f"  kept in {kept.write(BUILT, name, {**document, 'runs': runs})}")
    if keep:
        print(f"  kept in {kept.write(KEPT, name, document)}")
    return figures


def told(found: Figure) -> str:
    gate = found.gate
    if found.median is None:
        return f"skipped        {gate.name}: {gate.peer} is not installed"
    word = "BEYOND" if found.beyond else "shown" if gate.must is None else "ok"
    limits = "".join(f"{kind} {value:g}, " for kind, value in (("must", gate.must), ("aim", gate.aim)) if value)
    return f"{found.median:6.3f}x {word:7}{gate.name} ({limits}{found.low:.3f} to {found.high:.3f})"


def verdict(found: list[Figure]) -> str:
    """The last line of a gate: which figures are beyond their must, and which could not be measured."""
    beyond = [one.gate.name for one in found if one.beyond]
    skipped = [one.gate.name for one in found if one.skipped]
    within = sum(one.gate.must is not None and not one.beyond and not one.skipped for one in found)
    return "gate: " + ", ".join(
        (
            f"{within} within their must",
            f"beyond: {'; '.join(beyond)}" if beyond else "none beyond",
            f"skipped: {'; '.join(skipped)}" if skipped else "none skipped",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
