"""The state of a workflow again, from the ledger alone: nothing here reaches a model or a tool."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import LicetError
from ...ledger.call import CLOSES, REQUESTED, fields_of
from ...model.entry import Entry
from ...model.workflow import State
from .apply import apply, begin, end, reply
from .entries import (
    ADVANCED,
    BEGUN,
    ENDED,
    REFUSED,
    REPLIED,
    Missed,
    advanced,
    behind_from,
    command_from,
    commands,
    participants_from,
    task_from,
)
from .not_applied import NotAppliedError


class ReplayError(LicetError):
    """The entries do not lead where they say. ``seq`` and ``kind`` name the first entry that differs."""

    code = "replay_differs"

    def __init__(self, entry: Entry, problem: str) -> None:
        super().__init__(f"entry {entry.seq} ({entry.kind}): {problem}")
        self.seq = entry.seq
        self.kind = entry.kind


class Replayed(NamedTuple):
    """Where the entries of a run led. ``compared`` counts the digests that were compared, and were equal."""

    state: State
    actor: str
    commands: int
    compared: int
    missed: tuple[Missed, ...] = ()
    """Commands that do not fit, and of which the ledger does not say so yet: the run ended in between."""


def replay(entries: Iterable[Entry]) -> Replayed | None:
    """The state that the entries of one run lead to; None: there is no workflow in them.

    Raises:
        ReplayError: an entry is not what follows from those before it.
    """
    player = _Player()
    for entry in entries:
        player.take(entry)
    if player.state is None:
        return None
    missed = tuple(Missed(call, reason) for call, reason in player.missed.items())
    return Replayed(player.state, player.actor, player.commands, player.compared, missed)


class _Player:
    def __init__(self) -> None:
        self.state: State | None = None
        self.actor = ""
        self.commands = self.compared = 0
        self.missed: dict[str, str] = {}
        """Call -> why its command did not fit, until an entry says the same."""
        self.open: dict[str, str] = {}
        """Call -> the intrinsic that was asked for."""
        self.run = ""

    def take(self, entry: Entry) -> None:
        """One entry further."""
        self.run = self.run or entry.run_id
        if entry.run_id != self.run:
            raise ReplayError(entry, f"it is of another run than those before it, {self.run!r}")
        body = fields_of(entry.body)
        if entry.kind == REQUESTED and commands(body.get("tool")):
            self.open[str(body.get("call"))] = body["tool"]
        elif entry.kind in CLOSES and (tool := self.open.pop(str(body.get("call")), None)) is not None:
            if entry.kind == "tool.completed":
                self._command(entry, tool, str(body["call"]), body.get("output"))
        elif entry.kind in _TAKES:
            try:
                _TAKES[entry.kind](self, entry, body)
            except NotAppliedError as exc:
                raise ReplayError(entry, str(exc)) from exc
            except (KeyError, TypeError, AttributeError) as exc:
                raise ReplayError(entry, "its body has another shape") from exc

    def _command(self, entry: Entry, tool: str, call: str, output: object) -> None:
        state = self._begun(entry)
        self.commands += 1
        try:
            command = command_from(tool, output)
            self.state = apply(state, command, call=call, actor=self.actor, task=state.root)
        except NotAppliedError as exc:
            self.missed[call] = exc.reason

    def _begun(self, entry: Entry) -> State:
        if self.state is None:
            raise ReplayError(entry, f"no {BEGUN} stands before it")
        return self.state

    def begun(self, entry: Entry, body: Mapping[str, Any]) -> None:
        if self.state is not None:
            raise ReplayError(entry, "the workflow of this run has begun already")
        self.actor = body["actor"]
        self.state = begin(task_from(body), participants_from(body), behind_from(body))

    def replied(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self.state = reply(self._begun(entry), body["nonce"], body["participant"], body["text"])

    def ended(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self.state = end(self._begun(entry), body["task"], body["standing"], body["result"])

    def refused(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._begun(entry)
        reason = self.missed.pop(body["call"], None)
        if reason != body["reason"]:
            raise ReplayError(entry, f"it says {body['reason']!r}, and the command {reason or 'fits'}")

    def advanced(self, entry: Entry, body: Mapping[str, Any]) -> None:
        state = self._begun(entry)
        if self.missed:
            raise ReplayError(entry, f"a command before it does not fit ({next(iter(self.missed.values()))})")
        reached = advanced(state)
        if (body["applied"], body["state"]) != (reached["applied"], reached["state"]):
            told = f"{body['applied']} commands led to {body['state']}"
            raise ReplayError(entry, f"it says that {told}; here {reached['applied']} lead to {reached['state']}")
        self.compared += 1


_TAKES: Mapping[str, Callable[[_Player, Entry, Mapping[str, Any]], None]] = MappingProxyType(
    {
        BEGUN: _Player.begun,
        REPLIED: _Player.replied,
        ENDED: _Player.ended,
        REFUSED: _Player.refused,
        ADVANCED: _Player.advanced,
    }
)
