"""Room 5. The only module that calls a transport, and it takes nothing but an AuthorizedCall."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import orjson

from ..errors import CallAbortedError, ToolTimeoutError
from ..model.context import CallContext
from ..model.names import short
from ..ports import Blocking, Checkpointing, Receipt, Transport
from .authorize import AuthorizedCall
from .lane import Flight, Lane
from .limits import Limits
from .workers import Workers

TRANSIENT = (ConnectionError, InterruptedError, TimeoutError)
"""What a transport raises when it broke, rather than when the tool said no."""

KeepToken = Callable[[Any], Receipt | None]


def dispatch_inline(authorized: AuthorizedCall, context: CallContext | None) -> Any:
    """Call a function on the caller's thread. There is no timer: an overrun is reported, not stopped."""
    authorized.spend()
    transport: Any = authorized.tool.transport
    return transport.call_blocking(orjson.loads(authorized.call.payload), context)


async def dispatch(
    authorized: AuthorizedCall,
    context: CallContext | None,
    flight: Flight,
    lane: Lane,
    workers: Workers,
    limits: Limits,
    keep: KeepToken,
) -> Any:
    """The tool's value, under its deadline. Raises what the transport raises, ToolTimeoutError or CallAbortedError."""
    authorized.spend()
    try:
        if authorized.tool.spec.capabilities.checkpointable:
            await _checkpoint(authorized, context, keep)
        if authorized.tool.spec.capabilities.idempotent:
            value = await _again(authorized, context, flight, workers, limits)
        else:
            value = await _once(authorized, context, flight, workers)
    except asyncio.CancelledError:
        if flight.why and flight.task is not None and flight.task.uncancel() == 0:
            raise _ended(flight) from None
        raise
    finally:
        lane.arrive(flight)
    if flight.why:  # the handler swallowed its cancellation; a late answer is dropped
        if flight.task is not None:
            flight.task.uncancel()
        raise _ended(flight)
    return value


async def _once(authorized: AuthorizedCall, context: Any, flight: Flight, workers: Workers) -> Any:
    tool = authorized.tool
    transport: Any = tool.transport
    arguments = orjson.loads(authorized.call.payload)
    if tool.blocking:
        blocking: Blocking = transport
        return await workers.run(lambda: blocking.call_blocking(arguments, context), flight)
    reached: Transport = transport
    return await reached.call(arguments, context)


async def _again(authorized: AuthorizedCall, context: Any, flight: Flight, workers: Workers, limits: Limits) -> Any:
    """Idempotent tools only: another attempt when the transport broke, each after a jittered pause."""
    attempt = 1
    while True:
        try:
            return await _once(authorized, context, flight, workers)
        except TRANSIENT:
            if attempt >= limits.attempts or flight.why:
                raise
        await asyncio.sleep(limits.backoff_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))
        attempt += 1


async def _checkpoint(authorized: AuthorizedCall, context: Any, keep: KeepToken) -> None:
    transport: Any = authorized.tool.transport
    reversible: Checkpointing = transport
    token = await reversible.checkpoint(orjson.loads(authorized.call.payload), context)
    kept = keep(token)
    if kept is not None:
        await kept


def _ended(flight: Flight) -> ToolTimeoutError | CallAbortedError:
    name, called = flight.call.tool, short(flight.call.tool)
    where = "" if flight.started else "; it had not started"
    if flight.why == "aborted":
        return CallAbortedError(f"{called!r} was aborted{where}", tool_name=name, reason=where and "not_started")
    return ToolTimeoutError(f"{called!r} gave no answer in time{where}", tool_name=name, reason=where and "not_started")
