"""The corridor: one call, six rooms, in this order. Read this file first; each line names the room that it enters."""

import asyncio
import threading
from contextlib import suppress
from typing import Any

import orjson

from ..catalog import Bound, Catalog
from ..errors import LedgerUnavailableError
from ..ledger.beside import blobs_of, files_of
from ..ledger.call import NOTHING
from ..ledger.run import ROLLBACK_BEGUN, ROLLED_BACK
from ..model.call import ToolCall
from ..model.context import CallContext
from ..model.principal import Principal
from ..model.result import Effect, ToolResult
from ..model.said import HostedItem
from ..model.tool import ToolSpec
from ..model.verdict import Deny
from ..policy.judge import Judgement
from ..policy.rules import Check
from ..ports import Clock, Receipt, ToolResolver
from .approve import LEFT, approve
from .authorize import CHANGED, AuthorizedCall, NeedsApproval, authorize, listed
from .dispatch import dispatch, dispatch_inline, restore
from .hosted import RAN, offered, told
from .lane import Lane
from .limits import Limits
from .normalise import passes, raised, refused, returned, unrecorded
from .recall import MINTED, UNDER_WAY, recall_refused, recalled
from .receive import Arguments, is_minted, receive
from .record import Recorder, unavailable
from .resolve import Found, is_same, resolved
from .run import Run
from .scrub import kept_from_model
from .workers import Workers


class Corridor:
    """Walks calls. It holds everything that a call meets on its way and hands none of it out."""

    def __init__(
        self, catalog: Catalog, recorder: Recorder, checks: tuple[Check, ...], limits: Limits, clock: Clock
    ) -> None:
        self.resolver: ToolResolver | None = None
        self.refuses_fields = False
        """Whether a call that sets what no model may set is refused; else that is taken out of it."""
        self._catalog = catalog
        self._recorder = recorder
        self._judged = {approvable: Judgement(checks, approvable) for approvable in (False, True)}
        self.at_once = limits.calls_in_flight
        self._limits = limits
        self._clock = clock
        self._now_ns = clock.monotonic_ns
        self._workers = Workers(limits.threads)
        self._found = Found()
        self._lock = threading.Lock()
        self._lane: Lane | None = None
        self._lanes: dict[asyncio.AbstractEventLoop, Lane] = {}
        self._under_way: dict[str, ToolCall] = {}  # by the id that its caller chose
        kept_in = getattr(recorder.ledger, "path", None)
        self.evidence = () if kept_in is None else files_of(kept_in)
        self.blobs = None if kept_in is None else blobs_of(kept_in)
        self._hands = threading.local()

    async def walk(
        self, run: Run, name: str, arguments: Arguments, call_id: str | None, tool: Bound | None = None
    ) -> ToolResult:
        """One call through the six rooms. Raises nothing that a model caused; cancellation passes, recorded.

        ``tool`` is what stands under that name, if somebody looked already.
        """
        now_ns = self._now_ns
        started = now_ns()
        call, read = receive(name, arguments, call_id, run, self._limits)  # 1
        if tool is None:
            tool = self._catalog.tools.get(call.tool)
        if tool is None and call.tool in run.principal.grants:  # of any other nobody is asked
            found = self._catalog.why_absent(call.tool) or await self._elsewhere(call.principal, call.tool)
            if isinstance(found, Deny):
                call = call._replace(problem=found)
            else:
                tool = found
        removed: tuple[str, ...] = ()
        if tool is not None and tool.guard is not None:
            call, read, removed = kept_from_model(call, read, tool.guard, refuses=self.refuses_fields)
        decided = authorize(call, read, tool, self._judged[run.approver is not None])  # 3
        on_ledger, named = call.id, call_id is not None and call.named
        if named and (self._under_way.setdefault(call.id, call) is not call or not self._recorder.is_new(call.id)):
            known = await self._known(run, call, decided, started)
            if isinstance(known, ToolResult):
                return known
            if known is not None:  # a no of its own, under an id of its own
                decided, on_ledger, named = known, run.mint(), False
        try:
            if isinstance(decided, NeedsApproval):
                decided = await self._asked(run, decided)  # 4, and 3 again with the yes
            if isinstance(decided, AuthorizedCall):
                lane = None if decided.tool.inline else self._lane_now()
                held_up = self._held_up(run, lane) if run.is_bounded or (lane is not None and lane.flights) else None
                if held_up is None:
                    return await self._carried_out(run, decided, lane, started, removed)
                decided = held_up
            if run.turn_now is not None:
                run.turn_now.refusals += 1
            try:
                receipt = self._recorder.refused(call, decided, on_ledger, read)  # 2
                if receipt is not None:
                    await self._durable(receipt)
            except LedgerUnavailableError as exc:
                return unrecorded(call, exc, "none", now_ns() - started, run.fence)
            return refused(call, decided, now_ns() - started, run.fence)  # 6
        finally:
            if named:
                self._recorder.ended(call.id)
                del self._under_way[call.id]
            if run.once and run.holds_handles:
                run.close()

    async def _carried_out(
        self, run: Run, authorized: AuthorizedCall, lane: Lane | None, started: int, removed: tuple[str, ...] = ()
    ) -> ToolResult:
        """Intent, effect, end. The place on the ledger is closed whatever happens."""
        call, tool, now_ns = authorized.call, authorized.tool, self._now_ns
        try:
            if removed:
                self._recorder.scrubbed(call, removed)
            receipt = self._recorder.opened(call, tool)  # 2
            if receipt is not None:
                await self._intent(receipt, call, lane)
            try:
                if lane is None:
                    value = dispatch_inline(authorized, run)  # 5
                else:
                    value = await dispatch(authorized, run, lane, self._workers, self._limits, self._keep)  # 5
                took_ns = now_ns() - started
                result = returned(call, tool, value, took_ns, run.fence, self._limits)  # 6
            except BaseException as exc:
                if passes(exc) or (isinstance(exc, LedgerUnavailableError) and not authorized.spent):
                    raise  # the caller's end, or a checkpoint that is not on the ledger
                took_ns = now_ns() - started
                result = raised(call, tool, exc, took_ns, run.fence, touched=authorized.spent or not tool.fresh)
            if removed:
                result.metadata["scrubbed"] = list(removed)
            receipt = self._recorder.closed(call, tool, result, took_ns)  # 2 again: the end of what it opened
        except LedgerUnavailableError as exc:
            effect: Effect = "unknown" if authorized.spent else "none"
            return unrecorded(call, exc, effect, now_ns() - started, run.fence)
        except BaseException:
            self._recorder.abandoned(call, touched=authorized.spent)
            raise
        try:
            if receipt is not None:
                await self._durable(receipt)
            return result
        except LedgerUnavailableError as exc:
            return unrecorded(call, exc, "unknown", now_ns() - started, run.fence)
        finally:
            del result  # its cause holds this frame: all that the handler held would wait for a collector

    # --- between the rooms ---

    async def _elsewhere(self, principal: Principal, name: str) -> Bound | Deny | None:
        if self.resolver is None or name not in principal.grants:
            return None
        return await resolved(self.resolver, name, self._workers, self._found)

    async def _known(
        self, run: Run, call: ToolCall, decided: AuthorizedCall | NeedsApproval | Deny, started: int
    ) -> ToolResult | Deny | None:
        """The answer to a call id that was used before. None: it was not, and stays under way."""
        if self._under_way.get(call.id) is not call:
            return UNDER_WAY
        known: ToolResult | Deny | None = None
        ended = True
        try:
            record = self._recorder.find(call.id)
            if record != NOTHING:
                known = recall_refused(record, call, self._recorder, decided)
                if known is None:
                    await self._durable(self._recorder.replayed(call, run.mint()))
                    known = recalled(record, call, self._now_ns() - started, run.fence)
            elif is_minted(call.id):  # or it would be taken when its time comes
                known = MINTED
            ended = known is not None
        except LedgerUnavailableError as exc:
            known = unrecorded(call, exc, "none", self._now_ns() - started, run.fence)
        finally:
            if ended:
                del self._under_way[call.id]
        return known

    async def _asked(self, run: Run, pending: NeedsApproval) -> AuthorizedCall | Deny:
        assert run.approver is not None
        call, by = pending.call, self._judged[True]
        held_up = self._used_up(run)  # nobody is asked about what cannot run anyway
        if held_up is not None:
            return held_up
        try:
            said = await approve(pending, by, run.approver, self._limits.approval_s, self._clock)
            if isinstance(said, Deny):
                return said
            await self._durable(self._recorder.approved(call, said.by, said.binding))
            now = self._catalog.tools.get(call.tool)
            tool = now or await self._elsewhere(call.principal, call.tool)
        except LedgerUnavailableError as exc:
            return Deny(exc.code, str(exc))
        except BaseException:  # its caller went away; nothing was begun, but somebody was asked
            with suppress(LedgerUnavailableError):
                self._recorder.refused(call, LEFT, call.id)
            raise
        if self._now_ns() >= said.expires_ns:
            return Deny("approval_expired", "the yes was not on the ledger in time")
        if isinstance(tool, Deny):
            return tool
        if tool is not None and not is_same(tool, pending.tool):
            return CHANGED
        again = authorize(call._replace(principal=run.principal), orjson.loads(call.payload), tool, by, said)
        return again if not isinstance(again, NeedsApproval) else CHANGED

    def _held_up(self, run: Run, lane: Lane | None) -> Deny | None:
        """The limits of the turn, the run and the principal; a budget is taken here, before dispatch."""
        if run.turn_now is not None or run.budget is not None:
            used_up = self._used_up(run)
            if used_up is not None:
                return used_up
        if lane is not None and lane.is_full(run.principal.name, self._limits.calls_in_flight):
            problem = f"{run.principal.name!r} has {self._limits.calls_in_flight} calls in flight"
            return Deny("limit_exceeded", problem, reason="calls_in_flight", remedy="await some of them first")
        if run.budget is not None:
            with self._lock:  # threads may share a run
                if run.budget <= 0:
                    return self._used_up(run)
                run.budget -= 1
        return None

    def _used_up(self, run: Run) -> Deny | None:
        if run.turn_now is not None and run.turn_now.refusals >= self._limits.refusals_per_turn:
            problem = f"{self._limits.refusals_per_turn} refusals ended this turn"
            return Deny("limit_exceeded", problem, reason="turn_ended", remedy="begin the next turn")
        if run.budget is not None and run.budget <= 0:
            return Deny("limit_exceeded", "the calls of this run are used up", reason="budget")
        return None

    async def _intent(self, receipt: Receipt, call: ToolCall, lane: Lane | None) -> None:
        """Wait until it is durable. The call is one in flight meanwhile, or a crowd of them would pass the limit."""
        held = None if lane is None else lane.hold(call)
        try:
            await self._durable(receipt)
        finally:
            if lane is not None and held is not None:
                lane.arrive(held)

    async def _keep(self, call: ToolCall, run: Run, tool: Bound, token: Any) -> None:
        """What an undo needs: durable before the effect, and at hand in the run."""
        await self._durable(self._recorder.checkpointed(call, token))
        run.keep(call, tool, token)

    def _lane_now(self) -> Lane:
        loop = asyncio.get_running_loop()
        lane = self._lane
        if lane is None or lane.loop is not loop:
            with self._lock:
                for old in [known for known in self._lanes if known.is_closed()]:
                    del self._lanes[old]
                self._lane = lane = self._lanes.setdefault(loop, Lane(loop, self._clock))
        return lane

    # --- for runs and doors ---

    def judgement(self, approvable: bool) -> Judgement:
        return self._judged[approvable]

    def runs_in_parallel(self, name: str) -> bool:
        """Whether a batch may run this tool beside others; an inline tool gains nothing by it."""
        tool = self._catalog.tools.get(name if "/" in name else f"local/{name}") if type(name) is str else None
        return tool is not None and tool.spec.execution.mode == "parallel" and not tool.inline

    def steps_by_hand(self, name: str, approvable: bool) -> Bound | None:
        """The tool, if a call of it can be stepped on any thread because nothing in it waits for a loop."""
        tool = self._catalog.tools.get(name if "/" in name else f"local/{name}") if type(name) is str else None
        if tool is None or not tool.inline or self._recorder.waits(tool):
            return None
        return None if approvable and (tool.spec.capabilities.asks or self._judged[True].checks) else tool

    def step(self, run: Run, name: str, arguments: Arguments, call_id: str | None, tool: Bound) -> ToolResult:
        """Walk a call that ``steps_by_hand`` on this thread, whose own loop, if it has one, stands still meanwhile."""
        before = getattr(self._hands, "busy", False)
        self._hands.busy = True
        walking = self.walk(run, name, arguments, call_id, tool)
        try:
            walking.send(None)
        except StopIteration as end:
            result: ToolResult = end.value
            try:
                return result
            finally:
                del result  # as above
        finally:
            self._hands.busy = before
            walking.close()
        raise RuntimeError("a call that was stepped by hand waited for a loop")

    def abort(self, run_id: str, call_id: str) -> bool:
        with self._lock:
            lanes = list(self._lanes.values())
        return any(lane.abort(run_id, call_id) for lane in lanes)

    async def resolved_for(self, principal: Principal, approvable: bool) -> list[ToolSpec]:
        """What may be called of all that a resolver holds, by the judgement of a call; under the granted names."""
        found: list[ToolSpec] = []
        absent = principal.grants.difference(self._catalog.tools) if self.resolver is not None else ()
        for name in sorted(absent):
            tool = None if self._catalog.why_absent(name) else await self._elsewhere(principal, name)
            if isinstance(tool, Bound) and listed(principal, {name: tool}, self.judgement(approvable)):
                found.append(tool.known_as[-1])
        return found

    def hosted_for(self, principal: Principal, approvable: bool) -> list[ToolSpec]:
        return offered(principal, self._catalog.tools, self.judgement(approvable))

    async def hosted(self, run: Run, item: HostedItem) -> bool:
        """Put what a provider ran on the ledger. False: this run could not have offered it."""
        allowed = self.hosted_for(run.principal, run.approver is not None)
        permitted = any(spec.name == item.tool for spec in allowed)
        body = told(item, permitted=permitted)
        await self._durable(self._recorder.noted(run.id, run.principal.name, RAN, body, durable=True))
        return permitted

    async def undo(self, tool: Bound, token: Any, context: CallContext) -> None:
        await restore(tool, token, context)

    async def rolling_back(self, run: Run, calls: list[str]) -> None:
        await self._noted(run, ROLLBACK_BEGUN, calls)

    async def rolled_back(self, run: Run, calls: list[str]) -> None:
        await self._noted(run, ROLLED_BACK, calls)

    async def _noted(self, run: Run, kind: str, calls: list[str]) -> None:
        await self._durable(self._recorder.noted(run.id, run.principal.name, kind, {"calls": calls}, durable=True))

    def close(self) -> None:
        self._workers.close()

    async def _durable(self, receipt: Receipt | None) -> None:
        if receipt is None:
            return
        try:
            if getattr(self._hands, "busy", False):
                receipt.wait()
            else:
                await receipt
        except Exception as exc:
            raise unavailable(exc) from exc
