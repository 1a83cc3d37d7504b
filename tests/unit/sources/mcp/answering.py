"""A server over plain sockets that answers with the bytes it is given, and what it saw."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2

from licet.sources.mcp.plain import plain

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Way = Callable[["Answering", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Answering:
    """``requests`` are those that came, ``connections`` how many were made, ``left`` is set when one has ended."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self.requests: list[bytes] = []
        self.connections = 0
        self.came = asyncio.Event()
        self.left = asyncio.Event()
        self.go = asyncio.Event()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._way(self, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self.left.set()

    async def request(self, reader: asyncio.StreamReader) -> bytes:
        """The next one, with its body."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        request = head + await reader.readexactly(int(length or 0))
        self.requests.append(request)
        self.came.set()
        return request


def saying(*answers: bytes, close: bool = False) -> Way:
    """One after the other, on each connection anew; the last again and again, if it is not closed then."""

    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await server.request(reader)
            writer.write(answer)
            await writer.drain()
        while not close:
            await server.request(reader)
            writer.write(answers[-1])
            await writer.drain()

    return way


async def silent(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes a request and whatever else comes, until the other side goes."""
    await server.request(reader)
    while await reader.read(65536):
        pass


@asynccontextmanager
async def answering(way: Way, **timeout: float) -> AsyncIterator[tuple[Answering, httpx2.AsyncClient]]:
    """The server, and a client of ours. Afterwards no descriptor is left."""
    held = len(os.listdir("/proc/self/fd"))
    server = Answering(way)
    listener = await asyncio.start_server(server.accept, "127.0.0.1", 0)
    url = httpx2.URL(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
    transport = plain(url)
    assert transport is not None
    waits = httpx2.Timeout(None, **timeout)
    async with httpx2.AsyncClient(base_url=url, transport=transport, timeout=waits, trust_env=False) as client:
        yield server, client
    listener.close()
    server.go.set()
    await listener.wait_closed()
    async with asyncio.timeout(5):
        while len(os.listdir("/proc/self/fd")) > held:  # noqa: ASYNC110 - the ends of its own connections
            await asyncio.sleep(0)
    assert len(os.listdir("/proc/self/fd")) == held, "a descriptor is left"
