"""The engine behind its doors: seven tools for callers, of which one executes, and a desk for its operator."""

import asyncio
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, TypeVar

from .. import __version__
from ..profiles import shipped
from .caller import Caller
from .data.arguments import QUERY
from .error import DecisionError
from .execution import Executor, Order, Snapshots
from .execution.gates import NO_BYPASS, Bypass
from .execution.webhook import Dial
from .execution.webhook.delivery import dial as dial_directly
from .execution.webhook.resolver import Resolver
from .execution.webhook.target import Resolve
from .fit import fitted
from .memory import Memory
from .operator.desk import Desk
from .plan import plan_decision
from .settings import Settings
from .simulation.recommend import recommend
from .simulation.run import Run
from .simulation.simulate import simulate
from .tools import EXECUTE, Tool, tools

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Is told, on the loop of the call, how many draws of how many are done."""

_AT_ONCE_DELIVERING = 32
_AT_ONCE_COMPUTING = 2
_NAME_PATIENCE_S = 5.0


class Data(Protocol):
    """The datasets of an engine, as each caller may see them."""

    def describe(self, caller: Caller) -> dict[str, Any]:
        """``{datasets: [...]}``."""
        ...

    async def query(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Engine:
    """One engine on one memory. ``own_ports`` are ports that it listens on itself: no webhook may be one.

    ``resolve``, ``dial`` and ``tls`` are the net that webhooks see; ``now`` is seconds since 1970.

    Raises DecisionError ``memory_unavailable`` (503).
    """

    def __init__(
        self,
        settings: Settings,
        data: Data,
        *,
        resolve: Resolve | None = None,
        dial: Dial = dial_directly,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.own_ports: set[int] = set()
        self._data = data
        self._tools = tools(QUERY, break_glass=settings.break_glass_advertised)
        self._memory = Memory(settings.memory, now=now)
        self._resolver = None if resolve else Resolver(_NAME_PATIENCE_S)
        self.snapshots = _snapshots(self._memory, settings, self._tools)
        self._executor = Executor(
            self._memory,
            settings.policy,
            settings.webhooks,
            self.snapshots,
            resolve or self._resolver,  # type: ignore[arg-type]
            own_ports=self.own_ports,
            dial=dial,
            tls=tls,
            now=now,
        )
        self.desk = Desk(self._memory, self._executor, settings.callers.values(), self.snapshots, now=now)
        self._closing = threading.Event()
        self._delivering = ThreadPoolExecutor(_AT_ONCE_DELIVERING, thread_name_prefix="licet webhook")
        self._computing = ThreadPoolExecutor(_AT_ONCE_COMPUTING, thread_name_prefix="licet simulation")

    def tools(self, caller: Caller) -> list[Tool]:
        """What a caller is told of: the executing tool only where it is enabled for the key and the role permits it."""
        return [tool for name, tool in self._tools.items() if name != EXECUTE or self._admits(caller)]

    async def call(
        self, caller: Caller, name: str, arguments: Mapping[str, Any], progress: Progress | None = None
    ) -> dict[str, Any]:
        """What a tool answers. A cancelled simulation stops; a cancelled execution goes on to its end, and is kept.

        Raises:
            DecisionError: ``unknown_tool`` (404), also for a tool that this caller is not told of;
                ``invalid_arguments`` (422), and what the tools themselves raise.
        """
        tool = self._tools.get(name)
        if tool is None or (name == EXECUTE and not self._admits(caller)):
            raise DecisionError("unknown_tool", "there is no such tool; list the tools", status=404)
        given = fitted(tool.input_schema, arguments, where=name)
        match name:
            case "get_contract":
                return self._contract(caller)
            case "query_data":
                return await self._data.query(caller, given)
            case "simulate":
                return await self._simulate(caller, given, progress)
            case "recommend":
                return await self._in(self._computing, recommend, given)
            case "plan_decision":
                return await self._in(self._computing, plan_decision, caller.tenant, given, _Runs(self._memory))
            case "log_decision":
                return await self._in(self._delivering, self._log, caller, given)
            case _:
                return await self.execute(caller.tenant, given["decision_id"], _order(caller.key_id, given))

    async def execute(self, tenant: str, decision_id: str, order: Order) -> dict[str, Any]:
        """One execution, to its end even where nobody waits for it any more. Raises what ``Executor.execute`` does."""
        return await self._in(self._delivering, self._executor.execute, tenant, decision_id, order)

    async def operate(
        self, action: Callable[[Mapping[str, Any]], dict[str, Any]], told: Mapping[str, Any]
    ) -> dict[str, Any]:
        """One action of the desk, to its end even where nobody waits for it any more. Raises what the action does."""
        return await self._in(self._delivering, action, told)

    def close(self) -> None:
        """Stop what is computed, wait for executions that are under way, and let go of everything."""
        self._closing.set()
        self._computing.shutdown(wait=False, cancel_futures=True)
        self._delivering.shutdown(wait=True, cancel_futures=True)
        if self._resolver is not None:
            self._resolver.close()
        self._data.close()
        self._memory.close()

    def _admits(self, caller: Caller) -> bool:
        switched = self._memory.enabled(caller.key_id) if caller.may_execute else False
        return caller.may_execute and (caller.enabled if switched is None else switched)

    def _contract(self, caller: Caller) -> dict[str, Any]:
        told = self.tools(caller)
        return {
            "contract_version": shipped().version,
            "engine_version": __version__,
            "tools": [{"name": one.name, "description": one.description, "read_only": one.read_only} for one in told],
            **self._data.describe(caller),
            "policy_snapshot_id": self.snapshots.policy,
            "schema_snapshot_id": self.snapshots.schema,
            "manifest_version": self.snapshots.manifest,
        }

    async def _simulate(self, caller: Caller, given: Mapping[str, Any], progress: Progress | None) -> dict[str, Any]:
        stop, loop = threading.Event(), asyncio.get_running_loop()

        def tell(done: int, total: int) -> None:
            if progress is not None and not stop.is_set():
                loop.call_soon_threadsafe(progress, done, total)

        try:
            stops = partial(_any_set, stop, self._closing)
            run = await self._in(self._computing, partial(simulate, given, progress=tell, stop=stops))
        finally:
            stop.set()
        run_id = await self._in(
            self._delivering, self._memory.keep_run, caller.tenant, caller.key_id, run.digest, run.document()
        )
        return run.envelope(run_id)

    def _log(self, caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
        """The gates' numbers are copied from the run of the same tenant, and never taken from arguments."""
        run_id, confidence, risk_p5 = given.get("run_id"), None, None
        if run_id is not None:
            run = _Runs(self._memory).get(caller.tenant, run_id)
            if run is None:
                raise DecisionError(
                    "run_not_found", "there is no such run; give the run_id that simulate answered", status=404
                )
            judged = run.judged(given["chosen_action"])
            confidence, risk_p5 = judged.best.value, judged.p5_downside.value
        made = self._memory.log(
            caller.tenant,
            caller.key_id,
            given["chosen_action"],
            run_id=run_id,
            rationale=given.get("rationale"),
            confidence=confidence,
            risk_p5=risk_p5,
        )
        return {"decision_id": made.decision_id, "created_at": made.created_at}

    async def _in(self, threads: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, partial(work, *arguments))


class _Runs:
    """Stored runs, as a plan asks for them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def get(self, tenant: str, run_id: str) -> Run | None:
        found = self._memory.run(tenant, run_id)
        return None if found is None else Run.read(found)


def _any_set(*events: threading.Event) -> bool:
    return any(event.is_set() for event in events)


def _order(actor: str, given: Mapping[str, Any]) -> Order:
    """The break-glass members are in no schema that a caller is told of, unless the operator's file says so."""
    flags = (given.get("force") is True, given.get("override_safety") is True)
    bypass = Bypass(*flags) if any(flags) else NO_BYPASS
    return Order(actor, given["webhook_url"], given.get("metadata"), given.get("timeout_seconds"), bypass)


def _snapshots(memory: Memory, settings: Settings, known: Mapping[str, Tool]) -> Snapshots:
    webhooks = settings.webhooks
    policy = memory.snapshot(
        "policy",
        {
            **settings.policy._asdict(),
            "allowed_hosts": [f"{host}:{port}" for host, port in sorted(webhooks.hosts)],
            "loopback": webhooks.loopback,
            "timeout_seconds": webhooks.timeout_s,
        },
    )
    schema = memory.snapshot("schema", {name: tool.input_schema.copy() for name, tool in known.items()})
    manifest = memory.snapshot(
        "manifest",
        {
            "contract_version": shipped().version,
            "engine_version": __version__,
            "datasets": settings.document.value.get("datasets", {}),
            "callers": sorted([*caller] for caller in settings.callers.values()),
            "policy": policy,
            "schema": schema,
        },
    )
    return Snapshots(policy, schema, manifest)


__all__ = ["Data", "Engine", "Progress"]
