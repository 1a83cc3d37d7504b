"""``licet serve``: one agent's surface as an MCP server, over standard input and output or this machine's HTTP."""

import argparse
import os
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from .exits import DONE, INTERRUPTED
from .port import TOKEN, opened_port
from .served import Served, served_by

if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable

    from mcp.server.lowlevel import Server

    from ..gateway.server import Gateway
    from ..ports import Line
    from ..project.assemble import Opened

TAKES_COMMAND_LINE = True

NEEDS_EXTRA = "serving needs the extra: pip install 'licet[mcp]'"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", metavar="NAME", help="whose surface; not needed where there is one agent")
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    parser.add_argument(
        "--http", metavar="PORT", type=int, help="over HTTP on 127.0.0.1, any free port if 0; not over standard output"
    )
    parser.add_argument("--no-token", action="store_true", help="let in whoever can open the port; for tests")
    parser.add_argument(
        "--trust-first-use",
        action="store_true",
        help="without a licet.lock: pin what the servers list now, for as long as this runs",
    )
    parser.usage = "licet serve [--agent NAME] [--config FILE] [--http PORT] [--trust-first-use] [-- COMMAND ...]"
    parser.epilog = (
        f"With --http, {TOKEN} holds the token; without it one is made and shown once. After --, the command of one "
        "server is governed without any file: only what it calls read-only, pinned for as long as this runs."
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes, or a signal comes.

    Raises:
        ConfigurationError: there is nothing to serve, it is not trusted, or the port cannot be used.
        LedgerUnavailableError: no ledger, no call.
    """
    import gc

    gc.disable()  # until it serves: a client waits for the start, and the SDK makes a hundred thousand objects
    try:
        return _run(arguments)
    finally:
        gc.enable()


def _run(arguments: argparse.Namespace) -> int:
    served = served_by(arguments)
    if not _is_early(served, arguments):
        _import_sdk()
    listening, token = opened_port(arguments)
    try:
        import asyncio

        from ..gateway.quiet import log_in_one_line

        log_in_one_line(_say)
        with asyncio.Runner(loop_factory=_fast_loop() if listening else None) as runner:
            return runner.run(_serve(served, listening, token))
    finally:
        if listening is not None:
            listening.close()


def _is_early(served: Served, arguments: argparse.Namespace) -> bool:
    """Whether a client is answered before the SDK is there: what is listed stands in the lock, and it has one pipe.

    Raises ConfigurationError: the SDK is not installed.
    """
    from importlib.util import find_spec

    try:
        if find_spec("mcp") is None:
            raise ImportError
    except ImportError:
        raise ConfigurationError(NEEDS_EXTRA) from None
    return arguments.http is None and served.lock is not None


def _import_sdk() -> None:
    """Raises ConfigurationError: it is not installed."""
    try:
        import mcp.server.lowlevel
        import mcp.server.request_state
        import mcp.server.subscriptions  # noqa: F401 - here, before anything is started that would have to be ended
    except ImportError:
        raise ConfigurationError(NEEDS_EXTRA) from None


async def _serve(served: Served, listening: "socket.socket | None", token: str | None) -> int:
    import asyncio
    import signal
    from contextlib import suppress

    stop, ready, interrupted = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def interrupt() -> None:
        interrupted.set()
        stop.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    serving = asyncio.create_task(_opened(served, listening, token, stop, ready))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if stop.is_set() and not ready.is_set():
        serving.cancel()  # its servers are still starting
        with suppress(asyncio.CancelledError):
            await serving
    else:
        await serving
    return INTERRUPTED if interrupted.is_set() else DONE


async def _opened(
    served: Served,
    listening: "socket.socket | None",
    token: str | None,
    stop: "asyncio.Event",
    ready: "asyncio.Event",
) -> None:
    from ..project.assemble import opened

    gateways: list[Gateway] = []

    def changed(server: str) -> None:
        for gateway in gateways:
            gateway.changes.said()

    async with opened(
        served.project,
        served.agent,
        environ=os.environ,
        lock=served.lock,
        ledger=served.ledger,
        trust_first_use=served.trust_first_use,
        on_changed=changed,
    ) as held:
        for line in held.report:
            _told(line)
        ready.set()
        await _driven(served, held, gateways, listening, token, stop)


async def _driven(
    served: Served,
    held: "Opened",
    gateways: "list[Gateway]",
    listening: "socket.socket | None",
    token: str | None,
    stop: "asyncio.Event",
) -> None:
    import asyncio
    import gc

    from ..gateway.clients import Clients
    from ..gateway.refusals import Refusals
    from ..gateway.server import Gateway
    from ..gateway.surface import Surface

    surface = Surface(held.runtime, held.principal, names=held.names, max_calls=held.agent.max_calls, tell=_say)
    clients = Clients(surface)

    def made() -> "Server[Any]":
        gateway = Gateway(surface, Refusals(_say, served.why, ("--ledger", str(served.ledger))), clients)
        gateways.append(gateway)
        gc.freeze()
        gc.enable()
        return gateway.server

    async def loaded() -> "Server[Any]":
        await asyncio.to_thread(_import_sdk)
        return made()

    try:
        if listening is not None:
            from ..gateway.http import serve_http

            await serve_http(made(), listening, token, stop)
            return
        from ..gateway import early, stdio

        if os.isatty(0):
            _say("licet: a client starts this and speaks MCP to it (licet install); for a person there is licet call")
        if served.lock is None:
            await stdio.serve_stdio(made(), stop)
        else:
            await stdio.serve_early(early.Early(clients), loaded, stop)
    finally:
        for gateway in gateways:
            await gateway.close()
        clients.close()


def _say(text: str) -> None:
    """What is said while it serves is dropped rather than waited for: calls go on."""
    from ..gateway.pipes import has_room
    from . import output

    if has_room(2):
        output.say(text)


def _told(line: "Line") -> None:
    if line.state != "ready":
        about = f"{line.server}.{line.tool}" if line.tool else line.server
        reason = f" ({line.reason})" if line.reason else ""
        _say(f"licet: {about} is {line.state.replace('_', ' ')}{reason}: {line.told}")


def _fast_loop() -> "Callable[[], asyncio.AbstractEventLoop] | None":
    """The event loop of uvloop, where it is installed."""
    from importlib import import_module

    try:
        made: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return made


__all__ = ["TAKES_COMMAND_LINE", "configure", "run"]
