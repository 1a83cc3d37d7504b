"""What a ledger says of a run's earlier turns: how it began, whose they were, what they used, and where it stopped."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...ledger.call import CLOSES, REQUESTED, fields_of
from ...model.entry import Entry
from ...model.event import Event, problem_of_kind
from ..scenario.journal import ENDED, EVENT_REFUSED, LIMITED, OPENED, RESUMED, TURN_FAILED, TURN_PASSED
from ..scenario.stage import EarlierTurn
from ..workflow.entries import BEGUN
from .waiting import Entries, Stands

_ROOT = "run."
"""What the id of a scenario's task begins with, before the run's."""

_TURN_ENDS = frozenset({EVENT_REFUSED, LIMITED, TURN_FAILED, TURN_PASSED})
"""Entries, besides events, that a turn ends with."""


class Begun(NamedTuple):
    """Of which scenario, with which seed, and what everybody was told first. ``folder``: where; empty if not noted.
    ``skills``: the digests of those that it began with; None: its cast could load none. ``behind`` are the tools that
    these name.
    """

    scenario: str
    seed: str
    text: str
    cast: tuple[str, ...]
    folder: str = ""
    skills: Mapping[str, str] | None = None
    behind: tuple[str, ...] = ()


class Earlier(NamedTuple):
    """``stop`` is how the last process ended it, empty where that ended in between. ``paused``: the last turn is one in
    which somebody was asked, and is not over. ``parts`` is how many processes went on with it. ``open`` are the calls
    of a turn that was under way at the end, by agent.
    """

    turns: tuple[EarlierTurn, ...]
    stop: str
    paused: bool
    parts: int
    tokens: int
    open: Mapping[str, tuple[str, ...]]


def begun(entries: Iterable[Entry], run_id: str) -> Begun:
    """How a run began.

    Raises:
        ConfigurationError: no scenario did, or it is a sub-task's and goes on with the run that it belongs to.
    """
    for entry in entries:
        body = fields_of(entry.body)
        if entry.kind == OPENED:
            folder = fields_of(entry.trace).get("folder") or ""
            return Begun(
                scenario=str(body["scenario"]),
                seed=str(body["seed"]),
                text=str(body["text"]),
                cast=tuple(body["cast"]),
                folder=str(folder),
                skills=body.get("skills"),
                behind=tuple(map(str, body.get("behind") or ())),
            )
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


def earlier(entries: Iterable[Entry]) -> Earlier:
    """The turns of a run until now, in their order."""
    said: dict[int, list[Event]] = {}
    whose: dict[int, str] = {}
    calls: dict[str, list[str]] = {}
    stop, parts, tokens, paused = "", 0, 0, 0
    for entry in entries:
        trace = fields_of(entry.trace)
        number = int(trace.get("turn") or 0)
        tokens = int(trace.get("tokens", tokens))  # of one that was being asked, all that it may use
        if entry.kind == REQUESTED:
            calls.setdefault(entry.actor, []).append(str(fields_of(entry.body).get("tool")))
            continue
        if entry.kind == RESUMED:
            stop, parts = "", parts + 1
        elif entry.kind == ENDED:
            body = fields_of(entry.body)
            stop, tokens = str(body.get("stop")), int(body.get("tokens", tokens))
            if stop == "broken":
                continue  # whatever was under way then still is
            paused = number if stop == "input_required" else 0
            if paused:
                whose.setdefault(number, "")
        elif entry.kind in _TURN_ENDS:
            whose[number], paused = entry.actor, 0
        elif not problem_of_kind(entry.kind):
            whose[number], paused = entry.actor, 0
            said.setdefault(number, []).append(Event(entry.kind, fields_of(entry.body), entry.actor))
        else:
            continue
        calls.clear()
    last = max(whose, default=0)
    turns = tuple(EarlierTurn(whose.get(at, ""), tuple(said.get(at, ()))) for at in range(1, last + 1))
    return Earlier(turns, stop, paused > 0, parts, tokens, {actor: tuple(tools) for actor, tools in calls.items()})


def calls_of(entries: Entries, run_id: str, stood: Stands | None) -> Mapping[str, int]:
    """How many calls each agent of the cast made; those of sub-tasks count as its who works on the whole.

    Raises:
        ConfigurationError: a call has a beginning and no end, and nobody knows what it did.
    """
    made: dict[str, int] = {}
    for part in (run_id,) if stood is None else stood.parts:
        begun: dict[str, None] = {}
        for entry in entries(part):
            if entry.kind == REQUESTED:
                who = entry.actor if part == run_id or stood is None else stood.found.actor
                made[who] = made.get(who, 0) + 1
                begun[str(fields_of(entry.body).get("call"))] = None
            elif entry.kind in CLOSES:
                begun.pop(str(fields_of(entry.body).get("call")), None)
        if begun:
            told = f"the call {next(iter(begun))} has a beginning and no end: find out what it did"
            raise ConfigurationError(f"{told}, then licet ledger settle CALL done|failed --note TEXT")
    return made


def since_resumed(entries: Iterable[Entry]) -> Iterator[Event]:
    """The events of the process that went on with a run last."""
    found: list[Event] = []
    for entry in entries:
        if entry.kind == RESUMED:
            found.clear()
        elif not problem_of_kind(entry.kind):
            found.append(Event(entry.kind, fields_of(entry.body), entry.actor))
    return iter(found)


__all__ = ["Begun", "Earlier", "begun", "calls_of", "earlier", "since_resumed", "whole_of"]
