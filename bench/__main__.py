"""Run suites, print their ratios, keep them as JSON; with ``--gate`` exit 1 beyond a must."""

import argparse
import json
import sys
from importlib import import_module

from bench.measure import ROOT, Figure, circumstances, figure, in_processes, medians

SUITES = ("core", "ledger", "cold", "explore")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="core|ledger|cold|explore", help="all of them by default")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a figure is beyond its must")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    if unknown := set(chosen.suites) - set(SUITES):
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    beyond = []
    for name in chosen.suites or SUITES:
        suite = import_module(f"bench.{name}")
        runs = in_processes(suite.MODULE, chosen.processes, chosen.rounds)
        figures = [figure(gate, runs) for gate in suite.GATES]
        print(f"\n{name}: {suite.UNIT}, medians of {chosen.processes} processes x {chosen.rounds} rounds")
        for case, value in medians(runs).items():
            print(f"  {value:10.2f}  {case}")
        for found in figures:
            print(f"  {told(found)}")
        kept = ROOT / "build" / "bench" / f"{name}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        document = {
            **circumstances(*suite.PACKAGES),
            "unit": suite.UNIT,
            "medians": medians(runs),
            "figures": [{**found.gate._asdict(), **found._asdict() | {"gate": found.gate.name}} for found in figures],
            "runs": runs,
        }
        kept.write_text(json.dumps(document, indent=1) + "\n")
        print(f"  kept in {kept.relative_to(ROOT)}")
        beyond += [found.gate.name for found in figures if found.passed is False]
    if not chosen.gate:
        return 0
    print("\ngate: " + ("passed" if not beyond else f"beyond its must: {'; '.join(beyond)}"))
    return 1 if beyond else 0


def told(found: Figure) -> str:
    gate = found.gate
    if found.median is None:
        return f"skipped   {gate.name}: {gate.peer} is not installed"
    aim = "" if gate.aim is None else f", aim {gate.aim:g}"
    word = "ok" if found.passed else "BEYOND"
    return f"{found.median:6.2f}x {word:7}{gate.name} (must {gate.must:g}{aim}; {found.low:.2f} to {found.high:.2f})"


if __name__ == "__main__":
    sys.exit(main())
