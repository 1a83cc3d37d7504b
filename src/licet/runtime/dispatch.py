"""Room 5. The only module that calls a transport, and it takes nothing but an AuthorizedCall."""

import asyncio
import random
from functools import partial
from typing import Any

import orjson

from ..errors import CallAbortedError, ToolTimeoutError
from ..model.context import CallContext
from ..model.names import short
from ..ports import Checkpointing
from .authorize import AuthorizedCall
from .lane import Flight, Lane
from .limits import Limits
from .workers import Workers

TRANSIENT = (ConnectionError, InterruptedError, TimeoutError)
"""What a transport raises when it broke, rather than when the tool said no."""


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
) -> Any:
    """The tool's value, under its deadline. Raises what the transport raises, ToolTimeoutError or CallAbortedError.

    An idempotent tool whose transport broke is tried again, after a jittered pause; any other is started once.
    """
    authorized.spend()
    call, tool = authorized.call, authorized.tool
    transport: Any = tool.transport
    attempts = limits.attempts if tool.spec.capabilities.idempotent else 1
    attempt = 0
    try:
        while True:
            arguments = orjson.loads(call.payload)
            try:
                if tool.blocking:
                    value = await workers.run(partial(transport.call_blocking, arguments, context), flight)
                else:
                    value = await transport.call(arguments, context)
                break
            except TRANSIENT:
                attempt += 1
                if attempt >= attempts or flight.why:
                    raise
            await asyncio.sleep(limits.backoff_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))
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


async def checkpoint(authorized: AuthorizedCall, context: CallContext | None) -> Any:
    """What an undo of this call needs, taken before the call spends its ticket."""
    transport: Any = authorized.tool.transport
    reversible: Checkpointing = transport
    return await reversible.checkpoint(orjson.loads(authorized.call.payload), context)  # type: ignore[arg-type]


def _ended(flight: Flight) -> ToolTimeoutError | CallAbortedError:
    name, called = flight.call.tool, short(flight.call.tool)
    where = "" if flight.started else "; it had not started"
    if flight.why == "aborted":
        return CallAbortedError(f"{called!r} was aborted{where}", tool_name=name, reason=where and "not_started")
    return ToolTimeoutError(f"{called!r} gave no answer in time{where}", tool_name=name, reason=where and "not_started")
