"""Blocking work beside an event loop, on daemon threads: one that hangs holds no exit up."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_END = object()


async def on_thread(work: Callable[[], T]) -> T:
    """What ``work`` gives or raises. Cancelled, its thread is left to end by its own timeouts."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            value = work()
        except BaseException as exc:
            _tell(loop, _fail, done, exc)
        else:
            _tell(loop, _give, done, value)

    threading.Thread(target=run, name="licet-provider", daemon=True).start()
    return await done


async def each_on_thread(work: Callable[[], Iterable[T]]) -> AsyncGenerator[T, None]:
    """The items of a blocking iterable, as they come. It is asked for no further one once nobody waits."""
    loop = asyncio.get_running_loop()
    line: asyncio.Queue[Any] = asyncio.Queue()
    left = threading.Event()

    def run() -> None:
        try:
            for item in work():
                if left.is_set():
                    return
                _tell(loop, line.put_nowait, (item, None))
        except BaseException as exc:
            _tell(loop, line.put_nowait, (_END, exc))
        else:
            _tell(loop, line.put_nowait, (_END, None))

    threading.Thread(target=run, name="licet-provider", daemon=True).start()
    try:
        while True:
            item, exc = await line.get()
            if exc is not None:
                raise exc
            if item is _END:
                return
            yield item
    finally:
        left.set()


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[..., object], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(what, *arguments)


def _give(done: "asyncio.Future[T]", value: T) -> None:
    if not done.done():
        done.set_result(value)


def _fail(done: "asyncio.Future[T]", exc: BaseException) -> None:
    if not done.done():
        done.set_exception(exc if isinstance(exc, Exception) else RuntimeError(type(exc).__name__))


__all__ = ["each_on_thread", "on_thread"]
