"""Undo what a run wrote, from its entries alone: the act of a person, once the process of the run is gone.

The entries say which files its calls wrote and what those were before; the contents lie beside the ledger. Who undoes a
run of this process asks the run itself: ``Run.rollback``.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from ..errors import ConfigurationError, RollbackError
from ..ledger.beside import blobs_of, files_of
from ..ledger.call import CLOSES, REFUSED, REQUESTED, fields_of
from ..ledger.run import AT_US, ROLLBACK_BEGUN, ROLLED_BACK
from ..model.entry import Draft, Entry
from ..model.names import short
from ..model.paths import PathPolicy
from ..ports import Ledger
from ..workspace.blobs import Blobs
from ..workspace.kept import Kept, Step
from ..workspace.undo import MAX_NAMED, Returned, Undo
from ..workspace.workspace import Workspace

CHECKPOINTED = "tool.checkpointed"


class RolledBack(NamedTuple):
    """What came of it. ``calls`` were undone, the newest first; ``files`` are the ones that changed.

    ``entry`` is the one that says so; without ``calls`` it is an earlier one, or None if there was nothing to undo.
    ``left`` counts, by tool, the calls that have no checkpoint: whatever they did stays.
    """

    run_id: str
    calls: tuple[str, ...]
    files: tuple[Returned, ...]
    entry: Entry | None
    left: dict[str, int]


@dataclass(slots=True)
class _Call:
    id: str
    tool: str
    token: Any = None
    end: str | None = None
    output: Any = None

    @property
    def may_have_written(self) -> bool:
        return self.token is not None and self.end not in REFUSED


class _Story:
    """What a run's entries tell of its writes."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.calls: dict[str, _Call] = {}
        self.written: dict[str, _Call] = {}
        """Of these, the ones with a checkpoint, in the order in which it was taken."""
        self.undone: set[str] = set()
        self.undoing: set[str] = set()
        """Of these somebody began to undo, and the end of that is not on the ledger."""
        self.last: Entry | None = None
        self.entries = 0
        for entry in entries:
            self.entries += 1
            self._read(entry)

    def _read(self, entry: Entry) -> None:
        body = fields_of(entry.body)
        call = self.calls.get(str(body.get("call")))
        if entry.kind == REQUESTED:
            name = str(body.get("call"))
            self.calls[name] = _Call(name, str(body.get("tool")))
        elif entry.kind == ROLLBACK_BEGUN:
            self.undoing |= _listed(body)
        elif entry.kind == ROLLED_BACK:
            self.undone |= _listed(body)
            self.undoing -= self.undone
            self.last = entry
        elif call is not None and entry.kind == CHECKPOINTED:
            call.token = body.get("token")
            self.written[call.id] = call
        elif call is not None and entry.kind in CLOSES and call.end is None:
            call.end, call.output = entry.kind, body.get("output")

    def to_undo(self) -> list[_Call]:
        return [call for call in self.written.values() if call.may_have_written and call.id not in self.undone]

    def open(self) -> list[str]:
        return [call.id for call in self.calls.values() if call.end is None and call.id not in self.undone]

    def left(self) -> dict[str, int]:
        without = (c for c in self.calls.values() if c.id not in self.written and c.end not in REFUSED)
        return dict(sorted(Counter(short(call.tool) for call in without).items()))


def rollback(
    ledger: Ledger, run_id: str, actor: str, *, roots: Sequence[str] | None = None, at_us: int | None = None
) -> RolledBack:
    """Put every file that the run wrote back to what it was before, or change nothing.

    Only files inside ``roots`` are touched; without any, inside the folders that the run was given. It may be done
    again: what was undone before is left alone, and what a crash interrupted goes on. ``at_us`` is now by default.

    Raises:
        ConfigurationError: the ledger is no file, or there is no such run.
        RollbackError: nothing was undone: a call has no end, something else changed a file since, its content is not
            kept, or another rollback is under way. Or it ``stopped`` half-way, and may be done again.
        LedgerUnavailableError: the ledger cannot be written. What was undone is undone; doing it again says so.
    """
    path = getattr(ledger, "path", None)
    if path is None:
        raise ConfigurationError("only a ledger in a file keeps what another process can undo")
    if not actor.strip():
        raise ConfigurationError("who undoes a run says who they are")
    blobs = Blobs(blobs_of(path))
    with blobs.locked():
        story = _Story(ledger.entries(run_id))
        calls = _undoable(story, run_id)
        if not calls:
            return RolledBack(run_id, (), (), story.last, story.left())
        told = tuple(call.id for call in reversed(calls))
        files = _files(calls, story.undoing)
        with _workspace(files, roots, files_of(path)) as workspace:
            undo = Undo(workspace, blobs, files)
            if undo.prepare():
                try:
                    _note(ledger, run_id, ROLLBACK_BEGUN, actor, told, at_us)
                except BaseException:
                    undo.discard()
                    raise
            changed = undo.apply()
        entry = _note(ledger, run_id, ROLLED_BACK, actor, told, at_us)
    return RolledBack(run_id, told, tuple(changed), entry, story.left())


def _undoable(story: _Story, run_id: str) -> list[_Call]:
    """The calls to undo, the oldest first. Raises as ``rollback`` does."""
    if not story.entries:
        raise ConfigurationError(f"no run {run_id!r} is on this ledger; licet runs lists what is")
    calls = story.to_undo()
    open_calls = story.open()
    if open_calls:
        named = ", ".join(open_calls[:MAX_NAMED])
        raise RollbackError(
            f"nothing was undone: {named} has no end, so it is under way, or its process died; look, then: "
            "licet ledger settle CALL done|failed --note TEXT"
        )
    strange = [call for call in calls if Kept.of(call.token) is None]
    if strange:
        named = ", ".join(f"{call.id} ({short(call.tool)})" for call in strange[:MAX_NAMED])
        raise RollbackError(f"nothing was undone: only its own tool can undo {named}, from within its process")
    return calls


def _files(calls: Sequence[_Call], undoing: set[str]) -> list[list[Step]]:
    """The steps of each file, the one that was written last at the end."""
    files: dict[str, list[Step]] = {}
    for call in calls:
        kept = Kept.of(call.token)
        assert kept is not None  # _undoable refuses the rest
        after = _digest_written(call, kept) or kept.after
        wrote = call.end == "tool.completed" and after is not None
        files[kept.key] = [*files.pop(kept.key, []), Step(kept, wrote, after, call.id in undoing)]
    return list(files.values())


def _listed(body: dict[str, Any]) -> set[str]:
    """The calls that an entry about a rollback names."""
    listed = body.get("calls")
    return {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()


def _digest_written(call: _Call, kept: Kept) -> str | None:
    """What the call itself says that it wrote: the file tools do."""
    output = call.output
    if not isinstance(output, dict) or output.get("path") != kept.shown:
        return None
    digest = output.get("digest")
    return digest if isinstance(digest, str) else None


def _workspace(files: Sequence[Sequence[Step]], roots: Sequence[str] | None, state: Sequence[str]) -> Workspace:
    """Where the rollback may write: no further than the run, and no further than its operator says."""
    wanted = sorted({steps[0].kept.root for steps in files}) if roots is None else list(roots)
    everywhere = roots is None and "/" in wanted
    policy = PathPolicy.danger_full_access() if everywhere else PathPolicy.allowed_roots(*wanted)
    return Workspace(policy, state=state)


def _note(ledger: Ledger, run_id: str, kind: str, actor: str, calls: tuple[str, ...], at_us: int | None) -> Entry:
    """Put an entry about these calls on stable storage, and give it."""
    body = orjson.dumps({"calls": calls}, option=orjson.OPT_SORT_KEYS)
    trace = orjson.dumps({AT_US: time.time_ns() // 1000 if at_us is None else at_us})
    ledger.append(Draft(run_id, kind, actor, body, trace), durable=True)
    ledger.flush()
    return next(e for e in reversed(list(ledger.entries(run_id))) if (e.kind, e.body) == (kind, body))


__all__ = ["CHECKPOINTED", "RolledBack", "rollback"]
