"""Bodies, unpacked step by step."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import httpx2
import pytest

from licet.sources.mcp.decode import Refused, decoded, read_all


class Chunks(httpx2.AsyncByteStream):
    def __init__(self, *chunks: bytes) -> None:
        self.chunks = chunks
        self.given = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            self.given += 1
            yield chunk


def response(*chunks: bytes, packed: str = "") -> httpx2.Response:
    headers = {"content-encoding": packed} if packed else {}
    return httpx2.Response(200, headers=headers, stream=Chunks(*chunks))


@pytest.mark.parametrize("size", [1, 7, 1000, 1_000_000])
async def test_a_packed_body_is_the_same_wherever_it_is_cut(size: int) -> None:
    text = b"".join(b"%d," % n for n in range(5_000 if size == 1 else 100_000))
    data = gzip.compress(text)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert await read_all(response(*chunks, packed="gzip"), 10_000_000) == text


async def test_a_bomb_is_refused_before_it_is_unfolded() -> None:
    bomb = gzip.compress(b"0" * (64 * 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(Refused) as caught:
            await read_all(response(bomb, packed="gzip"), 1024 * 1024)
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert caught.value.fault.reason == "too_long"


async def test_a_plain_body_that_is_too_long_is_read_no_further() -> None:
    body = response(*[b"x" * 1000] * 100)
    with pytest.raises(Refused):
        await read_all(body, 5000)
    assert body.stream.given == 6  # type: ignore[union-attr]
    assert len(await read_all(response(*[b"x" * 1000] * 100), 5000, cut=True)) == 5000


@pytest.mark.parametrize(("packed", "reason"), [("br", "not_mcp"), ("gzip, gzip", "not_mcp"), ("gzip", "malformed")])
async def test_what_cannot_be_unpacked_is_refused(packed: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        async for _ in decoded(response(b"not packed", packed=packed), 1000):
            pass
    assert caught.value.fault.reason == reason
