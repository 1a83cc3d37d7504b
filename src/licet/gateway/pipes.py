"""Standard input and output for the protocol alone, read and written without a thread that could hold the exit."""

import asyncio
import fcntl
import os
import select
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

_CHUNK = 64 * 1024
_AT_ONCE = 4096
"""Bytes that a pipe which can be written takes without blocking: POSIX says PIPE_BUF, and Linux has this one."""


class Pipes(NamedTuple):
    """Two descriptors that nobody else in the process knows."""

    into: int
    out: int


@contextmanager
def standard_pipes() -> Iterator[Pipes]:
    """While it lasts, whatever else reads standard input finds its end, and what is printed goes to standard error."""
    sys.stdout.flush()
    into, out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no standard error
            os.dup2(nothing, 1)
        yield Pipes(into, out)
    finally:
        sys.stdout.flush()
        for kept, fd in ((into, 0), (out, 1)):
            os.dup2(kept, fd)
            os.close(kept)
        os.close(nothing)


async def lines(fd: int, limit: int) -> AsyncIterator[bytes | None]:
    """Each line without its end, until the end of input; None in place of one that is longer than ``limit`` bytes."""
    held, too_long, looked = bytearray(), False, 0
    while chunk := await _read(fd):
        held += chunk
        while (end := held.find(b"\n", looked)) >= 0:
            line = bytes(held[:end])
            del held[: end + 1]
            looked = 0
            if too_long or len(line) > limit:
                yield None
            elif line.strip():
                yield line
            too_long = False
        if len(held) > limit:
            too_long = True
            held.clear()
        looked = len(held)
    if held.strip() and not too_long:
        yield bytes(held)


def has_room(fd: int) -> bool:
    """Whether a line can be written at once. Some clients never read what a server says on standard error."""
    watched = select.poll()
    watched.register(fd, select.POLLOUT)
    try:
        return any(event & select.POLLOUT for _, event in watched.poll(0))
    except OSError:
        return False


async def write(fd: int, data: bytes) -> None:
    """All of it, while others go on. Raises OSError: nobody reads any more."""
    loop = asyncio.get_running_loop()
    left = memoryview(data)
    watched = select.poll()
    watched.register(fd, select.POLLOUT)
    while left:
        if not watched.poll(0):
            await _ready(fd, loop.add_writer, loop.remove_writer)
        left = left[os.write(fd, left[:_AT_ONCE]) :]


async def _read(fd: int) -> bytes:
    loop = asyncio.get_running_loop()
    await _ready(fd, loop.add_reader, loop.remove_reader)
    with suppress(OSError):  # a terminal that was closed
        return os.read(fd, _CHUNK)
    return b""


async def _ready(fd: int, add: Callable[..., Any], remove: Callable[[int], Any]) -> None:
    woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    try:
        add(fd, _wake, woken)
    except PermissionError:
        await asyncio.sleep(0)  # a regular file, which is always ready
        return
    try:
        await woken
    finally:
        remove(fd)


def _wake(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)


__all__ = ["Pipes", "has_room", "lines", "standard_pipes", "write"]
