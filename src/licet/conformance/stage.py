"""Where a vector is played on a subject: with what it needs around it, and with an end."""

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from .engine import engine_of
from .execution import Executions
from .hub import Hub
from .play import Play
from .subject import Subject
from .vector import Vector
from .verdict import Found

CLOSE_S = 10.0
"""For a subject to let go of everything."""


async def played(
    subject: AbstractAsyncContextManager[Subject], vector: Vector, patience_s: float, *, takes_upstream: bool
) -> None:
    """Play it. With ``takes_upstream`` the subject may be a gateway before the suite's own server.

    Raises:
        Found: it is not as the vector says.
        UnsupportedError: it cannot be played on this subject.
    """
    executions = Executions(engine_of(vector))
    upstream: tuple[tuple[str, ...], str] = ((), "")
    on_change = None
    async with AsyncExitStack() as stack:
        if takes_upstream:
            hub = await stack.enter_async_context(Hub.opened(executions, vector))
            upstream, on_change = (hub.command, hub.url), hub.change
        async with subject as made:
            await Play(vector, made, executions, upstream, on_change, patience_s).play()
            settled = len(executions.all)
        await asyncio.sleep(0)
    if len(executions.all) > settled:
        raise Found("failed", "executed something after its last answer")


async def close(subject: Subject) -> None:
    """Raises Found: it does not, or not in time."""
    patience = asyncio.timeout(CLOSE_S)
    try:
        async with patience:
            await subject.close()
    except Found:
        raise
    except Exception as exc:
        if patience.expired():
            raise Found("hung", f"close gave no answer in {CLOSE_S:g} s") from None
        raise Found("raised", f"close raised {type(exc).__name__}: {str(exc)[:160]}") from exc


__all__ = ["close", "played"]
