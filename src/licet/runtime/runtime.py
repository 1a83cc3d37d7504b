"""The Runtime: what is registered, who may see it, and the first door."""

import itertools
import os
import re
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, Self

from ..catalog import Catalog
from ..dialects.untrusted import Fence
from ..errors import ConfigurationError, LedgerUnavailableError
from ..model.names import canonical, short
from ..model.principal import Principal
from ..model.result import ToolResult
from ..model.tool import HostedTool, ToolSpec
from ..model.verdict import Deny
from ..policy.grants import expand
from ..policy.rules import Check, asks_before
from ..ports import Approver, Clock, Ledger, Line, Observer, RemoteSource, ToolResolver
from ..sources.combine import Offer, combine
from .authorize import findings, listed
from .clock import SystemClock
from .emptiness import refuse_emptiness, refuse_nothing_to_show
from .explain import Explanation
from .limits import Limits
from .observe import Observers
from .own_ledger import OwnLedger
from .receive import Arguments, receive
from .record import Durability, Recorder
from .scrub import kept_from_model

if TYPE_CHECKING:
    from .portal import Portal
    from .run import Run

RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Runtime:
    """Calls tools for principals, and refuses what was not granted.

    ``ledger`` is a Ledger, a file's path, or None for one in memory. Safe from several threads and event loops.
    """

    def __init__(
        self,
        tools: Iterable[Offer] = (),
        *,
        ledger: "Ledger | str | os.PathLike[str] | None" = None,
        approver: Approver | None = None,
        checks: Iterable[Check] = (),
        observers: Iterable[Observer] = (),
        limits: Limits = Limits(),  # noqa: B008 - frozen
        durability: Durability = "effects",
        clock: Clock | None = None,
        never_fields: Literal["scrub", "refuse"] = "scrub",
    ) -> None:
        """``never_fields`` says what becomes of arguments that no model may set (``licet.profiles``).

        Raises RegistrationError, ConfigurationError or LedgerUnavailableError.
        """
        if never_fields not in ("scrub", "refuse"):
            raise ConfigurationError(f"never_fields is 'scrub' or 'refuse', not {never_fields!r}")
        self._checks = tuple(checks)
        self._catalog = Catalog(asks_before(self._checks))
        self._catalog.add(combine(tools))
        self._owns_ledger = ledger is None or isinstance(ledger, str | os.PathLike)
        self.ledger = _opened(ledger)
        self._approver = approver
        self._limits = limits
        watching = tuple(observers)
        self._observers = Observers(watching) if watching else None
        timed: Clock = clock or SystemClock()
        self._recorder = Recorder(self.ledger, timed, limits, durability, self._observers)
        from .corridor import Corridor  # here, because it brings asyncio: a third of what the first import costs
        from .run import Errand, Run

        self._begin, self._errand = Run, Errand
        self._corridor = Corridor(self._catalog, self._recorder, self._checks, limits, timed)
        self._corridor.refuses_fields = never_fields == "refuse"
        self._fence = Fence(os.urandom(32))
        self._name = f"r{os.urandom(8).hex()}"
        self._runs = itertools.count(1)
        self._lock = threading.Lock()
        self._portal: Portal | None = None
        self._closed = False

    # --- doors ---

    def call(
        self, principal: Principal, tool: str, arguments: Arguments = None, *, call_id: str | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """One call in a run of its own; await its result. Never raises for what a model caused, ``unwrap()`` does."""
        run = self._errand(self._corridor, f"{self._name}-{next(self._runs)}", principal, self._fence, self._approver)
        if principal.grant_sets:
            return self._call_expanded(run, tool, arguments, call_id)
        return self._corridor.walk(run, tool, arguments, call_id)

    async def _call_expanded(self, run: "Run", tool: str, arguments: Arguments, call_id: str | None) -> ToolResult:
        try:
            run.principal = self._expanded(run.principal, run.id)
        except LedgerUnavailableError as exc:
            call, _ = receive(tool, arguments, call_id, run, self._limits)
            from .normalise import unrecorded

            return unrecorded(call, exc, "none", 0, run.fence)
        return await self._corridor.walk(run, tool, arguments, call_id)

    @asynccontextmanager
    async def run(
        self,
        principal: Principal,
        *,
        id: str | None = None,
        max_calls: int | None = None,
        approver: Approver | None = None,
    ) -> "AsyncIterator[Run]":
        """A run, whose reads, turns, budget and checkpoints last over its calls. ``id`` continues an earlier one."""
        run = self.begin(principal, id=id, max_calls=max_calls, approver=approver)
        run.fence = Fence(os.urandom(32))
        try:
            yield run
        finally:
            run.close()

    def begin(
        self,
        principal: Principal,
        *,
        id: str | None = None,
        max_calls: int | None = None,
        approver: Approver | None = None,
        prefix: str | None = None,
        spoken: str | None = None,
    ) -> "Run":
        """What ``run`` enters; close it yourself. Its grants are exact from here on.

        ``prefix`` is what the ids of its calls begin with, for whoever sees to it that they are on no ledger yet.
        ``spoken`` sets those apart that its model gives, where several agents share a run: the same in every process.

        Raises:
            ConfigurationError: the id is none, or a profile resolves to no tool though its engine is not unavailable.
            LedgerUnavailableError: what grant sets expand to cannot be recorded.
        """
        minted = f"{self._name}-{next(self._runs)}"
        if id is not None and not RUN_ID.fullmatch(id):
            raise ConfigurationError(f"{id!r} is no run id; use 1 to 64 of the characters A-Z a-z 0-9 _ -")
        run_id = id or minted
        holder = self._expanded(principal, run_id) if principal.grant_sets else principal
        if principal.grant_sets:
            refuse_emptiness(principal, self.specs(), self._catalog.withheld)
        if id is not None and prefix is None:
            prefix = f"{id}.{minted}"  # a continued run may not mint an id a second time
        return self._begin(
            self._corridor,
            run_id,
            holder,
            self._fence,
            approver or self._approver,
            prefix=prefix,
            spoken=spoken,
            budget=max_calls,
        )

    def _expanded(self, principal: Principal, run_id: str) -> Principal:
        """Exact grants only; what the sets expanded to stands on the ledger."""
        holder = expand(principal, self.specs())
        body = {"grants": sorted(holder.grants), "sets": [str(grant) for grant in principal.grant_sets]}
        self._recorder.noted(run_id, principal.name, "grant.expanded", body)
        return holder

    def functions_for(
        self,
        principal: Principal,
        *,
        errors: Literal["return", "raise"] = "return",
        rendered: bool = True,
        names: Mapping[str, str] | None = None,
    ) -> "list[Callable[..., Coroutine[Any, Any, Any]]]":
        """The principal's tools as plain async functions: any framework that takes functions takes these.

        Each call walks the corridor. A failure comes back as text, or is raised with ``errors="raise"``. With
        ``rendered`` a success is the block that a model should read, else the tool's output. ``names`` are chosen
        names by canonical name: ``profiles.flat_names(...)`` for the tools of a profile.

        Raises:
            ConfigurationError: a profile resolves to no tool, or to none that its run mode lists.
            ServerUnavailableError: its engine is not there, so that there is no function of it.
        """
        from .functions import functions

        refuse_nothing_to_show(principal, self.specs(), self.withheld)
        return functions(self, self.begin(principal), errors=errors, rendered=rendered, names=names or {})

    def tools_for(self, principal: Principal) -> list[ToolSpec]:
        """What the principal may see and call; the specs hold no code."""
        return listed(
            expand(principal, self.specs()),
            self._catalog.tools,
            self._corridor.judgement(self._approver is not None),
        )

    async def resolved_for(self, principal: Principal) -> list[ToolSpec]:
        """What it may see and call besides, because the attached resolver holds it: each under its granted name.

        A server of the resolver is asked for it, and may start. What it does not say now is not listed.
        """
        return await self._corridor.resolved_for(principal, self._approver is not None)

    def hosted_for(self, principal: Principal) -> list[HostedTool]:
        """What the model's provider may be told of, and runs itself: granted by exact name, classified, under no rule.

        Nothing of it walks the corridor; ``Run.hosted`` puts on the ledger what a provider says that it ran.
        """
        return [spec.hosted_tool for spec in self._corridor.hosted_for(principal, self._approver is not None)]

    def why(self, principal: Principal, name: str, arguments: Arguments = None) -> Explanation:
        """Every check in order with its verdict and its remedy. Calls nothing and records nothing.

        Raises:
            ConfigurationError: ``name`` is no tool's name.
        """
        wanted = canonical(name)
        asking = self._begin(self._corridor, "why", expand(principal, self.specs()), self._fence, self._approver)
        call, read = receive(wanted, arguments, None, asking, self._limits)
        by = self._corridor.judgement(self._approver is not None)
        tool = self._catalog.tools.get(wanted)
        if tool is not None and tool.guard is not None:
            call, read, _ = kept_from_model(call, read, tool.guard, refuses=self._corridor.refuses_fields)
        absent = self._catalog.why_absent(wanted) if tool is None else None
        call = call if absent is None else call._replace(problem=absent)
        found = findings(call, read, tool, by, listing=arguments is None)
        return Explanation(principal.name, short(wanted), tuple(found))

    # --- what is registered ---

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks that it was made with: they judge each call beside grants and modes."""
        return self._checks

    def register(self, *tools: Offer, replace: bool = False) -> list[ToolSpec]:
        """Register all or none. Raises RegistrationError: a name is taken or a declaration does not hold."""
        return self._catalog.add(combine(tools), replace=replace)

    def remove(self, name: str) -> bool:
        """Whether there was such a tool."""
        return self._catalog.remove(name)

    def spec(self, name: str) -> ToolSpec | None:
        """One contract by its name, without code."""
        found = self._catalog.tools.get(canonical(name))
        return None if found is None else found.spec

    def specs(self) -> list[ToolSpec]:
        """Every contract, in order of registration, without code."""
        return [tool.spec for tool in self._catalog.tools.values()]

    async def connect(self, *sources: RemoteSource) -> tuple[Line, ...]:
        """Register what servers offer, in place of what they offered before, and say of everything else why it is not.

        A server that is dead or refuses is a line, and every call of its tools is refused as ``server_unavailable``:
        nobody takes it for one without tools. Calling again is registering again.
        """
        from .connect import connect

        return await connect(self._catalog, sources)

    def withhold(self, refusals: Mapping[str, Deny], *, under: str = "") -> None:
        """Say why names are not registered: canonical names of tools, or of whole servers (``mcp/git``).

        With ``under``, in place of all that was said of that server.
        """
        self._catalog.withhold(refusals, under=under)

    @property
    def withheld(self) -> Mapping[str, Deny]:
        """Names of tools, and of whole servers, that are known and not registered, and why."""
        return self._catalog.withheld

    def note(self, kind: str, body: dict[str, Any]) -> None:
        """An entry about a server rather than a run; nothing else can be said here, least of all of a call.

        Raises:
            ConfigurationError: the kind does not begin with ``mcp.`` or ``pin.``.
            LedgerUnavailableError: the ledger cannot be written.
        """
        if not kind.startswith(("mcp.", "pin.")):
            raise ConfigurationError(f"{kind!r} is no kind of entry about a server; those begin with mcp. or pin.")
        self._recorder.noted("", "licet", kind, body)

    def attach(self, resolver: ToolResolver | None) -> None:
        """Let granted names that are not registered be asked of a resolver.

        One that has ``note_to`` is told where entries about its servers go: to ``note``.
        """
        self._corridor.resolver = resolver
        note_to = getattr(resolver, "note_to", None)
        if note_to is not None:
            note_to(self.note)

    # --- threads ---

    def call_blocking(
        self, run: "Run", name: str, arguments: Arguments = None, *, call_id: str | None = None
    ) -> ToolResult:
        """A call for a thread that waits, also one whose own loop is running.

        An inline tool is stepped on this thread; everything else goes through the runtime's portal thread.

        Raises:
            ConfigurationError: this is the portal's own thread.
        """
        corridor = self._corridor
        tool = corridor.steps_by_hand(name, run.approver is not None)
        if tool is not None:
            return corridor.step(run, name, arguments, call_id, tool)
        return self.portal().run(lambda: corridor.walk(run, name, arguments, call_id))

    def portal(self) -> "Portal":
        """The one thread with a loop for callers that have none to spare."""
        with self._lock:
            if self._closed:
                raise ConfigurationError("this runtime is closed; make another one")
            if self._portal is None:
                from .portal import Portal

                self._portal = Portal()
            return self._portal

    def close(self) -> None:
        """Let go of threads; close the ledger if it was opened here. Safe to call twice."""
        with self._lock:
            portal, self._portal, self._closed = self._portal, None, True
        if portal is not None:
            portal.close()
        self._corridor.close()
        if self._observers is not None:
            self._observers.close()
        if self._owns_ledger:
            self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        import asyncio

        await asyncio.get_running_loop().run_in_executor(None, self.close)


def _opened(ledger: "Ledger | str | os.PathLike[str] | None") -> Ledger:
    if ledger is None:
        return OwnLedger()
    if isinstance(ledger, str | os.PathLike):
        from ..ledger.sqlite import SqliteLedger

        return SqliteLedger(ledger)
    return ledger
