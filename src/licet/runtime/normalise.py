"""Room 6. Turns whatever came back into the one ToolResult. Foreign exceptions are translated here and nowhere else."""

import asyncio
import inspect
import logging
import re
from contextlib import suppress
from typing import Any

from ..catalog import Bound
from ..errors import (
    ExecutionError,
    InvalidResultError,
    LedgerUnavailableError,
    RefusedError,
    ServerUnavailableError,
    ToolFailedError,
    ToolSchemaChangedError,
    TransportError,
)
from ..model.answer import Answer, Block, FailedAnswer
from ..model.call import ToolCall
from ..model.command import WorkflowCommand
from ..model.names import short
from ..model.result import Effect, Renderer, ToolResult
from ..model.verdict import Deny
from ..schema.canonical import NotJson, freeze
from ..workspace.violation import WorkspaceViolation
from .dispatch import TRANSIENT
from .lane import Ended
from .limits import Limits

PLAIN = Answer(None)
"""What stands in for the answer of a tool that gave a plain value."""

_PASSING = (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit)
_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_log = logging.getLogger("licet.call")
_new = tuple.__new__  # every call makes a ToolResult: this is half the price of the NamedTuple's constructor


_NOTHING_ELSE = (None, None, (), None)
"""The command, cause, blocks and structured content of a refusal."""


def passes(exc: BaseException) -> bool:
    """Whether an exception is the end of whoever called, not the handler's failure."""
    if isinstance(exc, BaseExceptionGroup):
        return exc.subgroup(_PASSING) is not None
    return isinstance(exc, _PASSING)


def returned(call: ToolCall, tool: Bound, value: Any, took_ns: int, renderer: Renderer, limits: Limits) -> ToolResult:
    """A success if the value is JSON, small enough, and fits the output schema."""
    command, answer = None, PLAIN
    if type(value) is Answer:
        answer, value = value, value.output
        if sum(map(_size, answer.blocks)) > limits.output_bytes:
            problem = f"the content that {short(call.tool)!r} gave is larger than {limits.output_bytes} bytes"
            return failure(call, "invalid_result", problem, "unknown", took_ns, renderer)
    elif isinstance(value, WorkflowCommand):
        command, value = value, {"command": value.kind, **value.payload}
    try:
        data, output = freeze(value, limit_bytes=limits.output_bytes)
    except NotJson as exc:
        if inspect.iscoroutine(value):
            value.close()
        return failure(
            call, "invalid_result", f"{short(call.tool)!r} gave no JSON value: {exc}", "unknown", took_ns, renderer
        )
    fitting = output if answer is PLAIN else answer.structured  # a server's words beside it are no structured content
    if tool.output_fit is not None and not tool.output_fit.is_valid(fitting):
        found = "; ".join(f"{p.pointer or '/'}: {p.message}" for p in tool.output_fit.errors(fitting))
        problem = f"the result of {short(call.tool)!r} does not fit its output schema: {found}"
        return failure(call, "invalid_result", problem, "unknown", took_ns, renderer)
    metadata: dict[str, Any] = dict(answer.marks)
    if tool.inline and took_ns > tool.timeout_ns:
        metadata["overrun_ms"] = (took_ns - tool.timeout_ns) / 1e6
    took_ms, blocks, structured = took_ns / 1e6, answer.blocks, answer.structured
    told = (None, None, "done", took_ms, metadata, data, renderer, command, None, blocks, structured)
    return _new(ToolResult, (call.id, call.tool, True, output, *told))


def _size(block: Block) -> int:
    """Bytes of a content block, as far as there can be many of them."""
    inner = block.get("resource")
    own = sum(len(part) for part in block.values() if isinstance(part, str))
    return own + (_size(inner) if isinstance(inner, dict) else 0)


def raised(
    call: ToolCall, tool: Bound, exc: BaseException, took_ns: int, renderer: Renderer, *, touched: bool = True
) -> ToolResult:
    """A failure whose text is safe for a model; the developer finds the exception in ``cause`` and in the log.

    ``touched`` says whether the tool's own code or server may have seen the call.
    """
    if isinstance(exc, ServerUnavailableError | ToolSchemaChangedError) and tool.fresh:
        touched = False  # they say that nothing was sent
    metadata: dict[str, Any] = {}
    effect: Effect = "unknown" if touched else "none"
    code, message = "tool_failed", f"{short(call.tool)!r} failed with {type(exc).__name__}"
    is_told = isinstance(exc, ExecutionError | WorkspaceViolation) or (isinstance(exc, RefusedError) and not touched)
    reason = getattr(exc, "reason", "") if is_told else ""
    if type(reason) is not str or not _WORD.fullmatch(reason):
        reason = ""  # a stable word, not a text
    if isinstance(exc, WorkspaceViolation) and exc.nothing_opened:
        code, message, effect = exc.code, str(exc), "none"
    elif isinstance(exc, Ended):
        code, message, reason = exc.error.code, str(exc.error), exc.error.reason
        effect = "none" if exc.nothing_started else effect
        if tool.blocking and effect == "unknown":
            metadata["may_still_run"] = True
    elif isinstance(exc, RefusedError) and not touched:
        code, message = exc.code, str(exc)
    elif isinstance(exc, ToolFailedError | WorkspaceViolation):
        with suppress(Exception):  # its text is the handler's own doing
            message = str(exc)
    elif isinstance(exc, TransportError | InvalidResultError) and tool.fresh:
        code, message = exc.code, str(exc)
    elif isinstance(exc, ConnectionError):
        code, message = "transport", f"the way to {short(call.tool)!r} broke ({type(exc).__name__})"
    if isinstance(exc, Ended):
        exc = exc.error
    if isinstance(exc, TRANSIENT) and touched and not tool.spec.capabilities.idempotent:
        metadata["retry"] = "not_retried"
    if reason:
        metadata["reason"] = reason
    _log.debug("%s failed", call.tool, exc_info=exc)
    failed = failure(call, code, message, effect, took_ns, renderer, metadata, exc)
    return failed._replace(blocks=exc.blocks, structured=exc.structured) if isinstance(exc, FailedAnswer) else failed


def refused(call: ToolCall, deny: Deny, took_ns: int, renderer: Renderer) -> ToolResult:
    """No transport was touched. What it says stands on the ledger, so it is text in UTF-8."""
    code, message, reason, remedy = deny
    metadata: dict[str, Any] = {}
    if reason:
        metadata["reason"] = reason
    if remedy:
        metadata["remedy"] = remedy
    took_ms = took_ns / 1e6
    said: Any = (call.id, call.tool, False, {}, message, code, "none", took_ms, metadata, b"{}", renderer)
    return _new(ToolResult, said + _NOTHING_ELSE)


def unrecorded(
    call: ToolCall, exc: LedgerUnavailableError, effect: Effect, took_ns: int, renderer: Renderer
) -> ToolResult:
    """No ledger, no call; or no end of one that ran."""
    return failure(call, exc.code, str(exc), effect, took_ns, renderer, None, exc)


def failure(
    call: ToolCall,
    code: str,
    message: str,
    effect: Effect,
    took_ns: int,
    renderer: Renderer,
    metadata: dict[str, Any] | None = None,
    cause: BaseException | None = None,
) -> ToolResult:
    text = message.encode("utf-8", "backslashreplace").decode()
    told = (text, code, effect, took_ns / 1e6, metadata or {}, b"{}", renderer, None, cause, (), None)
    return _new(ToolResult, (call.id, call.tool, False, {}, *told))
