"""A run: one principal, its expanded grants, and the state that outlives a single call."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ConfigurationError, RollbackError
from ..model.call import Request, ToolCall
from ..model.context import CallContext
from ..model.paths import PathAccess, narrower
from ..model.principal import Principal
from ..model.result import ToolResult
from ..model.said import HostedItem
from ..ports import Approver
from .receive import Arguments
from .turn import Turn

if TYPE_CHECKING:
    from ..catalog import Bound
    from ..dialects.untrusted import Fence
    from ..model.workflow import TaskView
    from ..workspace.workspace import Workspace


_MAKING = threading.Lock()


class Walked(Protocol):
    """The corridor, as a run sees it. ``evidence`` are the ledger's own files, which no tool may open; ``blobs`` is the
    folder among them that keeps what writes replace, None where the ledger is no file.
    """

    @property
    def evidence(self) -> tuple[str, ...]: ...

    @property
    def at_once(self) -> int: ...

    @property
    def blobs(self) -> str | None: ...

    def walk(
        self, run: "Run", name: str, arguments: Arguments, call_id: str | None
    ) -> Coroutine[Any, Any, ToolResult]: ...

    def runs_in_parallel(self, name: str) -> bool: ...

    def abort(self, run_id: str, call_id: str) -> bool: ...

    async def hosted(self, run: "Run", item: HostedItem) -> bool: ...

    async def undo(self, tool: "Bound", token: Any, context: CallContext) -> None: ...

    async def rolling_back(self, run: "Run", calls: list[str]) -> None: ...

    async def rolled_back(self, run: "Run", calls: list[str]) -> None: ...


class _Desk:
    """Makes the workspace of one tool in one run, when its handler first asks for it."""

    def __init__(self, run: "Run", access: PathAccess) -> None:
        self._run = run
        self._access = access

    @cached_property
    def workspace(self) -> "Workspace":
        return self._run.workspace(self._access).scope()

    @property
    def task(self) -> "TaskView | None":
        return self._run.task


class Run:
    """Use as ``async with runtime.run(principal) as run``. State is made only where it is used."""

    once = False
    """Whether it lasts for a single call, which closes it."""
    budget: int | None = None
    """Calls left, or None. One is taken before dispatch, so that a batch cannot overdraw it."""
    is_bounded = False
    """Whether a budget or an open turn may hold a call up; most runs have neither, and are not asked."""
    holds_handles = False
    turn_now: Turn | None = None
    answers = 0
    """Of models that were asked in it: the ids that one gives to its calls count within an answer."""
    task: "TaskView | None" = None
    """What the run works on, for tools that belong to a workflow."""
    _undo: "list[tuple[ToolCall, Bound, Any]] | None" = None
    _workspaces: "dict[PathAccess, Workspace] | None" = None

    def __init__(
        self,
        corridor: Walked,
        run_id: str,
        principal: Principal,
        fence: "Fence",
        approver: Approver | None,
        *,
        prefix: str | None = None,
        spoken: str | None = None,
        budget: int | None = None,
    ) -> None:
        """``prefix`` is what the ids of its calls begin with, ``spoken`` those of calls that a model names itself;
        without one both do with the run's id.

        Raises ConfigurationError: there is a colon in the prefix, which only ids have that a caller chooses.
        """
        if prefix is not None and ":" in prefix:
            raise ConfigurationError(f"{prefix!r} begins no id that a run makes; use one without a colon")
        self._corridor = corridor
        self._prefix = prefix or run_id
        self.spoken = spoken or run_id
        self.id = run_id
        self.principal = principal
        self.fence = fence
        self.approver = approver
        self._numbers = itertools.count(1)  # threads may share a run, and no two calls an id
        if budget is not None:
            self.budget = budget
            self.is_bounded = True

    def call(
        self, tool: str, arguments: Arguments = None, *, call_id: str | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """Ask for one call, and await its result. Never raises for what a model caused."""
        return self._corridor.walk(self, tool, arguments, call_id)

    async def batch(
        self, requests: Iterable[Request], *, told: Callable[[int, ToolResult | None], None] | None = None
    ) -> list[ToolResult]:
        """Ask for several, answered in their order; in parallel only if every tool among them allows it.

        No more of them are in flight at a time than the limit allows one principal. ``told`` gets the place of each
        when it begins, with None, and again with its result: also of those that ended before a cancellation.
        """
        asked = [Request(*request) for request in requests]
        results: list[ToolResult] = []

        async def walk(place: int) -> ToolResult:
            if told is None:
                return await self._corridor.walk(self, *asked[place])
            told(place, None)
            result = await self._corridor.walk(self, *asked[place])
            told(place, result)
            return result

        if len(asked) > 1 and all(self._corridor.runs_in_parallel(request.tool) for request in asked):
            at_once = self._corridor.at_once
            for first in range(0, len(asked), at_once):
                results += await asyncio.gather(*map(walk, range(first, min(first + at_once, len(asked)))))
            return results
        for place in range(len(asked)):
            results.append(await walk(place))
        return results

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """One loop iteration. Raises ConfigurationError: a turn is open."""
        if self.turn_now is not None:
            raise ConfigurationError("a turn of this run is open; end it before the next")
        self.turn_now = turn = Turn()
        self.is_bounded = True
        try:
            yield turn
        finally:
            self.turn_now = None

    def abort(self, call_id: str) -> bool:
        """End a call in flight of an abortable tool; its result says ``aborted``. False: there is none."""
        return self._corridor.abort(self.id, call_id)

    async def hosted(self, item: HostedItem) -> bool:
        """Put something that the model's provider ran itself on the ledger, as ``tool.hosted``, effect unknown.

        False: nothing that this run may offer explains it, and whoever drives the model ends the run.

        Raises:
            LedgerUnavailableError: the ledger cannot be written.
        """
        return await self._corridor.hosted(self, item)

    async def rollback(self) -> list[str]:
        """Undo every checkpointed effect of this run, newest first, and give the ids of the calls undone.

        Raises:
            RollbackError: a file changed since, and nothing was undone; or one effect could not be undone.
        """
        undone: list[str] = []
        if not self._undo:
            return undone
        for workspace in (self._workspaces or {}).values():
            workspace.journal.check_unchanged()
        await self._corridor.rolling_back(self, [call.id for call, _, _ in reversed(self._undo)])
        try:
            while self._undo:
                call, tool, token = self._undo[-1]
                try:
                    await self._corridor.undo(tool, token, self.context(call, tool, None))
                except Exception as exc:
                    problem = f"{call.tool} could not be undone; undone so far: {', '.join(undone) or 'nothing'}"
                    raise RollbackError(problem, tool_name=call.tool) from exc
                self._undo.pop()
                undone.append(call.id)
        except BaseException:
            if undone:
                await self._corridor.rolled_back(self, undone)  # what was undone is told even if it was not all
            raise
        await self._corridor.rolled_back(self, undone)
        return undone

    @property
    def may_go_on(self) -> bool:
        """Whether its id was given, so that a ledger may hold an earlier part of it."""
        return self._prefix != self.spoken

    def mint(self) -> str:
        """The id of the next call: unique over restarts, as the run's id is."""
        number = next(self._numbers)
        return f"{self._prefix}.{number}"

    def next_turn(self) -> None:
        """End the turn that is open, if one is, and begin another: for whoever sees calls but no iterations."""
        self.turn_now = Turn()
        self.is_bounded = True

    def context(
        self, call: ToolCall, tool: "Bound", deadline_s: float | None, extend: Callable[[], float] | None = None
    ) -> CallContext:
        desk = _Desk(self, tool.spec.path_access)
        return CallContext(call.id, self.id, deadline_s, desk, turn=self.turn_now, extend=extend)

    def workspace(self, access: PathAccess) -> "Workspace":
        """Files under this run's policy, for a tool that may reach this far."""
        with _MAKING:  # handlers ask on their own threads, and the run remembers what was read in one place
            if self._workspaces is None:
                self._workspaces = {}
                self.holds_handles = True
            found = self._workspaces.get(access)
            if found is None:
                from ..workspace.workspace import Workspace

                policy = narrower(self.principal.paths, access)
                found = Workspace(policy, state=self._corridor.evidence, blobs=self._corridor.blobs)
                self._workspaces[access] = found
            return found

    def keep(self, call: ToolCall, tool: "Bound", token: Any) -> None:
        """Remember how to undo a call."""
        if self._undo is None:
            self._undo = []
        self._undo.append((call, tool, token))

    def close(self) -> None:
        """Let go of open handles."""
        if self._workspaces is not None:
            held, self._workspaces = self._workspaces, None
            for workspace in held.values():
                workspace.close()


class Errand(Run):
    """A run of a single call, as ``Runtime.call`` makes one for each: nothing in it that one call does not need."""

    once = True
    _minted = 0

    def __init__(
        self, corridor: Walked, run_id: str, principal: Principal, fence: "Fence", approver: Approver | None
    ) -> None:
        self._corridor = corridor
        self.id = run_id
        self.principal = principal
        self.fence = fence
        self.approver = approver

    def mint(self) -> str:
        self._minted += 1
        return self.id + ".1" if self._minted == 1 else f"{self.id}.{self._minted}"
