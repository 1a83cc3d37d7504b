"""The synchronous door, for programs without an event loop, and for threads whose loop has to wait."""

from typing import Self

from ..model.principal import Principal
from ..model.result import ToolResult
from ..runtime.receive import Arguments
from ..runtime.run import Run
from ..runtime.runtime import Runtime


class Blocking:
    """Calls of one principal, in one run. Use as ``with Blocking(runtime, principal) as door``."""

    def __init__(self, runtime: Runtime, principal: Principal, *, id: str | None = None) -> None:
        self._runtime = runtime
        self._run: Run = runtime.begin(principal, id=id)

    @property
    def run_id(self) -> str:
        return self._run.id

    def call(self, tool: str, arguments: Arguments = None, *, call_id: str | None = None) -> ToolResult:
        """As ``Runtime.call``. Raises ConfigurationError: called from the runtime's own portal thread."""
        return self._runtime.call_blocking(self._run, tool, arguments, call_id=call_id)

    def close(self) -> None:
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
