"""Room 5. The only module that calls a transport, and it takes nothing but an AuthorizedCall."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from types import CoroutineType
from typing import Any

from ..catalog import Bound
from ..errors import CallAbortedError, RefusedError, ToolFailedError, ToolTimeoutError
from ..model.call import ToolCall
from ..model.context import CallContext
from ..model.names import short
from .authorize import AuthorizedCall
from .lane import Ended, Flight, Lane
from .limits import Limits
from .run import Run
from .workers import Workers

TRANSIENT = (ConnectionError, InterruptedError, TimeoutError)
"""What a transport raises when it broke, rather than when the tool said no."""

KeepToken = Callable[[ToolCall, Run, Bound, Any], Awaitable[None]]


def dispatch_inline(authorized: AuthorizedCall, run: Run) -> Any:
    """Call a function on the caller's thread. There is no timer: an overrun is reported, not stopped."""
    tool = authorized.tool
    transport: Any = tool.transport
    context = run.context(authorized.call, tool, None) if tool.wants_context else None
    try:
        return transport.call_blocking(authorized.spend(), context)
    except (asyncio.CancelledError, GeneratorExit) as exc:  # nothing was awaited here: it is not the task that ends
        name = tool.spec.name
        raise ToolFailedError(f"{short(name)!r} failed with {type(exc).__name__}", tool_name=name) from exc


async def dispatch(
    authorized: AuthorizedCall, run: Run, lane: Lane, workers: Workers, limits: Limits, keep: KeepToken
) -> Any:
    """The tool's value, under its deadline. Raises what the transport raises, or Ended.

    An idempotent tool whose transport broke is tried again, after a jittered pause and while there is time; any other
    is started once. What an undo of the call needs is handed to ``keep``, and kept, before the effect. A transport that
    can tell whether its tool is still the registered one is asked last of all; what it raises then is a refusal.
    """
    call, tool = authorized.call, authorized.tool
    transport: Any = tool.transport
    task = asyncio.current_task(lane.loop)
    cancelled_before = 0 if task is None else task.cancelling()
    if cancelled_before:
        await asyncio.sleep(0)  # a cancellation that is not delivered yet is delivered here, before anything starts
    flight = lane.depart(call, tool, task, cancelled_before)
    del task  # it will hold the result, which holds this frame
    attempt = 0
    broke: BaseException | None = None
    try:
        context = None
        if tool.wants_context or tool.checkpointable:
            context = _context(run, flight, tool, lane, limits)
        if context is not None and tool.checkpointable:
            await keep(call, run, tool, await _checkpoint(transport, call, context, workers))
        if tool.fresh:
            await transport.check_fresh(context)
        arguments = authorized.spend()
        while True:
            try:
                if tool.blocking:
                    value = await workers.run(partial(transport.call_blocking, arguments, context), flight)
                    if type(value) is CoroutineType:  # a plain function that hands on what it was given to await
                        value = await value
                else:
                    value = await transport.call(arguments, context)
                break
            except (*TRANSIENT, RefusedError) as exc:
                attempt += 1
                pause_s = limits.backoff_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                again = isinstance(exc, TRANSIENT) and tool.idempotent and not flight.why
                if not again or attempt >= limits.attempts or pause_s > lane.left_s(flight):
                    if broke is not None and isinstance(exc, RefusedError):
                        raise broke from exc  # what refuses now says nothing of what was sent before
                    raise
                if not isinstance(exc, RefusedError):
                    broke = exc
            await asyncio.sleep(pause_s)
            arguments = call.arguments  # the handler may have changed the first copy
    except BaseException as exc:
        instead = _instead(flight, exc)
        flight.task = None  # its task will hold the result, which holds this frame
        if instead is None:
            raise
        try:
            raise instead from exc
        finally:
            del instead  # it holds this frame too
    finally:
        broke = None  # it holds this frame as well
        lane.arrive(flight)
    if flight.why:  # the handler swallowed its cancellation; a late answer is dropped
        if flight.task is not None:
            flight.task.uncancel()
        raise _ended(flight, flight.stop())
    return value


def _context(run: Run, flight: Flight, tool: Bound, lane: Lane, limits: Limits) -> CallContext:
    until_ns = flight.deadline_ns - tool.timeout_ns + int(limits.progress_s * 1e9)
    return run.context(
        flight.call, tool, flight.deadline_ns / 1e9, partial(lane.extend, flight, tool.timeout_ns, until_ns)
    )


def _checkpoint(transport: Any, call: ToolCall, context: CallContext, workers: Workers) -> Awaitable[Any]:
    """What an undo of the call needs. A plain function takes it on a thread: it may read and sync a whole file."""
    blocking = getattr(transport, "checkpoint_blocking", None)
    if blocking is None:
        taken: Awaitable[Any] = transport.checkpoint(call.arguments, context)
        return taken
    return workers.run(partial(blocking, call.arguments, context))


async def restore(tool: Bound, token: Any, context: CallContext) -> None:
    """Undo one effect. Raises what the transport raises."""
    transport: Any = tool.transport
    await transport.restore(token, context)


def _instead(flight: Flight, exc: BaseException) -> Ended | ToolFailedError | None:
    """What an exception means for the call. None: what it says.

    A cancellation is the task's end if somebody outside asked for it; if this call was ended by its timer or by an
    abort, it and whatever the handler made of it is that end; and if nobody asked, it is only the handler's failure.
    """
    nothing_started, task = flight.stop(), flight.task
    if flight.why:
        from_outside = task is not None and task.uncancel() > flight.cancelled_before
        if isinstance(exc, KeyboardInterrupt) or (from_outside and isinstance(exc, asyncio.CancelledError)):
            return None
        return _ended(flight, nothing_started)
    if isinstance(exc, asyncio.CancelledError) and task is not None and task.cancelling() <= flight.cancelled_before:
        name = flight.call.tool
        return ToolFailedError(f"something that {short(name)!r} waited for was cancelled", tool_name=name)
    return None


def _ended(flight: Flight, nothing_started: bool) -> Ended:
    name, called = flight.call.tool, short(flight.call.tool)
    where = "; it had not started" if nothing_started else ""
    reason = "not_started" if nothing_started else ""
    error: CallAbortedError | ToolTimeoutError
    if flight.why == "aborted":
        error = CallAbortedError(f"{called!r} was aborted{where}", tool_name=name, reason=reason)
    else:
        error = ToolTimeoutError(f"{called!r} gave no answer in time{where}", tool_name=name, reason=reason)
    return Ended(error, nothing_started)
