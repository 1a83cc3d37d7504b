"""The seed's registry: register, grant by manifest, call and get a dict, or an exception."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, overload

from ..catalog import Tool
from ..errors import ConfigurationError, InvalidResultError, RegistrationError
from ..model.names import canonical, short
from ..model.paths import PathPolicy, RunMode
from ..model.principal import GrantSet, Principal
from ..model.result import ToolResult
from ..model.tool import ToolSpec
from ..policy.rules import Check
from ..ports import Approver, Ledger, ToolResolver
from ..runtime.limits import Limits
from ..runtime.run import Run
from ..runtime.runtime import Runtime
from ..sources.function import triple


class Manifest(Protocol):
    """Anything that names granted tools. ``mode`` and ``roots`` count where it has them."""

    @property
    def tools(self) -> Sequence[str | GrantSet]: ...


class ToolRegistry:
    """Owns a Runtime. All operations are safe under concurrent threads; ``call`` works inside a running loop too."""

    def __init__(
        self,
        *,
        ledger: "Ledger | str | os.PathLike[str] | None" = None,
        approver: Approver | None = None,
        checks: Iterable[Check] = (),
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        """A new registry lists nothing."""
        self._lock = threading.RLock()
        self._resolver: ToolResolver | None = None
        self._close_resolver: Callable[[], object] | None = None
        self.runtime = Runtime(ledger=ledger, approver=approver, checks=checks, limits=limits)

    @overload
    def register(self, spec: ToolSpec | Tool, /, *, replace: bool = False) -> ToolSpec: ...
    @overload
    def register(
        self, name: str, description: str, run: Callable[..., Any], /, *, replace: bool = False
    ) -> ToolSpec: ...

    def register(
        self, first: Any, description: str | None = None, run: Any = None, /, *, replace: bool = False
    ) -> ToolSpec:
        """Register a spec whose ``handler`` is set, a Tool, or ``(name, description, run)``.

        Raises:
            RegistrationError: the name is taken, or the declaration does not hold.
        """
        try:
            if isinstance(first, str):
                if description is None or run is None:
                    raise RegistrationError(
                        f"{first!r}: register(name, description, run) takes all three", tool_name=name_or_text(first)
                    )
                offer: Tool | ToolSpec = triple(first, description, run)
            elif isinstance(first, ToolSpec | Tool) and description is None and run is None:
                offer = first
            else:
                raise RegistrationError(f"{first!r} is no tool; give a ToolSpec, a Tool, or (name, description, run)")
            with self._lock:
                return self.runtime.register(offer, replace=replace)[0]
        except ConfigurationError as exc:
            name = first if isinstance(first, str) else getattr(getattr(first, "spec", first), "name", "")
            raise RegistrationError(str(exc), tool_name=name_or_text(name)) from exc

    def get(self, name: str) -> ToolSpec | None:
        """The contract behind a namespaced name; None when there is none."""
        try:
            return self.runtime.spec(name)
        except ConfigurationError:
            return None

    def list_tools(self, namespace: str | None = None, tool_type: str | None = None) -> list[ToolSpec]:
        """Every contract, or those of a namespace, of a type, or both."""
        return [
            spec
            for spec in self.runtime.specs()
            if (namespace is None or spec.name.partition("/")[0] == namespace)
            and (tool_type is None or spec.tool_type == tool_type)
        ]

    def remove(self, name: str) -> bool:
        """Whether there was such a tool."""
        with self._lock:
            return self.runtime.remove(name)

    def describe(self, names: Iterable[str]) -> dict[str, str]:
        """Descriptions by name as asked for: the registered one, else the resolver's; unknown names are left out."""
        described: dict[str, str] = {}
        for name in names:
            spec, resolver = self.get(name), self._resolver
            if spec is not None:
                described[name] = spec.description
            elif resolver is not None and (asked := _as_granted(name)) is not None and resolver.has(asked):
                described[name] = resolver.describe(asked)
        return described

    def set_resolver(self, resolver: ToolResolver | None, *, owned: bool = False) -> None:
        """Ask this resolver for granted tools that are not registered here. One that is ``owned`` is closed with it."""
        with self._lock:
            self._resolver = resolver
            self._close_resolver = getattr(resolver, "close", None) if owned else None
            self.runtime.attach(resolver)

    def call(
        self, agent_name: str, manifest: Manifest, tool: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The tool's dict.

        Raises:
            CapabilityViolation: the manifest does not grant the tool, whether or not it exists.
            UnknownToolError: it is granted and registered nowhere; a KeyError.
            InvalidArgumentsError: the params do not fit the schema; nothing ran.
            ToolFailedError: the handler raised; its exception is the cause.
            ToolError: any other refusal or failure, by its own class.
        """
        run = self.runtime.begin(principal_of(agent_name, manifest))
        try:
            return as_object(self.runtime.call_blocking(run, tool, params))
        finally:
            run.close()

    def begin(self, principal: Principal, approver: Approver | None = None) -> Run:
        """A run in this registry's runtime, for a door that holds one."""
        return self.runtime.begin(principal, approver=approver)

    def close(self) -> None:
        self.runtime.close()
        if self._close_resolver is not None:
            self._close_resolver()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def name_or_text(name: object) -> str:
    """The canonical name; of what is no name, its text."""
    try:
        return canonical(name)  # type: ignore[arg-type]
    except ConfigurationError:
        return str(name)


def _as_granted(name: str) -> str | None:
    """The spelling under which a call asks the resolver; None: it is no name."""
    try:
        return short(canonical(name))
    except ConfigurationError:
        return None


def principal_of(agent_name: str, manifest: Manifest) -> Principal:
    """Who a manifest makes of an agent. Without a mode it may write, and without roots it reaches no path.

    Raises:
        ConfigurationError: the manifest names something that is no tool, mode or root.
    """
    mode: RunMode = getattr(manifest, "mode", None) or "workspace_write"
    roots = tuple(getattr(manifest, "roots", None) or ())
    if mode == "danger_full_access" and "danger_full_access" in roots:
        paths = PathPolicy.danger_full_access()
    elif len(roots) == 1:
        paths = PathPolicy.current_project(roots[0])
    else:
        paths = PathPolicy.allowed_roots(*roots) if roots else PathPolicy.none()
    return Principal(agent_name, grants=manifest.tools, mode=mode, paths=paths)


def as_object(result: ToolResult) -> dict[str, Any]:
    """The output if it is an object; raises what the result says otherwise."""
    output = result.unwrap()
    if not isinstance(output, dict):
        problem = f"{result.tool} gave {type(output).__name__}; a registered tool gives a dict"
        raise InvalidResultError(problem, tool_name=canonical(result.tool))
    return output
