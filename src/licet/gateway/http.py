"""The way in over streamable HTTP, on this machine's own address only."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from .door import MAX_BODY, PATH, Door

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

HOST = "127.0.0.1"

MAX_SESSIONS = 256
IDLE_S = 30 * 60.0
"""A session of the handshake era without a request for so long is ended."""

CONNECTIONS = 512
"""Open at once; more are answered with 503."""

LAST_ANSWERS_S = 1
"""What is under way when the server ends may take so long."""

RETRY_MS = 1000
"""When a client whose stream broke should ask again."""


def listen(port: int) -> socket.socket:
    """A socket on the loopback address; port 0 is any that is free.

    Raises:
        ConfigurationError: the port is in use, or this user may not use it.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # or asyncio leaves Nagle on
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(CONNECTIONS)
        listening.setblocking(False)
    except OSError as exc:
        listening.close()
        raise ConfigurationError(f"port {port} of {HOST} cannot be used: {exc.strerror}; choose another") from None
    return listening


def address(listening: socket.socket) -> str:
    """What a client is told to connect to."""
    return f"http://{HOST}:{listening.getsockname()[1]}{PATH}"


async def serve_http(server: "Server[Any]", listening: socket.socket, token: str | None, stop: asyncio.Event) -> None:
    """Serve any number of clients until ``stop``. ``token`` None lets in whoever can open the port."""
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(
        app=server,
        event_store=_events(),
        retry_interval=RETRY_MS,
        max_request_body_size=MAX_BODY + 4096,  # the door has counted already, and may have put in a few words
        session_idle_timeout=IDLE_S,
        max_sessions=MAX_SESSIONS,
    )

    class Quiet(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Signals are the caller's, who ends upstream servers too."""
            yield

    door = Door(manager.handle_request, port=listening.getsockname()[1], token=token)
    web = Quiet(
        uvicorn.Config(
            door,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,  # nobody stands between, and nobody may say so
            server_header=False,
            date_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=LAST_ANSWERS_S,
        )
    )
    async with manager.run():
        serving = asyncio.create_task(web.serve(sockets=[listening]))
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            web.should_exit = True
            await serving


def _events() -> Any:
    """Numbers the events of a stream, as clients of 2025-11-25 expect, and keeps none of them to be asked for again:

    what one session was told must not be there for another to fetch.
    """
    import secrets

    from mcp.server.streamable_http import EventStore

    class Unkept(EventStore):
        async def store_event(self, stream_id: str, message: Any) -> str:
            return secrets.token_hex(16)

        async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
            return None

    return Unkept()


__all__ = ["HOST", "address", "listen", "serve_http"]
