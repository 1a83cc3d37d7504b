"""What stands between the attacker and the functions, arm by arm; one user task, with its attacks, in each of them."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from campaign.agentdojo import rules, suites
from campaign.agentdojo.attack import Door
from campaign.agentdojo.door import Bare, Corridor, Declared, Execute, ForgetfulLedger, LeakyCorridor
from campaign.agentdojo.row import ARMS, BARE, BYPASSED, EXACT, FORGETFUL, LEAKY, OPEN, PROMPT, RECORDS, Row
from campaign.agentdojo.suites import Setting


class Task:
    """One user task of a suite, and what its arms grant. All of it is known before anything is planted."""

    def __init__(self, suite: str, name: str, loop: asyncio.Runner) -> None:
        self.suite = suite
        self.name = name
        self._loop = loop
        self._declared: tuple[Declared, ...] = suites.declared(suite)
        self._schemas = suites.schemas(suite)
        self.quiet = suites.quiet_setting(suite, name)
        solution = suites.solution(self.quiet)
        self.needs = {tool for tool, _ in solution}
        self._exact = rules.exact(self._schemas, solution)
        self._prompt = suites.prompt(suite, name)
        self._from_prompt = rules.from_prompt(suite, self._schemas, self._prompt)

    def played(self, where: Setting, arm: str, *, knowing: bool = False, fits: bool = False) -> Row:
        """One setting in one arm, and what the ledger has to say about it."""
        corridors: list[Corridor] = []

        def open_door(execute: Execute) -> Door:
            if arm == BARE:
                return Bare(execute)
            corridors.append(self._corridor(where, arm, execute))
            return corridors[0]

        result, executed = suites.judged(where, open_door, knowing=knowing)
        calls = refused = 0
        problems: list[str] = []
        for corridor in corridors:
            calls, refused, problems = corridor.calls, len(corridor.refused), corridor.problems(executed)
            corridor.close()
        return Row(
            *(self.suite, self.name, where.injection, arm, knowing),
            *(result.played.met, result.hit, result.done, fits, result.played.unwritten),
            *(calls, refused, tuple(problems)),
        )

    def _corridor(self, where: Setting, arm: str, execute: Execute) -> Corridor:
        everything = [one.name for one in self._declared]
        grants = everything if arm in (OPEN, PROMPT, RECORDS) else sorted(self.needs)
        held: Mapping[str, list[Any]] = {}
        if arm == PROMPT:
            held = self._from_prompt
        elif arm == RECORDS:
            held = rules.from_prompt(self.suite, self._schemas, self._prompt, suites.records(where))
        elif arm == EXACT:
            held = self._exact
        made: Callable[..., Corridor] = LeakyCorridor if arm == LEAKY else Corridor
        ledger = ForgetfulLedger() if arm == FORGETFUL else None
        return made(self._declared, execute, grants, held, self._loop, bypassed=arm == BYPASSED, ledger=ledger)


def of_task(suite: str, name: str, seed: int) -> list[Row]:
    """Every row of one user task: undisturbed, and under each injection."""
    with asyncio.Runner() as loop:
        task = Task(suite, name, loop)
        rows = [task.played(task.quiet, arm) for arm in ARMS]
        for number, injection in enumerate(suites.injections(suite)):
            where = suites.setting(suite, name, injection, seed)
            fits = suites.planted_tools(suite, injection) <= task.needs
            for arm in ARMS:
                rows.append(task.played(where, arm, fits=fits))
                if rows[-1].unwritten:
                    rows.append(task.played(where, arm, knowing=True, fits=fits))
            rows.append(task.played(where, BYPASSED, fits=fits))
            if number == 0:
                rows += [task.played(where, arm, fits=fits) for arm in (LEAKY, FORGETFUL)]
        return rows
