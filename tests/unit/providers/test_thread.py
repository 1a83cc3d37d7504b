"""Blocking work beside an event loop, and connections that belong to one."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from licet.providers.per_loop import PerLoop
from licet.providers.thread import each_on_thread, on_thread


async def test_what_a_thread_gives_or_raises_comes_back() -> None:
    assert await on_thread(lambda: threading.current_thread().daemon)

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await on_thread(fails)


async def test_a_thread_that_hangs_holds_no_cancellation_up() -> None:
    begun, released = threading.Event(), threading.Event()

    def hangs() -> None:
        begun.set()
        released.wait(30)

    waiting = asyncio.create_task(on_thread(hangs))
    await asyncio.to_thread(begun.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    released.set()


async def test_items_come_in_their_order_and_an_error_after_them() -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise ValueError("no")

    seen: list[int] = []

    async def read() -> None:
        async for item in each_on_thread(items):
            seen.append(item)  # a comprehension would give nothing of what came before the error

    with pytest.raises(ValueError, match="no"):
        await read()
    assert seen == [0, 1, 2]


async def test_nobody_asks_for_a_further_item_once_nobody_waits() -> None:
    asked, ended = [], threading.Event()
    gate = threading.Semaphore(1)

    def items() -> Iterator[int]:
        try:
            for number in range(1_000):
                gate.acquire(timeout=30)
                asked.append(number)
                yield number
        finally:
            ended.set()

    stream = each_on_thread(items)
    assert await anext(stream) == 0
    await stream.aclose()
    gate.release()
    assert await asyncio.to_thread(ended.wait, 10)
    assert len(asked) == 2


def test_a_client_is_made_anew_on_another_loop() -> None:
    clients = PerLoop(object)

    async def now() -> object:
        first = clients.now()
        assert clients.now() is first
        return first

    one = asyncio.run(now())
    assert asyncio.run(now()) is not one

    async def taken() -> object | None:
        return clients.taken()

    assert asyncio.run(taken()) is None, "that of a loop that ended is nobody's to close"
