"""What drives the workflow of one run: it holds the state, applies what a turn's calls gave, and notes it."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

from ...errors import ConfigurationError, LedgerUnavailableError
from ...ledger.call import fields_of
from ...model.entry import CallRecord, Entry
from ...model.result import ToolResult
from ...model.workflow import Participant, Question, State, Task
from .apply import apply, begin, end, reply
from .entries import ADVANCED, BEGUN, ENDED, REFUSED, REPLIED, Missed, advanced, begun, command_from, commands
from .not_applied import NotAppliedError
from .replay import Replayed

Note = Callable[[str, dict[str, Any]], None]
"""Takes the kind and the body of an entry. When it returns, the entry is on the run's ledger."""

Find = Callable[[str], CallRecord]
"""What the ledger knows of a call: ``ledger.find``."""


class Driver:
    """The task of a run, as ``Run.task``; tools see it, and change nothing in it.

    Commands are applied from the ledger's own entries, in their order there: whatever a ledger leaves out, because it
    sounds secret, is left out of the state too, and a replay comes to the same.
    """

    def __init__(self, state: State, actor: str, *, note: Note, find: Find) -> None:
        """Raises ConfigurationError: the actor is no agent that takes part."""
        if all(known.id != actor or known.kind != "agent" for known in state.participants):
            raise ConfigurationError(f"{actor!r} is no agent that takes part; an agent never acts as its starter")
        self._state = state
        self._actor = actor
        self._note = note
        self._find = find
        self._follow: Callable[[State], None] | None = None
        self.waits_below: Question | None = None
        """What a sub-task asked that is worked on under it, and that has no answer yet."""
        self.missed: tuple[Missed, ...] = ()
        """Commands of the last turn that did not fit the state they came to, though their calls succeeded."""

    @classmethod
    def begin(
        cls,
        task: Task,
        participants: Iterable[Participant],
        actor: str,
        *,
        note: Note,
        find: Find,
        behind: Iterable[str] = (),
    ) -> Self:
        """A workflow that begins now. ``behind`` are the tools that wait for a skill which names them; ``Behind`` is
        what keeps them from runs.

        Raises:
            NotAppliedError: there is no such task, or no such people.
            ConfigurationError: the actor is no agent that takes part.
        """
        driver = cls(begin(task, participants, behind), actor, note=note, find=find)
        note(BEGUN, begun(driver.state, actor))
        return driver

    @classmethod
    def resume(cls, replayed: Replayed, *, note: Note, find: Find) -> Self:
        """A workflow that goes on where a ledger says that it stood."""
        driver = cls(replayed.state, replayed.actor, note=note, find=find)
        driver._tell(replayed.missed)
        return driver

    def followed_by(self, follow: Callable[[State], None]) -> None:
        """Tell this the state, now and after each turn that changed it: before anything else is called."""
        self._follow = follow
        follow(self._state)

    @property
    def id(self) -> str:
        return self._state.root

    @property
    def actor(self) -> str:
        return self._actor

    @property
    def state(self) -> State:
        """As it stands at the beginning of the turn."""
        return self._state

    @property
    def waits_for(self) -> Question | None:
        """The first question that has no answer yet, a sub-task's included: until then the run is paused."""
        own = next((asked for asked in self._state.questions if asked.answer is None), None)
        return own or self.waits_below

    def apply(self, results: Iterable[ToolResult]) -> None:
        """Apply the commands that a turn's calls gave.

        Raises:
            LedgerUnavailableError: the ledger does not hold what a call gave.
        """
        given = [self._completed(result) for result in results if result.success and result.command is not None]
        found = sorted((entry for entry in given if entry is not None), key=lambda entry: entry[0].seq)
        missed: list[Missed] = []
        for entry, tool in found:
            body = fields_of(entry.body)
            try:
                command = command_from(tool, body.get("output"))
                self._state = apply(self._state, command, call=body["call"], actor=self._actor, task=self.id)
            except NotAppliedError as exc:
                missed.append(Missed(body["call"], exc.reason))
        if self._follow is not None:
            self._follow(self._state)
        self._tell(missed)
        if found:
            self._note(ADVANCED, advanced(self._state))

    def corrected(self, results: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
        """The results of the last turn as a model may read them: a command that was not applied is no success."""
        reasons = {missed.call: missed.reason for missed in self.missed}
        return tuple(
            _not_applied(result, reasons[result.call_id]) if result.call_id in reasons else result for result in results
        )

    def reply(self, nonce: str, participant: str, text: str, *, by: str = "") -> None:
        """A participant answered; ``by`` is who was at the keyboard, where the system knows. Raises NotAppliedError."""
        after = reply(self._state, nonce, participant, text)
        typed = {"by": by} if by else {}
        self._note(REPLIED, {**typed, "nonce": nonce, "participant": participant, "text": text})
        self._state = after

    def end(self, task: str, standing: Literal["done", "failed"], result: str | None = None) -> None:
        """A task is over: this one, or one of its sub-tasks. Raises NotAppliedError: there is none, or it was over."""
        after = end(self._state, task, standing, result)
        if after is self._state:
            return
        self._note(ENDED, {"task": task, "standing": standing, "result": result})
        self._state = after

    def _completed(self, result: ToolResult) -> tuple[Entry, str] | None:
        """How the ledger tells the end of a call, and which intrinsic it was of."""
        if not commands(result.tool):
            return None
        closed = self._find(result.call_id).closed
        if closed is None or closed.kind != "tool.completed":
            raise LedgerUnavailableError(f"the ledger does not hold the end of call {result.call_id!r}")
        return closed, result.tool

    def _tell(self, missed: Iterable[Missed]) -> None:
        self.missed = tuple(missed)
        for call, reason in self.missed:
            self._note(REFUSED, {"call": call, "reason": reason})


def _not_applied(result: ToolResult, reason: str) -> ToolResult:
    told = "the call was fine, and its command did not fit any more what came before it in the same turn"
    return result._replace(
        success=False,
        output={},
        json=b"{}",
        command=None,
        effect="none",
        code="tool_failed",
        error=told,
        metadata={**result.metadata, "reason": reason},
    )
