"""Serving an engine until somebody ends it: MCP over standard input and output or HTTP, the operator's port beside."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from ...errors import ConfigurationError
from ..engine import Engine
from ..settings import Settings
from .asgi import App
from .callers import LOOPBACK, PATH, callers
from .operators import PREFIX, operators
from .server import server

if TYPE_CHECKING:
    import uvicorn

Say = Callable[[str], None]


def opened(settings: Settings, say: Say) -> Engine:
    """The engine of a file, with its data. Says what of the data cannot be used.

    Raises:
        DecisionError: the memory cannot be used.
        ImportError: the extra ``licet[decisions]`` is not installed.
    """
    from ..data.data import Data

    data = Data(settings.datasets)
    for name, problem in data.problems.items():
        say(f"the dataset {name} cannot be used: {problem}")
    if settings.break_glass_advertised:
        say("break_glass_advertised is on: force and override_safety are shown to callers, and work for them")
    try:
        return Engine(settings, data)
    except BaseException:
        data.close()
        raise


async def serve_stdio(settings: Settings, say: Say) -> None:
    """Until standard input ends. The caller is the one that ``stdio_key`` names.

    Raises ConfigurationError: it names none.
    """
    from mcp.server.stdio import stdio_server

    if settings.stdio is None:
        raise ConfigurationError("the engine's file names no stdio_key; add it, or serve with --http PORT")
    with contextlib.closing(opened(settings, say)) as engine:
        async with _operated(engine, settings, say):
            serving = server(engine, settings.stdio)
            async with stdio_server() as (read, write):
                await serving.run(read, write, serving.create_initialization_options())


async def serve_http(settings: Settings, port: int, say: Say) -> None:
    """Until an interrupt or a termination, after which executions under way come to their end.

    Raises OSError: a port is taken. Raises ConfigurationError: webhooks go to this port.
    """
    with contextlib.closing(opened(settings, say)) as engine, _listening(engine, settings, port) as held:
        async with _operated(engine, settings, say), callers(engine, settings) as app:
            serving = _http(app)
            for ending in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(ending, setattr, serving, "should_exit", True)
            say(f"http://{LOOPBACK}:{held.getsockname()[1]}{PATH}")  # whoever reads it may connect at once
            await serving.serve(sockets=[held])


@contextlib.asynccontextmanager
async def _operated(engine: Engine, settings: Settings, say: Say) -> AsyncIterator[None]:
    """The operator's port, open while the block runs; none where the file has none."""
    if settings.operator is None:
        yield
        return
    with _listening(engine, settings, settings.operator.port) as held:
        port = held.getsockname()[1]
        say(f"operator: http://{LOOPBACK}:{port}{PREFIX}")
        serving = _http(operators(engine, settings.operator.credential, port))
        task = asyncio.create_task(serving.serve(sockets=[held]))
        try:
            yield
        finally:
            serving.should_exit = True
            await task


def _listening(engine: Engine, settings: Settings, port: int) -> socket.socket:
    held = socket.create_server((LOOPBACK, port))
    found = held.getsockname()[1]
    engine.own_ports.add(found)
    if found == settings.webhooks.loopback:
        held.close()
        raise ConfigurationError(f"port {found} is where webhooks go; serve on another")
    return held


def _http(app: App) -> "uvicorn.Server":
    import uvicorn

    class Quiet(uvicorn.Server):
        """One that leaves the signals of the process alone: it would raise them again, before the engine is closed."""

        def capture_signals(self) -> Any:
            return contextlib.nullcontext()

    config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    return Quiet(config)


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


__all__ = ["complain", "opened", "serve_http", "serve_stdio"]
