"""Requests over plain HTTP: what is kept, what is closed, and what counts as sent."""

import asyncio
import builtins
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from answering import OK, Answering, answering, saying, silent

from licet.sources.mcp.plain import plain
from licet.sources.mcp.wire import HELD_BYTES

CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"


async def test_a_request_after_another_goes_over_the_same_connection() -> None:
    async with answering(saying(OK)) as (server, client):
        for _ in range(5):
            assert (await client.post("/mcp", json={"a": 1})).content == b"ok"
    assert server.connections == 1
    assert server.requests[4].startswith(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:")
    assert server.requests[4].endswith(b'Content-Length: 7\r\n\r\n{"a":1}')


async def test_a_body_of_unknown_length_is_written_whole_with_its_length() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"one"
        yield b"two"

    async with answering(saying(OK)) as (server, client):
        await client.post("/", content=parts())
        await client.get("/")
    assert server.requests[0].endswith(b"Content-Length: 6\r\n\r\nonetwo")
    assert b"chunked" not in server.requests[0].lower()
    assert b"content-length" not in server.requests[1].lower()


@pytest.mark.parametrize(
    "answer",
    [CLOSING, b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", OK + b"HTTP/1.1 200 OK\r\n", OK + b"garbage"],
    ids=["close", "http/1.0", "a second answer", "garbage"],
)
async def test_a_connection_that_takes_no_other_request_is_closed(answer: bytes) -> None:
    async with answering(saying(answer)) as (server, client):
        assert (await client.post("/")).content == b"ok"
        await server.left.wait()
        assert (await client.post("/")).content == b"ok"
    assert server.connections == 2


async def test_what_comes_unasked_on_a_kept_connection_answers_nothing() -> None:
    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        writer.write(OK)
        if server.connections == 1:
            await server.go.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        await reader.read()

    async with answering(way) as (server, client):
        await client.post("/")
        server.go.set()
        await server.left.wait()
        assert (await client.post("/")).content == b"ok"
    assert server.connections == 2


async def test_a_kept_connection_that_the_server_closed_is_not_written_to() -> None:
    async with answering(saying(OK, close=True)) as (server, client):
        for n in range(1, 4):
            assert (await client.post("/")).content == b"ok"
            await server.left.wait()
            server.left.clear()
            assert server.connections == n
    assert len(server.requests) == 3


async def test_a_connection_that_its_server_is_about_to_close_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("licet.sources.mcp.pool.KEPT_S", -1.0)
    async with answering(saying(OK)) as (server, client):
        for _ in range(3):
            await client.post("/")
    assert server.connections == 3


async def test_a_request_is_written_once_even_if_its_connection_breaks() -> None:
    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        writer.write(OK)
        await server.request(reader)

    async with answering(way) as (server, client):
        await client.post("/")
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.post("/")
    assert len(server.requests) == 2
    assert server.connections == 1


async def test_32_at_once_have_a_connection_each_and_keep_it() -> None:
    async with answering(saying(OK)) as (server, client):
        for _ in range(3):
            answers = await asyncio.gather(*[client.post("/") for _ in range(32)])
            assert [answer.content for answer in answers] == [b"ok"] * 32
    assert server.connections == 32
    assert len(server.requests) == 96


async def test_whoever_comes_when_all_are_taken_waits_so_long_and_sends_nothing() -> None:
    async with answering(silent, pool=0.05) as (server, client):
        waiting = [asyncio.create_task(client.post("/")) for _ in range(100)]
        while len(server.requests) < 100:
            server.came.clear()
            await server.came.wait()
        with pytest.raises(httpx2.PoolTimeout):
            await client.post("/")
        waiting[0].cancel()
        late = asyncio.create_task(client.post("/", extensions={"timeout": {}}))
        while len(server.requests) < 101:
            server.came.clear()
            await server.came.wait()
        for one in (*waiting, late):
            one.cancel()
        await asyncio.gather(*waiting, late, return_exceptions=True)


@pytest.mark.parametrize("begun", [False, True])
async def test_who_is_cancelled_closes_the_connection_at_once(begun: bool) -> None:
    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        if begun:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
        assert await reader.read() == b""

    async with answering(way) as (server, client):
        call = asyncio.create_task(client.post("/"))
        await server.came.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await server.left.wait()


async def test_a_body_that_is_let_go_closes_the_connection_and_is_read_no_further() -> None:
    async with answering(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")) as (server, client):
        async with client.stream("POST", "/") as answer:
            stream = answer.stream
        await server.left.wait()
        with pytest.raises(httpx2.StreamClosed):
            await anext(aiter(stream))


async def test_a_server_that_is_slow_to_go_on_is_given_up_in_time() -> None:
    async with answering(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), read=0.05) as (server, client):
        async with client.stream("POST", "/") as answer:
            with pytest.raises(httpx2.ReadTimeout):
                await answer.aread()
        await server.left.wait()
    async with answering(silent, read=0.05) as (_, client):
        with pytest.raises(httpx2.ReadTimeout):
            await client.post("/")


async def test_a_body_that_comes_slowly_but_comes_is_read() -> None:
    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        for _ in range(5):
            await asyncio.sleep(0)
            writer.write(b"x")

    async with answering(way, read=5.0) as (_, client):
        assert (await client.post("/")).content == b"xxxxx"


async def test_10_mb_come_and_go_and_nobody_holds_what_nobody_takes() -> None:
    size = 10_000_000

    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await server.request(reader)
        writer.transport.set_write_buffer_limits(high=0)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        writer.write(request[-size:])
        server.go.set()
        await reader.read()

    sent = b"x" * size
    async with answering(way, write=20.0) as (server, client), client.stream("POST", "/", content=sent) as answer:
        await server.go.wait()
        chunks = [len(chunk) async for chunk in answer.aiter_raw()]
    assert sum(chunks) == size
    assert max(chunks) <= 2 * HELD_BYTES


async def test_a_server_that_reads_nothing_is_given_up_in_time() -> None:
    async def way(server: Answering, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.go.wait()

    async with answering(way, write=0.05) as (server, client):
        with pytest.raises(httpx2.WriteTimeout):
            await client.post("/", content=b"x" * 20_000_000)
        server.go.set()


async def test_nobody_there_or_nobody_who_answers_means_that_nothing_was_sent() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        url = httpx2.URL(f"http://127.0.0.1:{deaf.getsockname()[1]}")
        async with httpx2.AsyncClient(transport=plain(url), timeout=0.1, trust_env=False) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.post(url)
            deaf.listen(0)
            with (
                socket.create_connection(deaf.getsockname()),
                pytest.raises(httpx2.ConnectTimeout),
            ):  # its queue is full
                await client.post(url)


@pytest.mark.parametrize(
    "pair",
    [("x", "a\r\nevil: b"), ("x", "a\nb"), ("x", "a\0b"), ("x y", "a"), ("x\r\nevil", "a"), ("x:", "a"), ("", "a")],
)
async def test_a_header_that_would_be_more_than_itself_is_never_sent(pair: tuple[str, str]) -> None:
    async with answering(saying(OK)) as (server, client):
        with pytest.raises(httpx2.LocalProtocolError):
            await client.post("/", headers=dict([pair]))
        with pytest.raises(httpx2.LocalProtocolError):
            await client.request("GET / HTTP/1.1\r\nx", "/")
    assert server.connections == 0


def test_https_and_what_cannot_be_parsed_are_left_to_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain(httpx2.URL("https://example.org")) is None
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name == "httptools":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert plain(httpx2.URL("http://example.org")) is None
