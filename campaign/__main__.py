"""Run one campaign. Exit 0: nothing found and its control was caught; 1: a finding; the last line is the figure."""

import argparse
import json
import random
import sys
import time
from importlib import import_module

from campaign.report import Report

CAMPAIGNS = {
    "kill": "kill -9 at random points under calls; every unfinished call is asked for again",
    "power": "power cuts and disk errors at every write and sync of the ledger",
    "tamper": "changes of every column of a ledger's file",
    "paths": "racing renames and links against every file operation",
    "bombs": "schemas, patterns, JSON, names and outputs made to hurt",
    "policy": "a naive interpreter against the real one, and mutants of the code that decides",
    "soak": "mixed load for the time asked",
    "fuzz": "coverage-guided fuzzing of names, of arguments and of paths",
    "local": "a language model on this machine over a mixed surface, with its grammar and without",
    "agentdojo": "AgentDojo's tools behind grants and rules, and a model that obeys every text it reads",
}


def main() -> int:
    lines = "\n".join(f"  {name:10}{summary}" for name, summary in CAMPAIGNS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/campaign",
        description=__doc__,
        epilog=f"campaigns:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("campaign", choices=CAMPAIGNS, metavar="|".join(CAMPAIGNS))
    parser.add_argument("--short", action="store_true", help="at most two minutes, for every day")
    parser.add_argument("--seed", type=int, help="replay; printed by every run")
    parser.add_argument("--json", action="store_true", help="one document on standard output")
    parser.add_argument("--seconds", type=float, help="how long a soak lasts, or the fuzzing of each target")
    parser.add_argument("--mcp", action="store_true", help="soak among MCP servers that are ill")
    chosen = parser.parse_args()
    if chosen.mcp and chosen.campaign != "soak":
        parser.error("--mcp goes with soak")
    seed = random.SystemRandom().randrange(1 << 32) if chosen.seed is None else chosen.seed

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    name = f"{chosen.campaign}{' --mcp' if chosen.mcp else ''}"
    say(f"campaign {name}, seed {seed}{', short' if chosen.short else ''}")
    started = time.monotonic()
    run = import_module("campaign.soak.among_servers" if chosen.mcp else f"campaign.{chosen.campaign}").run
    extra = {"seconds": chosen.seconds} if chosen.seconds is not None else {}
    report: Report = run(seed=seed, short=chosen.short, say=say, **extra)
    seconds = time.monotonic() - started
    if chosen.json:
        print(json.dumps({"campaign": name, "seed": seed, "seconds": seconds, **report._asdict()}, default=str))
    else:
        for finding in report.findings:
            print(f"FOUND {finding}")
        caught = "caught" if report.control_caught else "NOT CAUGHT"
        print(f"control: {report.control}: {caught}")
        word = "passed" if report.passed else "failed"
        print(f"{name} {word}: {report.figure} (seed {seed}, {seconds:.0f} s)")
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
