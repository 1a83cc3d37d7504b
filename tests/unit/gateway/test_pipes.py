"""Standard input and output as the protocol's own pipes."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from licet.gateway.pipes import has_room, lines, write

LIMIT = 1000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


async def read(fd: int) -> list[bytes | None]:
    return [line async for line in lines(fd, LIMIT)]


async def test_lines_come_one_by_one_however_they_were_cut(pipe: tuple[int, int]) -> None:
    into, out = pipe
    reading = asyncio.create_task(read(into))
    for piece in (b"on", b"e\ntwo\n\n", b"three"):
        os.write(out, piece)
        await asyncio.sleep(0)
    os.close(out)
    assert await reading == [b"one", b"two", b"three"]


async def test_a_line_over_the_limit_is_told_and_costs_no_other(pipe: tuple[int, int]) -> None:
    into, out = pipe
    os.write(out, b"x" * 3000 + b"\n" + b"after\n" + b"y" * 1001 + b"\n" + b"z" * 1000 + b"\n")
    os.close(out)
    assert await read(into) == [None, b"after", None, b"z" * 1000]


async def test_a_regular_file_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "requests"
    file.write_bytes(b"one\ntwo\n")
    fd = os.open(file, os.O_RDONLY)
    assert await read(fd) == [b"one", b"two"]
    os.close(fd)


async def test_reading_ends_at_once_when_nobody_wants_it_any_more(pipe: tuple[int, int]) -> None:
    reading = asyncio.create_task(read(pipe[0]))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_a_reader_that_is_slow_holds_up_no_one_else(pipe: tuple[int, int]) -> None:
    into, out = pipe
    data = b"x" * 1_000_000
    writing = asyncio.create_task(write(out, data))
    await asyncio.sleep(0)
    assert not writing.done()  # and yet this goes on
    got = b""
    os.set_blocking(into, False)
    while not writing.done():
        with suppress(BlockingIOError):
            got += os.read(into, 1 << 16)
        await asyncio.sleep(0)
    while len(got) < len(data):
        got += os.read(into, 1 << 16)
    assert got == data


async def test_a_file_takes_everything(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "answers", os.O_WRONLY | os.O_CREAT)
    await write(fd, b"x" * 100_000)
    os.close(fd)
    assert (tmp_path / "answers").stat().st_size == 100_000


async def test_writing_to_nobody_says_so(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(BrokenPipeError):
        await write(pipe[1], b"x")


def test_a_line_for_nobody_who_reads_is_known_not_to_fit(pipe: tuple[int, int]) -> None:
    into, out = pipe
    assert has_room(out)
    os.set_blocking(out, False)
    with suppress(BlockingIOError):
        while True:
            os.write(out, b"x" * 4096)
    assert not has_room(out)
    os.read(into, 1 << 16)
    assert has_room(out)
