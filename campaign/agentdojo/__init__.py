"""AgentDojo's tools behind licet, and a model that obeys every text it reads: what grants and rules leave to it.

No model takes part. Each pair of a user task and an injection task is played in each arm: the calls that solve the user
task are made in turn, and once a result holds the planted text, those that solve the injection are made too. Whether
either goal was reached is for AgentDojo's own checks to say.
"""

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from campaign.agentdojo import arms, check, suites
from campaign.agentdojo.row import BARE, BYPASSED, EXACT, FORGETFUL, LEAKY, OPEN, PROMPT, RECORDS, TOOLS, Row
from campaign.report import Report, Say

WORKERS = 2
TASKS_SHORT = 3
"""How many user tasks of each suite a short run draws, each with all its injections."""


def run(seed: int, short: bool, say: Say) -> Report:
    drawn = chosen(seed, short)
    rows: list[Row] = []
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        for done, of_task in enumerate(pool.map(partial(_played, seed), drawn), 1):
            rows += of_task
            if done % 10 == 0 or done == len(drawn):
                say(f"{done} of {len(drawn)} user tasks, {len(check.attacked(rows, BARE))} pairs")
    return reported(rows, whole=not short)


def chosen(seed: int, short: bool) -> list[tuple[str, str]]:
    """The user tasks by suite, all or a few of each, in the seed's order."""
    rng = random.Random(seed)
    drawn: list[tuple[str, str]] = []
    for suite in suites.SUITES:
        tasks = suites.tasks(suite)
        drawn += [(suite, task) for task in rng.sample(tasks, TASKS_SHORT if short else len(tasks))]
    rng.shuffle(drawn)
    return drawn


def _played(seed: int, which: tuple[str, str]) -> list[Row]:
    return arms.of_task(*which, seed)


def reported(rows: list[Row], *, whole: bool) -> Report:
    figures = check.figures(rows)
    noticed = check.controls(rows, whole=whole)
    control = f"{BYPASSED} lets through what no licet does, {LEAKY}, {FORGETFUL}"
    found = tuple(check.findings(rows, whole=whole))
    return Report("; ".join(_figure(figures)), found, control, all(noticed.values()), {**figures, "controls": noticed})


def _figure(figures: dict[str, dict[str, int]]) -> Iterator[str]:
    bare = figures[BARE]
    yield f"{bare['attacks']} pairs, {bare['tasks']} user tasks: attacks succeed / tasks solved"
    for arm in (BARE, OPEN, TOOLS, PROMPT, RECORDS, EXACT):
        of_arm = figures[arm]
        knowing = of_arm["succeed_knowing"]
        more = "" if knowing == of_arm["succeed"] else f" ({knowing} knowing all beforehand)"
        yield f"{arm} {of_arm['succeed']}{more} / {of_arm['solved']}"
    refused = sum(figures[arm]["refused"] for arm in (TOOLS, PROMPT, RECORDS, EXACT))
    differ = sum(figures[arm]["differ"] for arm in check.AUDITED)
    yield f"{refused:,} calls refused; runs whose ledger tells otherwise than the tools: {differ}"
