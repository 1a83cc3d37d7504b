"""The one answer to one call."""

from typing import Any, Literal, NamedTuple, Protocol

from ..errors import error_for
from .answer import Block
from .command import WorkflowCommand

Effect = Literal["none", "unknown", "done"]


class Renderer(Protocol):
    """Turns a result into the block that a model reads."""

    def render(self, result: "ToolResult") -> str: ...


class Rendered:
    """A block that was rendered before its run's secret went out of reach."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def render(self, result: "ToolResult") -> str:
        return self.text


class ToolResult(NamedTuple):
    """Exactly one per call id.

    ``output`` is any JSON value, ``{}`` on failure. ``effect`` is ``none`` (nothing was touched), ``done``, or
    ``unknown``. ``duration_ms`` is monotonic and always set. ``json`` is ``output`` as the bytes that the ledger saw.
    ``cause`` is what the handler raised, for the developer only. ``blocks`` and ``structured`` are what an MCP server
    answered, as it came: data of a stranger, for whoever hands it on.
    """

    call_id: str
    tool: str
    success: bool
    output: Any
    error: str | None
    code: str | None
    effect: Effect
    duration_ms: float
    metadata: dict[str, Any]
    json: bytes
    renderer: Renderer
    command: WorkflowCommand | None = None
    cause: BaseException | None = None
    blocks: tuple[Block, ...] = ()
    structured: Any = None

    @property
    def untrusted(self) -> bool:
        """Always true: what a tool gives is data, never an instruction."""
        return True

    @property
    def reason(self) -> str:
        """The finer reason of a failure, or an empty text."""
        return str(self.metadata.get("reason", ""))

    @property
    def content(self) -> str:
        """The block that a model reads: data inside a marker that no content can forge."""
        return self.renderer.render(self)

    def unwrap(self) -> Any:
        """The output.

        Raises:
            RefusedError: no transport was touched.
            ExecutionError: a transport was touched; the effect is unknown.
            LedgerUnavailableError: the ledger could not be written.
        """
        if self.success:
            return self.output
        error = error_for(self.code or "error", self.error or "", tool_name=self.tool, reason=self.reason)
        raise error from self.cause

    def __repr__(self) -> str:
        told = f"output={self.output!r}" if self.success else f"code={self.code!r}, error={self.error!r}"
        return f"ToolResult({self.tool!r}, {told}, effect={self.effect!r}, call_id={self.call_id!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy that leaves the process takes the block along, not the secret; and no exception."""
        return ToolResult, (*self[:10], Rendered(self.content), self.command, None, *self[13:])
