"""Fuzz one target. Exit 0: nothing found; 1: a finding, with the word that replays it."""

import argparse
import random
import sys

from campaign.fuzz.corpus import TARGETS, keep
from campaign.fuzz.hunt import NoFuzzerError, hunt


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600, help="ten minutes if not said otherwise")
    parser.add_argument("--seed", type=int, help="replay; printed by every run")
    parser.add_argument("--keep", action="store_true", help="add inputs that reached something new to the corpus")
    chosen = parser.parse_args()
    seed = random.SystemRandom().randrange(1, 1 << 31) if chosen.seed is None else chosen.seed
    print(f"fuzz {chosen.target}, seed {seed}, {chosen.seconds} s", file=sys.stderr, flush=True)
    try:
        hunted = hunt(chosen.target, seconds=chosen.seconds, seed=seed)
    except NoFuzzerError as missing:
        print(f"fuzz {chosen.target} failed: {missing}")
        return 1
    if chosen.keep:
        keep(chosen.target, hunted.grown)
    if hunted.found:
        print(f"FOUND {hunted.found}")
    word = "failed" if hunted.found else "passed"
    print(f"fuzz {chosen.target} {word}: {hunted.executions} inputs, {hunted.edges} branches (seed {seed})")
    return 1 if hunted.found else 0


if __name__ == "__main__":
    sys.exit(main())
