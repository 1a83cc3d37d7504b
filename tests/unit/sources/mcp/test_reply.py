"""One answer over HTTP, however it is cut, and whatever is wrong with it."""

from itertools import count

import pytest
from answering import answering, saying

from licet.sources.mcp.reply import FIELDS, HEAD_BYTES, Reply, Unreadable

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
INFORMED = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\n"
WHOLE = {
    "length": (HEAD + b"Content-Length: 5\r\n\r\nhello", False),
    "chunked": (CHUNKED + b"2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n", False),
    "trailers": (CHUNKED + b"5\r\nhello\r\n0\r\nX-Took: 9\r\nX: y\r\n\r\n", False),
    "informed": (INFORMED + HEAD + b"Content-Length: 5\r\n\r\nhello", False),
    "until close": (HEAD + b"A: b\r\n\r\nhello", True),
}


def fed(*parts: bytes, bodiless: bool = False) -> Reply:
    reply = Reply(bodiless=bodiless)
    for part in parts:
        reply.feed(part)
    return reply


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("name", WHOLE)
def test_an_answer_is_the_same_wherever_it_is_cut(name: str, step: int) -> None:
    data, ends = WHOLE[name]
    reply = fed(*(data[at : at + step] for at in range(0, len(data), step)))
    if ends:
        assert not reply.is_whole
        reply.end()
    assert reply.is_whole
    assert reply.is_last is ends
    assert reply.head is not None
    assert reply.head.status == 200
    assert len(reply.head.fields) == 1
    assert reply.take() == b"hello"
    assert reply.size == 0


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_is_whole_at_once(status: int) -> None:
    reply = fed(b"HTTP/1.1 %d X\r\nContent-Length: 5\r\n\r\n" % status)
    assert reply.is_whole
    assert not reply.is_last


def test_the_answer_to_head_has_no_body_and_is_the_last() -> None:
    reply = fed(HEAD + b"Content-Length: 5\r\n\r\nhello", bodiless=True)
    assert reply.is_whole
    assert reply.is_last
    assert reply.take() == b""


@pytest.mark.parametrize(
    "data", [b"", b"Content-Length: 5\r\n\r\nhell", CHUNKED[len(HEAD) :], CHUNKED[len(HEAD) :] + b"5\r\nhello\r\n0\r\n"]
)
def test_an_answer_that_ends_early_is_never_whole(data: bytes) -> None:
    reply = fed(HEAD + data)
    reply.end()
    assert not reply.is_whole


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n",
        b"SSH-2.0-x\r\n",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        HEAD + b"Content-Length: -5\r\n\r\n",
        HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: identity\r\n\r\n",
        HEAD + b"A b: c\r\n\r\n",
        HEAD + b"A: b\x00c\r\n\r\n",
        CHUNKED + b"0\r\nContent-Length: 9\r\n\r\n",
        CHUNKED + b"xyz\r\n",
        CHUNKED + b"-1\r\n",
        CHUNKED + b"2\r\nabc\r\n",
        CHUNKED + b"fffffffffffffffff\r\n",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        b"HTTP/1.1 099 X\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        fed(data)
    with pytest.raises(Unreadable):
        fed(*(data[at : at + 1] for at in range(len(data))))


def taken(beginning: bytes, again: bytes) -> int:
    """Bytes of it until it is refused."""
    reply = fed(beginning)
    for n in count():
        try:
            reply.feed(again)
        except Unreadable:
            return n * len(again)
    raise AssertionError


@pytest.mark.parametrize(
    ("beginning", "again"),
    [
        (HEAD, b"A: %b\r\n" % (b"x" * 900)),
        (HEAD + b"A: ", b"x" * 900),
        (HEAD, b"x" * 900),
        (b"HTTP/1.1 200 ", b"O" * 900),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (CHUNKED + b"5\r\nhello\r\n0\r\nA: ", b"x" * 900),
        (CHUNKED + b"5\r\nhello\r\n0\r\n", b"A: %b\r\n" % (b"x" * 900)),
        (CHUNKED + b"5;", b"x" * 900),
    ],
)
def test_what_never_comes_to_a_body_is_taken_so_far(beginning: bytes, again: bytes) -> None:
    assert taken(beginning, again) <= HEAD_BYTES


def test_headers_are_counted_even_if_they_come_at_once() -> None:
    with pytest.raises(Unreadable, match="headers"):
        fed(HEAD + b"A: b\r\n" * (FIELDS + 1) + b"\r\n")
    with pytest.raises(Unreadable, match="headers"):
        fed(HEAD + b"A: %b\r\n\r\n" % (b"x" * HEAD_BYTES))
    fed(HEAD + b"A: b\r\n" * FIELDS + b"\r\n")


def test_a_stream_may_go_on_as_long_as_a_body_comes() -> None:
    reply = fed(CHUNKED)
    for _ in range(10_000):
        reply.feed(b"5\r\n")
        reply.feed(b"hello\r\n")
        assert reply.take() == b"hello"


def test_what_follows_an_answer_is_too_much_and_the_answer_stays() -> None:
    for more in (b"garbage", HEAD + b"Content-Length: 4\r\n\r\nevil"):
        reply = Reply(bodiless=False)
        with pytest.raises(Unreadable):
            reply.feed(HEAD + b"Content-Length: 5\r\n\r\nhello" + more)
        assert reply.is_whole
        assert reply.is_last
        assert reply.take() == b"hello"
        with pytest.raises(Unreadable):
            reply.feed(more)


@pytest.mark.parametrize("name", WHOLE)
async def test_an_answer_comes_over_a_connection_as_it_is(name: str) -> None:
    data, ends = WHOLE[name]
    async with answering(saying(data, close=ends)) as (server, client):
        for _ in range(3):
            answer = await client.post("/")
            assert answer.content == b"hello"
            assert "x" not in answer.headers
            if ends:
                await server.left.wait()
    assert server.connections == (3 if ends else 1)
