"""Mutants of the code that decides, and whether the tests notice them."""

import ast
import random
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from campaign.mutants.sites import Mutant, mutants
from campaign.mutants.trial import Copy, Tried
from campaign.report import Report, Say

PROJECT = Path(__file__).parents[2]
SIZE, SIZE_SHORT = 400, 40
LEAST, LEAST_SHORT = 0.9, 0.8
"""The share that has to be killed. So few as in a short run say less about the whole."""
WORKERS = 2
EQUIVALENT = Path(__file__).with_name("equivalent.toml")

UNIT = "tests/unit/"
ROOM_3 = tuple(f"{UNIT}runtime/test_{name}.py" for name in ("order_of_checks", "explanations", "ticket"))
ROOM_4 = (f"{UNIT}runtime/test_approval_room.py", f"{UNIT}approvals")
LEDGERS = ("tests/contract/test_ledgers.py", "tests/property/test_any_edit_breaks_the_chain.py")
FILES = (f"{UNIT}workspace", f"{UNIT}bundles", "tests/property/test_paths_never_escape.py")
TESTED_BY: dict[str, tuple[str, ...]] = {
    "src/licet/model/names.py": (f"{UNIT}model",),
    "src/licet/model/paths.py": (f"{UNIT}model", f"{UNIT}policy"),
    "src/licet/policy/p*.py": (f"{UNIT}policy", *ROOM_3, f"{UNIT}workspace"),
    "src/licet/policy/[!p]*.py": (f"{UNIT}policy", *ROOM_3),
    "src/licet/runtime/authorize.py": (*ROOM_3, *ROOM_4),
    "src/licet/runtime/approve.py": ROOM_4,
    "src/licet/approvals/*.py": ROOM_4[::-1],
    "src/licet/ledger/*.py": (f"{UNIT}ledger", *LEDGERS),
    "src/licet/workspace/*.py": FILES,
}
"""What is mutated, and which tests have to notice, the likeliest first."""


class Granted(NamedTuple):
    file: str = "src/licet/policy/grants.py"
    tests: tuple[str, ...] = TESTED_BY["src/licet/policy/[!p]*.py"]


GRANTED = Granted()
NOTHING = Mutant(GRANTED.file, 1, "module", "control", 0, "", "# nothing else\n")
FIRST_S = 300.0
"""How long the tests may take before it is known how long they take."""


def population(project: Path = PROJECT) -> dict[Mutant, tuple[str, ...]]:
    """Every mutant and its tests, without those on the list of equivalent ones."""
    same = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    files = {file: tests for pattern, tests in TESTED_BY.items() for file in sorted(project.glob(pattern))}
    every = {m: tests for file, tests in files.items() for m in mutants(project, str(file.relative_to(project)))}
    return {mutant: tests for mutant, tests in every.items() if mutant.key not in same}


def run(seed: int, short: bool, say: Say, size: int | None = None) -> Report:
    """A sample, each member against the tests of its package."""
    tests = population()
    sample = random.Random(seed).sample(sorted(tests), min(size or (SIZE_SHORT if short else SIZE), len(tests)))
    with tempfile.TemporaryDirectory(prefix="licet-mutants-") as folder, ThreadPoolExecutor(WORKERS) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(WORKERS):
            copies.put(Copy(PROJECT, Path(folder, str(number))))
        limits: dict[tuple[str, ...], float] = {}

        def tried(mutant: Mutant, of: tuple[str, ...]) -> Tried:
            copy = copies.get()
            try:
                return copy.tried(mutant, of, limits.get(of, FIRST_S))
            finally:
                copies.put(copy)

        suites = sorted({*tests.values()} if size is None else {GRANTED.tests, *(tests[m] for m in sample)})
        for of, unmutated in zip(suites, pool.map(lambda of: tried(NOTHING, of), suites), strict=True):
            if unmutated.outcome != "survived":
                problem = f"the tests do not pass without any mutant: {' '.join(of)}"
                return Report("no mutants tried", (problem,), "", False)
            limits[of] = 3 * unmutated.seconds + 5
        say(f"{len(sample)} of {len(tests)} mutants; the tests pass without any")
        results = []
        for result in pool.map(lambda mutant: tried(mutant, tests[mutant]), sample):
            results.append(result)
            if result.outcome == "survived":
                say(f"survived: {told(result.mutant)}")
            if len(results) % 50 == 0:
                say(f"{len(results)} mutants tried")
        granted = tried(always_granted(), GRANTED.tests).outcome
    survivors = [told(result.mutant) for result in results if result.outcome == "survived"]
    score = 1 - len(survivors) / len(results)
    enough = score >= (LEAST_SHORT if short else LEAST)
    return Report(
        f"{len(results) - len(survivors)} of {len(results)} mutants killed ({score:.1%})",
        () if enough else (f"only {score:.1%} of the mutants were killed", *survivors),
        "a mutant that grants everything is killed, one that changes nothing survives",
        granted == "killed",
        {"mutants": len(results), "survivors": survivors, "seconds": [round(r.seconds, 2) for r in results]},
    )


def told(mutant: Mutant) -> str:
    """File, line and difference."""
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    return f"{mutant.file}:{mutant.line} ({mutant.where}, {mutant.kind}): {before} -> {after}"


def always_granted() -> Mutant:
    """The control: ``granted`` says yes to every name."""
    source = (PROJECT / GRANTED.file).read_text("utf-8")
    body = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == "granted")
    before = ast.get_source_segment(source, body.body[-1]) or ""
    start = len(source[: source.index(before)].encode())
    return Mutant(GRANTED.file, body.lineno, "granted", "control", start, before, "return PERMIT")
