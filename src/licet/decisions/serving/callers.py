"""The callers' port: MCP over HTTP. A request's key decides which server it reaches.

Each caller has a server of its own, so that a session id of one is nothing to another.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping

from ..caller import Caller
from ..engine import Engine
from ..settings import Settings
from .asgi import App, Receive, Scope, Send, answer, bearer, error
from .server import server

LOOPBACK = "127.0.0.1"
PATH = "/mcp"


@contextlib.asynccontextmanager
async def callers(engine: Engine, settings: Settings) -> AsyncIterator[App]:
    """The application, ready while the block runs."""
    async with contextlib.AsyncExitStack() as stack:
        servers: dict[Caller, App] = {}
        for caller in settings.callers.values():
            made = server(engine, caller).streamable_http_app(host=LOOPBACK, streamable_http_path=PATH)
            await stack.enter_async_context(made.router.lifespan_context(made))
            servers[caller] = made
        yield _dispatching(settings, servers)


def _dispatching(settings: Settings, servers: Mapping[Caller, App]) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        caller = settings.caller_of(bearer(scope))
        if caller is None:
            await answer(send, 401, error(401, "key_unknown", "send one of the engine's keys as a bearer token"))
            return
        await servers[caller](scope, receive, send)

    return app


__all__ = ["LOOPBACK", "PATH", "callers"]
