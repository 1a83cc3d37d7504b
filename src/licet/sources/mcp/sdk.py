"""The official SDK, imported when a server is first used, and kept from writing what servers say into logs."""

import asyncio
import logging
from functools import cache
from typing import Any, NamedTuple

from .errand import CURRENT

_CHATTY = (
    "client",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpx2",
    "mcp.client.streamable_http",
    "mcp.shared.jsonrpc_dispatcher",
)
"""Loggers of the SDK and of its client that write down what came from a server, its session, its url or our headers."""


class Sdk(NamedTuple):
    """The parts of the SDK that are used here."""

    mcp: Any
    types: Any
    anyio: Any
    raw: Any
    """Takes a result as a plain dict."""


async def load() -> Sdk:
    """The SDK. Its import takes half a second, on a thread.

    Raises:
        ImportError: it is not installed.
    """
    if not _load.cache_info().currsize:
        await asyncio.to_thread(_load)
    return _load()


@cache
def _load() -> Sdk:
    import anyio
    import httpx2
    import mcp
    import mcp.client.streamable_http
    import mcp.client.subscriptions
    import mcp_types
    from pydantic import TypeAdapter

    httpx2.HTTPTransport(verify=False, trust_env=False).close()  # which imports what it needs when it is first made

    for name in _CHATTY:
        logging.getLogger(name).addFilter(_is_not_ours)
    return Sdk(mcp, mcp_types, anyio, TypeAdapter(dict[str, Any]))


def _is_not_ours(record: logging.LogRecord) -> bool:
    """False for what is logged while an errand of ours is served: it is told as an error, once and escaped."""
    return CURRENT.get() is None
