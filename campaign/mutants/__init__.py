"""Mutants of the code that decides, and whether the tests notice them."""

import ast
import os
import random
import tempfile
import tomllib
from collections.abc import Iterator
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
FIRST_S = 300.0
"""How long the tests may take before it is known how long they take."""
CONTROL = "a mutant that grants everything is killed, one that changes nothing survives"

UNIT = "tests/unit/"
ROOM_3 = tuple(f"{UNIT}runtime/test_{name}.py" for name in ("order_of_checks", "explanations", "ticket"))
ROOM_4 = (f"{UNIT}runtime/test_approval_room.py", f"{UNIT}approvals")
POLICY = (f"{UNIT}policy", *ROOM_3)
LEDGERS = (f"{UNIT}ledger", "tests/contract/test_ledgers.py", "tests/property/test_any_edit_breaks_the_chain.py")
UNDONE = tuple(f"{UNIT}runtime/test_rollback{name}.py" for name in ("", "_leftovers"))
FILES = (f"{UNIT}workspace", f"{UNIT}bundles", "tests/property/test_paths_never_escape.py")
TESTED_BY: dict[str, tuple[str, ...]] = {
    "src/licet/model/names.py": (f"{UNIT}model",),
    "src/licet/model/paths.py": (f"{UNIT}model", *POLICY),
    "src/licet/policy/p*.py": (*POLICY, f"{UNIT}workspace"),
    "src/licet/policy/[!p]*.py": (*POLICY, ROOM_4[0]),
    "src/licet/policy/hosted.py": (*POLICY, f"{UNIT}runtime/test_hosted_tools.py"),
    "src/licet/runtime/authorize.py": (*ROOM_3, *ROOM_4),
    "src/licet/runtime/approve.py": ROOM_4,
    "src/licet/approvals/*.py": ROOM_4,
    "src/licet/ledger/*.py": LEDGERS,
    "src/licet/workspace/*.py": FILES,
    "src/licet/workspace/[bku]*.py": (*FILES, *UNDONE),  # blobs, what was kept of a file, undoing
}
"""What is mutated, and which tests have to notice; of several patterns the last."""
LIKELIEST = {
    "ledger/batch": "ledger/test_ledger_batch",
    "ledger/committer": "ledger/test_ledger_committer",
    "ledger/writer": "ledger/test_ledger_writer",
    "ledger/sqlite": "ledger/test_ledger_waiting",
    "ledger/table": "ledger/test_ledger_triggers",
    "ledger/keys": "ledger/test_ledger_checkpoint",
    "ledger/fork": "ledger/test_ledger_processes",
    "ledger/run": "ledger/test_ledger_runs",
    "ledger/call": "ledger/test_ledger_runs",
    "ledger/beside": "ledger/test_ledger_batch",
    "workspace/blobs": "workspace/test_workspace_blobs",
    "workspace/kept": "workspace/test_workspace_blobs",
    "workspace/undo": "runtime/test_rollback",
    "workspace/reads": "workspace/test_workspace_reading",
    "workspace/content": "workspace/test_workspace_reading",
    "workspace/reach": "workspace/test_workspace_reading",
    "workspace/walk": "workspace/test_workspace_reading",
    "approvals/terminal": "approvals",
    "approvals/rule": "approvals",
}
"""Which of them go first, where the name does not tell."""


EQUIVALENT = "campaign/mutants/equivalent.toml"
"""Mutants that say the same as the original, each with the reason why no test can notice."""
GRANTED = "src/licet/policy/grants.py"
"""Holds ``granted``, whose broken form is the control."""


class Subject(NamedTuple):
    """A project, what of it is mutated, and the mutants that are left out."""

    project: Path = PROJECT
    tested_by: dict[str, tuple[str, ...]] = TESTED_BY
    granted: str = GRANTED

    def population(self) -> dict[Mutant, tuple[str, ...]]:
        """Every mutant and its tests, without those on the list of equivalent ones."""
        listed = self.project / EQUIVALENT
        same = tomllib.loads(listed.read_text("utf-8")) if listed.exists() else {}
        every: dict[Mutant, tuple[str, ...]] = {}
        for file, tests in self._files():
            every.update((mutant, tests) for mutant in mutants(self.project, file) if mutant.key not in same)
        return every

    def always_granted(self) -> tuple[Mutant, tuple[str, ...]]:
        """The control: ``granted`` says yes to every name."""
        source = (self.project / self.granted).read_text("utf-8")
        functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
        last = next(node.body[-1] for node in functions if node.name == "granted")
        before = ast.get_source_segment(source, last) or ""
        start = len(source[: source.index(before)].encode())
        tests = next(tests for file, tests in self._files() if file == self.granted)
        return Mutant(self.granted, last.lineno, "granted", "control", start, before, "return PERMIT"), tests

    def nothing(self) -> Mutant:
        """The other control: a mutant that changes nothing."""
        return Mutant(self.granted, 1, "module", "control", 0, "", "# nothing else\n")

    def first(self, mutant: Mutant) -> tuple[str, ...]:
        """The tests that are the likeliest to notice, before all that have to."""
        folder, name = mutant.file.removesuffix(".py").split("/")[-2:]
        likeliest = LIKELIEST.get(f"{folder}/{name}")
        named = (likeliest,) if likeliest else (f"{folder}/test_{folder}_{name}", f"{folder}/test_{name}")
        files = (f"{UNIT}{test}{end}" for test in named for end in (".py", ""))
        return tuple(file for file in files if (self.project / file).exists())

    def _files(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for pattern, tests in self.tested_by.items():
            for file in sorted(self.project.glob(pattern)):
                yield str(file.relative_to(self.project)), tests


class Bench:
    """Copies of a project, one for each worker, and how long the tests may take in them."""

    def __init__(self, subject: Subject, folder: str) -> None:
        os.chmod(folder, 0o711)  # tests that give up root's rights have their files below it
        self._copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(WORKERS):
            self._copies.put(Copy(subject.project, Path(folder, str(number))))
        self.limits_s: dict[tuple[str, ...], float] = {}

    def tried(self, mutant: Mutant, tests: tuple[str, ...], first: tuple[str, ...] = ()) -> Tried:
        copy = self._copies.get()
        try:
            return copy.tried(mutant, (*first, *tests), self.limits_s.get(tests, FIRST_S))
        finally:
            self._copies.put(copy)


def run(seed: int, short: bool, say: Say, size: int | None = None, subject: Subject = Subject()) -> Report:  # noqa: B008
    """A sample, each member against the tests of its package."""
    tests = subject.population()
    wanted = size or (SIZE_SHORT if short else SIZE)
    sample = random.Random(seed).sample(sorted(tests), min(wanted, len(tests)))
    broken, broken_tests = subject.always_granted()
    results: list[Tried] = []
    with tempfile.TemporaryDirectory(prefix="licet-mutants-") as folder, ThreadPoolExecutor(WORKERS) as pool:
        bench = Bench(subject, folder)
        suites = sorted({broken_tests, *(tests[mutant] for mutant in sample)})
        unmutated = pool.map(lambda suite: bench.tried(subject.nothing(), suite), suites)
        for suite, result in zip(suites, unmutated, strict=True):
            if result.outcome != "survived":
                problem = (
                    f"the tests do not pass without any mutant: {' '.join(suite)}: {result.said or result.outcome}"
                )
                return Report("no mutants tried", (problem,), CONTROL, False)
            bench.limits_s[suite] = 3 * result.seconds + 5
        say(f"{len(sample)} of {len(tests)} mutants; the tests pass without any")
        for result in pool.map(lambda mutant: bench.tried(mutant, tests[mutant], subject.first(mutant)), sample):
            results.append(result)
            if result.outcome == "survived":
                say(f"survived: {told(result.mutant)}")
            if len(results) % 50 == 0:
                say(f"{len(results)} mutants tried")
        granted = bench.tried(broken, broken_tests).outcome
    survivors = [told(result.mutant) for result in results if result.outcome == "survived"]
    hung = sum(result.outcome == "timed out" for result in results)
    score = 1 - len(survivors) / len(results)
    enough = score >= (LEAST_SHORT if short else LEAST)
    return Report(
        f"{len(results) - len(survivors)} of {len(results)} mutants killed ({score:.1%}, {hung} because they hang)",
        () if enough else (f"only {score:.1%} of the mutants were killed", *survivors),
        CONTROL,
        granted == "killed",
        {"mutants": len(results), "survivors": survivors, "seconds": [round(r.seconds, 2) for r in results]},
    )


def told(mutant: Mutant) -> str:
    """File, line and difference."""
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    return f"{mutant.file}:{mutant.line} ({mutant.where}, {mutant.kind}): {before} -> {after}"
