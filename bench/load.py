"""Calls over HTTP that cost the caller next to nothing, so that what answers is what is timed.

A connection sends the same prepared bytes again as soon as its answer is there, and reads no more of it than its length
and whether it holds what was asked for.
"""

import asyncio
import json
import statistics
import time
from typing import Any, NamedTuple

from bench.peers import ARGUMENTS

VERSION = "2026-07-28"
SETTLE_S = 0.25
"""Before anything is timed: connections are made, and what begins with a first call has begun."""
PATIENCE_S = 30.0


class Loaded(NamedTuple):
    """Calls a second, and how long one took, in microseconds."""

    rate: float
    p50: float
    p99: float


def call(port: int, tool: str, token: str | None = None) -> bytes:
    """A ``tools/call`` of the stateless era, as it goes over the wire."""
    about = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": ARGUMENTS, "_meta": about}
    body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).encode()
    headers = {
        "Host": f"127.0.0.1:{port}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Mcp-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
        **({"Authorization": f"Bearer {token}"} if token else {}),
        "Content-Length": str(len(body)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body


class Connection(asyncio.Protocol):
    """Kept alive; one request at a time."""

    def __init__(self) -> None:
        self._came = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._came += data
        whole = _whole(self._came)
        if whole and self._answer and not self._answer.done():
            self._answer.set_result(bytes(self._came))
            self._came.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(ConnectionError(f"closed in the middle of an answer: {bytes(self._came)!r}"))

    def ask(self, request: bytes) -> asyncio.Future[bytes]:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def close(self) -> None:
        self._transport.close()


def _whole(came: bytearray) -> bool:
    """Whether the answer is there to its end."""
    end = came.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(came[:end]).lower()
    _, found, length = head.partition(b"content-length:")
    if found:
        return len(came) >= end + 4 + int(length.partition(b"\r\n")[0])
    return b"chunked" in head and came.endswith(b"0\r\n\r\n")


async def load(port: int, request: bytes, width: int, seconds: float) -> Loaded:
    """So many connections for so long, after they have settled.

    Raises:
        SystemExit: an answer is none to this call.
    """
    loop = asyncio.get_running_loop()
    connections = [(await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(width)]
    took: list[float] = []
    ends = 0.0

    async def caller(connection: Connection) -> None:
        while (started := time.perf_counter()) < ends:
            answer = await connection.ask(request)
            took.append(time.perf_counter() - started)
            if b"hello" not in answer or b'"isError":true' in answer.replace(b" ", b""):
                raise SystemExit(f"port {port} does not do what is timed: {answer.decode(errors='replace')}")

    async def all_of_them(lasting: float) -> float:
        nonlocal ends
        began = time.perf_counter()
        ends = began + lasting
        async with asyncio.timeout(PATIENCE_S + lasting):
            await asyncio.gather(*map(caller, connections))
        return time.perf_counter() - began

    try:
        await all_of_them(SETTLE_S)
        took.clear()
        lasted = await all_of_them(seconds)
    finally:
        for connection in connections:
            connection.close()
    took.sort()
    return Loaded(len(took) / lasted, statistics.median(took) * 1e6, took[int(len(took) * 0.99)] * 1e6)
