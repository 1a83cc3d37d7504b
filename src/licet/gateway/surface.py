"""What one agent may see and call, as a client of the Model Context Protocol is shown it."""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..dialects.mcp import definition_of, wire_tool
from ..dialects.names import WireNames, serve_name
from ..errors import ConfigurationError
from ..model.names import canonical, short
from ..runtime.clock import SystemClock
from ..runtime.limits import Limits
from .turns import Turns

if TYPE_CHECKING:
    from ..model.principal import Principal
    from ..model.tool import ToolSpec
    from ..ports import Approver, Clock
    from ..runtime.run import Run
    from ..runtime.runtime import Runtime

NOTHING: Mapping[str, str] = MappingProxyType({})


class Surface:
    """A runtime and the principal whose tools are served. ``names`` are the operator's wire names by canonical name.

    ``at_once`` calls are in flight; more wait for their turn instead of being refused. ``tell`` takes lines for people.
    """

    def __init__(
        self,
        runtime: "Runtime",
        principal: "Principal",
        *,
        names: Mapping[str, str] = NOTHING,
        max_calls: int | None = None,
        at_once: int = Limits().calls_in_flight,
        clock: "Clock | None" = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.runtime = runtime
        self.principal = principal
        self.line = asyncio.Semaphore(at_once)
        self._names = names
        self._max_calls = max_calls
        self._clock = clock or SystemClock()
        self._tell = tell
        self._told: set[str] = set()

    def session(self, approver: "Approver | None" = None, *, modern: bool = True) -> "Session":
        """A run of its own; ``approver`` is whoever can be asked in it, ``modern`` its client's era.

        Raises:
            LedgerUnavailableError: what its grants expand to cannot be recorded.
        """
        run = self.runtime.begin(self.principal, max_calls=self._max_calls, approver=approver)
        names = WireNames(sorted(run.principal.grants), self._names, encode=serve_name)
        for name, reason in names.refused.items():
            if name not in self._told:
                self._told.add(name)
                self._tell(f"licet: {short(name)} is not served: {reason}")
        return Session(self.runtime, run, names, Turns(run.next_turn, self._clock.monotonic_ns), modern=modern)

    def spec(self, name: str) -> "ToolSpec | None":
        """The contract of what was called, whatever was called."""
        try:
            return self.runtime.spec(name)
        except ConfigurationError:
            return None


class Session:
    """One served client's run: what it was shown last, and which call a name means."""

    def __init__(self, runtime: "Runtime", run: "Run", names: WireNames, turns: Turns, *, modern: bool) -> None:
        self.run = run
        self.turns = turns
        self.refused_names = names.refused
        self._runtime = runtime
        self._names = names
        self._modern = modern
        self._shown: list[ToolSpec] | None = None
        self._wire: dict[str, tuple[ToolSpec, dict[str, Any]]] = {}

    def tools(self) -> list[dict[str, Any]]:
        """The definitions that the principal may see, pinned parts only, under the names of this session."""
        self._shown = self._visible()
        return [self._worded(spec) for spec in self._shown]

    def has_changed(self) -> bool:
        """Whether the client would be shown something else than it was shown last; said once for each change."""
        if self._shown is None:
            return False
        now = self._visible()
        changed = len(now) != len(self._shown) or any(a is not b for a, b in zip(now, self._shown, strict=True))
        if changed:
            self._shown = now
        return changed

    def meant(self, wire: str) -> str:
        """What to ask the corridor for when a client says ``wire``.

        A name that this session does not offer means no granted tool, whatever it spells: the corridor refuses it, and
        the ledger holds what was asked for.
        """
        known = self._names.decode(wire)
        if known is not None:
            return known
        meant = next((spec.name for spec in self._runtime.specs() if serve_name(spec.name) == wire), wire)
        return f"?{wire}" if self._is_granted(meant) else meant

    def close(self) -> None:
        """Let go of open files."""
        self.run.close()

    def _visible(self) -> "list[ToolSpec]":
        who = self.run.principal
        seen = {spec.name: spec for spec in self._runtime.tools_for(who)}
        if self.run.approver is not None:  # what only waits for a yes can be called here
            for spec in self._runtime.specs():
                if spec.name in who.grants and spec.name not in seen:
                    denial = self._runtime.why(who, spec.name).denial
                    if denial is not None and denial.reason == "no_approver":
                        seen[spec.name] = spec
        return [spec for spec in self._runtime.specs() if spec.name in seen and spec.name not in self.refused_names]

    def _worded(self, spec: "ToolSpec") -> dict[str, Any]:
        kept = self._wire.get(spec.name)
        if kept is None or kept[0] is not spec:
            kept = spec, wire_tool(definition_of(spec), self._names.encode(spec.name), modern=self._modern)
            self._wire[spec.name] = kept
        return kept[1]

    def _is_granted(self, name: str) -> bool:
        try:
            return canonical(name) in self.run.principal.grants
        except ConfigurationError:
            return False


__all__ = ["Session", "Surface"]
