"""The seed's four-stage lifecycle: discover, activate, execute, deactivate. Never reachable from a model."""

import threading
from collections.abc import Mapping
from typing import Any

from ..errors import ActivationError
from ..model.principal import Principal
from ..model.result import ToolResult
from ..model.tool import ToolSpec
from ..ports import Approver
from .registry import ToolRegistry, name_or_text


class ToolRunner:
    """Executes active tools. Without a principal it is the principal ``runner``, granted exactly its active tools."""

    def __init__(
        self, registry: ToolRegistry, *, principal: Principal | None = None, approver: Approver | None = None
    ) -> None:
        self._registry = registry
        self._principal = principal
        self._lock = threading.RLock()
        self._active: dict[str, ToolSpec] = {}
        self._run = registry.begin(principal or Principal("runner", mode="workspace_write"), approver)

    def discover(self, registry: ToolRegistry | None = None) -> list[ToolSpec]:
        """All tools of the runner's registry, or of another, which changes nothing here."""
        return (registry or self._registry).list_tools()

    def activate(self, tool_name: str) -> ToolSpec:
        """Mark an existing tool ready; twice is fine. Raises ActivationError: there is no such tool."""
        spec = self._registry.get(tool_name)
        if spec is None:
            problem = f"there is no tool {tool_name!r} to activate; discover() lists what there is"
            raise ActivationError(problem, tool_name=name_or_text(tool_name))
        with self._lock:
            self._active[spec.name] = spec
            self._grant()
        return spec

    def execute(self, tool_name: str, inputs: Mapping[str, Any] | None = None) -> ToolResult:
        """The tool's result. Never raises what a handler raised; a tool that is not active runs nothing."""
        name = name_or_text(tool_name)
        with self._lock:
            spec = self._active.get(name)
        if spec is None or spec is not self._registry.get(name):
            return self._not_active(name, "is not active" if spec is None else "is not what was activated", inputs)
        result = self._registry.runtime.call_blocking(self._run, name, inputs)
        if result.success and not isinstance(result.output, dict):
            problem = f"{name} gave {type(result.output).__name__}; a runner's tools give a dict"
            return result._replace(success=False, output={}, json=b"{}", code="invalid_result", error=problem)
        return result

    def deactivate(self, tool_name: str) -> bool:
        """Whether the tool was active."""
        with self._lock:
            was_active = self._active.pop(name_or_text(tool_name), None) is not None
            self._grant()
        return was_active

    def close(self) -> None:
        self._run.close()

    def _grant(self) -> None:
        """Without a principal of its own, the runner holds exactly its active tools."""
        if self._principal is None:
            self._run.principal = Principal("runner", grants=self._active, mode="workspace_write")

    def _not_active(self, name: str, problem: str, inputs: Mapping[str, Any] | None) -> ToolResult:
        """Refused by the corridor, for a principal without grants, so that the ledger holds it like any refusal."""
        who = self._run.principal
        run = self._registry.begin(Principal(who.name, mode=who.mode, paths=who.paths))
        result = self._registry.runtime.call_blocking(run, name, inputs)
        return result._replace(code=ActivationError.code, error=f"ActivationError: {name} {problem}; activate it first")
