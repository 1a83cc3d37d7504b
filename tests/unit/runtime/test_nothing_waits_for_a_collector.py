"""What a handler held is let go with the result, however the call ended: not when a collector comes by."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from doubles import holder, until
from licet import Runtime, tool
from licet.doors.blocking import Blocking
from licet.runtime.limits import Limits


class Held:
    """Something large that a handler worked on."""


ALIVE: "weakref.WeakSet[Held]" = weakref.WeakSet()


def held() -> Held:
    made = Held()
    ALIVE.add(made)
    return made


@tool(read_only=True, inline=True)
def crashes_inline() -> None:
    kept = held()
    raise ValueError(str(kept is None))


@tool(writes=True)
async def crashes() -> None:
    kept = held()
    raise SystemExit(kept is None)


@tool(writes=True)
def crashes_on_a_thread() -> None:
    kept = held()
    raise KeyError(kept is None)


@tool(read_only=True)
async def loses_its_line() -> None:
    kept = held()
    raise ConnectionError(str(kept is None))


@tool(writes=True, timeout_s=0.01)
async def hangs() -> str:
    kept = held()
    await asyncio.Event().wait()
    return str(kept)


@tool(read_only=True)
async def gives_no_json() -> Any:
    return held()


TOOLS = (crashes_inline, crashes, crashes_on_a_thread, loses_its_line, hangs, gives_no_json)
NAMES = [each.spec.name for each in TOOLS]


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", NAMES)
async def test_a_failed_call_keeps_nothing_alive_but_its_result(name: str) -> None:
    async with Runtime(TOOLS, limits=Limits(backoff_s=0.0)) as runtime:
        result = await runtime.call(holder(*NAMES), name)
        assert not result.success
        if result.cause is not None:
            assert ALIVE, "whoever debugs finds the frames of the handler in the cause"
        del result
        await until(lambda: not ALIVE)  # a thread lets go a moment later
        task = asyncio.ensure_future(runtime.call(holder(*NAMES), name))
        await task
        del task
        await until(lambda: not ALIVE)


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", NAMES)
async def test_neither_does_one_through_the_blocking_door(name: str) -> None:
    def asked() -> bool:
        with Blocking(runtime, holder(*NAMES)) as door:
            return door.call(name).success

    async with Runtime(TOOLS, limits=Limits(backoff_s=0.0)) as runtime:
        assert not await asyncio.to_thread(asked)
        await until(lambda: not ALIVE)
