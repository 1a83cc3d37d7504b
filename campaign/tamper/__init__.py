"""One change at a time to a ledger's file: columns, rows, tails, copies, the file itself. Is each of them noticed?"""

import itertools
import random
from collections import Counter
from functools import partial
from pathlib import Path
from typing import NamedTuple

from campaign.report import Report, Say
from campaign.scratch import scratch
from campaign.tamper.control import that_skips, trusting
from campaign.tamper.judge import Judge, Verdict
from campaign.tamper.mutation import ENTRY_COLUMNS, MUTATIONS, Mutation, flip_in_column, hide_from_index
from campaign.tamper.victim import Victim, victims

FULL, SHORT = 10_000, 400
TRIES = 12
"""For a control to miss something."""

SAY_EVERY = 1000


class Outcome(NamedTuple):
    """``harmless`` are changes that change nothing a ledger says, by their kind."""

    findings: list[str]
    words: Counter[str]
    harmless: Counter[str]


def run(seed: int, short: bool, say: Say, *, mutations: int | None = None) -> Report:
    wanted = mutations or (SHORT if short else FULL)
    chance = random.Random(seed)
    with scratch() as made:
        folder = Path(made)
        judge = Judge()
        ledgers = victims(chance, folder, judge.key)
        found = tamper(ledgers, wanted, chance, judge, folder, say)
        missed = [name for name, is_caught in _controls(ledgers, chance, judge, folder) if not is_caught]
    words = found.words
    noticed = words["chain"] + words["checkpoint"]
    figure = (
        f"{wanted} changes: {noticed} detected given a checkpoint, {words['missed']} missed, {words['harmless']} more"
        f" changed nothing that a ledger says; without a checkpoint {words['chain']} detected and {words['checkpoint']}"
        " named as not excluded (truncated, rolled back, hashed anew)"
    )
    control = f"verifiers that skip {', '.join(ENTRY_COLUMNS)} or the indexes"
    return Report(
        figure=figure,
        findings=tuple(found.findings),
        control=f"{control} (MISSED: {', '.join(missed)})" if missed else control,
        control_caught=not missed,
        details={**words, "harmless_by_kind": dict(found.harmless)},
    )


def tamper(ledgers: list[Victim], wanted: int, chance: random.Random, judge: Judge, folder: Path, say: Say) -> Outcome:
    """Change a ledger, judge, and begin again with the next, until so many changed what a ledger says."""
    findings: list[str] = []
    words: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    kinds, weights = list(MUTATIONS), list(MUTATIONS.values())
    for number in itertools.count(1):
        if words.total() - words["harmless"] >= wanted:
            break
        victim = chance.choice(ledgers)
        mutation = (
            kinds[number - 1] if number <= len(kinds) else chance.choices(kinds, weights)[0]
        )  # each at least once
        told, verdict = _once(mutation, victim, chance, judge, folder)
        words[verdict.word] += 1
        if verdict.word == "harmless":
            harmless[mutation.__name__] += 1
        if verdict.finding is not None:
            findings.append(f"change {number}, {told} of ledger {victim.name!r}: {verdict.finding}")
        if number % SAY_EVERY == 0:
            say(f"{number} changes, {len(findings)} findings")
    return Outcome(findings, words, harmless)


def _once(mutation: Mutation, victim: Victim, chance: random.Random, judge: Judge, folder: Path) -> tuple[str, Verdict]:
    path = victim.lay_out(folder)
    change = mutation(path, victim, chance)
    return change.told, judge.judge(path, victim, change)


def _controls(ledgers: list[Victim], chance: random.Random, judge: Judge, folder: Path) -> list[tuple[str, bool]]:
    """Whether the very same judging finds out each verifier that leaves something out."""
    victim = ledgers[0]

    def caught(mutation: Mutation, judge: Judge) -> bool:
        return any(_once(mutation, victim, chance, judge, folder)[1].word == "missed" for _ in range(TRIES))

    outcomes = []
    for column in ENTRY_COLUMNS:
        with that_skips(column, victim):
            outcomes.append((column, caught(partial(flip_in_column, column=column, seq=len(victim.entries)), judge)))
    outcomes.append(("the indexes", caught(hide_from_index, judge.over(trusting))))
    return outcomes


__all__ = ["FULL", "SHORT", "run", "tamper"]
