"""A server's standard input and output as the two streams that the SDK's client takes."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from ...model.server import ServerSpec
from .child import Child
from .frames import Frames
from .limits import McpLimits
from .reader import Reader
from .writer import Writer


@asynccontextmanager
async def stdio(
    server: ServerSpec, limits: McpLimits, frames: Frames, born: Callable[[Child], None]
) -> AsyncIterator[tuple[Reader, Writer]]:
    """The streams of a fresh process, which ends with the block: in ``limits.close_s`` at the most.

    Raises:
        OSError: it could not be started.
    """
    import anyio

    child = await Child.start(server, limits.words_bytes)
    born(child)
    reader = Reader(child, frames, limits)
    writer = Writer(child, frames, reader.end)
    try:
        yield reader, writer
    finally:
        try:
            with anyio.CancelScope(shield=True):
                await writer.aclose()
                await reader.aclose()
                await child.stop(limits.close_s)
        finally:
            reader.detach()
            child.hear_out()
            child.kill()
            with anyio.CancelScope(shield=True):
                await child.vanished()
