"""What a ledger says of a run's earlier turns: how it began, and what it used."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...ledger.call import CLOSES, REQUESTED, fields_of
from ...model.entry import Entry
from ..scenario.journal import ENDED, OPENED
from ..workflow.entries import BEGUN
from .waiting import Entries, Stands

_ROOT = "run."
"""What the id of a scenario's task begins with, before the run's."""


class Begun(NamedTuple):
    """Of which scenario, with which seed, and what everybody was told first. ``folder``: where; empty if not noted.
    ``skills``: the digests of those that it began with; None: its cast could load none.
    """

    scenario: str
    seed: str
    text: str
    folder: str = ""
    skills: Mapping[str, str] | None = None


class Spent(NamedTuple):
    """By the run and its sub-tasks."""

    calls: int
    tokens: int
    turns: int


def begun(entries: Iterable[Entry], run_id: str) -> Begun:
    """How a run began.

    Raises:
        ConfigurationError: no scenario did, or it is a sub-task's and goes on with the run that it belongs to.
    """
    for entry in entries:
        body = fields_of(entry.body)
        if entry.kind == OPENED:
            folder = fields_of(entry.trace).get("folder") or ""
            return Begun(str(body["scenario"]), str(body["seed"]), str(body["text"]), str(folder), body.get("skills"))
        if entry.kind == BEGUN and (whole := _whole(body)):
            raise ConfigurationError(f"the run {run_id} is a part of {whole}; licet resume {whole} goes on with both")
    raise ConfigurationError(f"no scenario began the run {run_id}; what began it goes on with Driver.resume")


def whole_of(entries: Iterable[Entry], run_id: str) -> str:
    """The run that a run is a part of, because it works on a sub-task of it; else the run itself."""
    begun = next((fields_of(entry.body) for entry in entries if entry.kind == BEGUN), {})
    return _whole(begun) or run_id


def _whole(body: Mapping[str, Any]) -> str:
    task = body.get("task")
    if not isinstance(task, dict) or not task.get("parent"):
        return ""
    return str(task.get("id")).partition("/")[0].removeprefix(_ROOT)


def spent(entries: Entries, stood: Stands) -> Spent:
    """What was used until now.

    Raises:
        ConfigurationError: a call has a beginning and no end, and nobody knows what it did.
    """
    calls = tokens = turns = 0
    for run_id in stood.parts:
        begun: dict[str, None] = {}
        for entry in entries(run_id):
            body = fields_of(entry.body)
            if entry.kind == REQUESTED:
                calls += 1
                begun[str(body.get("call"))] = None
            elif entry.kind in CLOSES:
                begun.pop(str(body.get("call")), None)
            elif entry.kind == ENDED:
                tokens, turns = int(body.get("tokens", 0)), int(body.get("turns", 0))
        if begun:
            told = f"the call {next(iter(begun))} has a beginning and no end: find out what it did"
            raise ConfigurationError(f"{told}, then licet ledger settle CALL done|failed --note TEXT")
    return Spent(calls, tokens, turns)


__all__ = ["Begun", "Spent", "begun", "spent", "whole_of"]
