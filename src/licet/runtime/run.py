"""A run: one principal, its expanded grants, and the state that outlives a single call."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ConfigurationError, RollbackError
from ..model.call import Request, ToolCall
from ..model.context import CallContext
from ..model.paths import PathAccess, narrower
from ..model.principal import Principal
from ..model.result import ToolResult
from ..ports import Approver, Checkpointing
from .turn import Turn

if TYPE_CHECKING:
    from ..catalog import Bound
    from ..dialects.untrusted import Fence
    from ..workspace.workspace import Workspace


class Corridor(Protocol):
    """What a run walks."""

    async def walk(self, run: "Run", request: Request) -> ToolResult: ...

    def runs_in_parallel(self, name: str) -> bool: ...

    def abort(self, run_id: str, call_id: str) -> bool: ...

    async def rolled_back(self, run: "Run", calls: list[str]) -> None: ...


class _Desk:
    """Makes the workspace of one tool in one run, when its handler first asks for it."""

    __slots__ = ("_access", "_run")

    def __init__(self, run: "Run", access: PathAccess) -> None:
        self._run = run
        self._access = access

    @property
    def workspace(self) -> "Workspace":
        return self._run.workspace(self._access)


class Run:
    """Use as ``async with runtime.run(principal) as run``. State is made only where it is used."""

    __slots__ = (
        "_corridor",
        "_counter",
        "_prefix",
        "_undo",
        "_workspaces",
        "approver",
        "budget",
        "fence",
        "id",
        "principal",
        "turn_now",
    )

    def __init__(
        self,
        corridor: Corridor,
        run_id: str,
        prefix: str,
        principal: Principal,
        fence: "Fence",
        approver: Approver | None,
        budget: int | None = None,
    ) -> None:
        self._corridor = corridor
        self.id = run_id
        self._prefix = prefix
        self.principal = principal
        self.fence = fence
        self.approver = approver
        self.budget = budget
        """Calls left, or None. One is taken before dispatch, so that a batch cannot overdraw it."""
        self.turn_now: Turn | None = None
        self._counter = 0
        self._undo: list[tuple[ToolCall, Bound, Any]] | None = None
        self._workspaces: dict[PathAccess, Workspace] | None = None

    async def call(
        self, tool: str, arguments: Mapping[str, Any] | str | bytes | None = None, *, call_id: str | None = None
    ) -> ToolResult:
        """Ask for one call. Never raises for what a model caused."""
        return await self._corridor.walk(self, Request(tool, arguments, call_id))

    async def batch(self, requests: Iterable[Request]) -> list[ToolResult]:
        """Ask for several, answered in their order; in parallel only if every tool among them allows it."""
        asked = list(requests)
        if len(asked) > 1 and all(self._corridor.runs_in_parallel(request.tool) for request in asked):
            return list(await asyncio.gather(*(self._corridor.walk(self, request) for request in asked)))
        return [await self._corridor.walk(self, request) for request in asked]

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """One loop iteration. Raises ConfigurationError: a turn is open."""
        if self.turn_now is not None:
            raise ConfigurationError("a turn of this run is open; end it before the next")
        self.turn_now = turn = Turn()
        try:
            yield turn
        finally:
            self.turn_now = None

    def abort(self, call_id: str) -> bool:
        """End a call in flight of an abortable tool; its result says ``aborted``. False: there is none."""
        return self._corridor.abort(self.id, call_id)

    async def rollback(self) -> list[str]:
        """Undo every checkpointed effect of this run, newest first, and give the ids of the calls undone.

        Raises:
            RollbackError: something changed since; nothing was undone by a tool that can tell beforehand.
        """
        undone: list[str] = []
        if self._workspaces is not None:
            for workspace in self._workspaces.values():
                workspace.journal.check_unchanged()
        while self._undo:
            call, tool, token = self._undo[-1]
            transport = tool.transport
            assert isinstance(transport, Checkpointing)
            try:
                await transport.restore(token, self.context(call, tool, None))
            except Exception as exc:
                raise RollbackError(
                    f"{call.tool} could not be undone; undone so far: {undone}", tool_name=call.tool
                ) from exc
            self._undo.pop()
            undone.append(call.id)
        await self._corridor.rolled_back(self, undone)
        return undone

    def mint(self) -> str:
        """The id of the next call: unique over restarts, as the run's id is."""
        self._counter += 1
        return f"{self._prefix}.{self._counter}"

    def context(self, call: ToolCall, tool: "Bound", deadline_s: float | None) -> CallContext:
        return CallContext(call.id, self.id, deadline_s, _Desk(self, tool.spec.path_access))

    def workspace(self, access: PathAccess) -> "Workspace":
        """Files under this run's policy, for a tool that may reach this far."""
        if self._workspaces is None:
            self._workspaces = {}
        found = self._workspaces.get(access)
        if found is None:
            from ..workspace.workspace import Workspace

            found = self._workspaces[access] = Workspace(narrower(self.principal.paths, access))
        return found

    def keep(self, call: ToolCall, tool: "Bound", token: Any) -> None:
        """Remember how to undo a call."""
        if self._undo is None:
            self._undo = []
        self._undo.append((call, tool, token))

    def close(self) -> None:
        """Let go of open handles."""
        for workspace in (self._workspaces or {}).values():
            workspace.close()
        self._workspaces = None
