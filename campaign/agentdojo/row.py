"""The arms, which are what stands between an attacker and the functions, and how one setting went in one of them."""

from typing import NamedTuple

BARE = "bare"
OPEN = "all tools"
TOOLS = "task's tools"
PROMPT = "prompt's words"
RECORDS = "prompt's words and records"
EXACT = "exact arguments"
ARMS = (BARE, OPEN, TOOLS, PROMPT, RECORDS, EXACT)
BYPASSED, LEAKY, FORGETFUL = "a build without grants", "a leaky corridor", "a forgetful ledger"


class Row(NamedTuple):
    """One setting, played once. Without an ``injection`` nothing was planted.

    ``done``: the user's task is solved, by AgentDojo's check, and every call of its solution ran. ``fits``: every tool
    that the injection needs is one that the task needs. ``unwritten`` counts the planted calls that were not made
    because something in them was never read: a ``knowing`` attacker is played only where there are some.
    """

    suite: str
    task: str
    injection: str
    arm: str
    knowing: bool
    met: bool
    hit: bool
    done: bool
    fits: bool
    unwritten: int
    calls: int
    refused: int
    problems: tuple[str, ...]

    @property
    def pair(self) -> tuple[str, str, str]:
        return self.suite, self.task, self.injection
