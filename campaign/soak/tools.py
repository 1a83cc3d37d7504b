"""Tools that behave, crash, hang, flood, ask and lie."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from licet import tool
from licet.bundles import files

HUNG_S = 0.15
"""After which a hung call is given up, in seconds."""


class Hung:
    """What hung handlers wait for. They outlive their calls, but not the load."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def wait(self) -> None:
        self._released.wait(4 * HUNG_S)

    def release(self) -> None:
        self._released.set()


def tools(hung: Hung, leak: Callable[[Any], None] | None) -> list[Any]:
    """Fresh ones. ``leak``, if any, is called with what ``echo`` gives: the control."""

    @tool(read_only=True)
    async def echo(n: int) -> dict[str, Any]:
        value = {"n": n, "text": "x" * 256}
        if leak is not None:
            leak(value)
        return value

    @tool(read_only=True, inline=True)
    def inline(n: int) -> dict[str, int]:
        return {"n": n}

    @tool(read_only=True, timeout_s=5)
    def threaded(n: int) -> dict[str, int]:
        return {"n": n}

    @tool(writes=True)
    async def write_down(n: int) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"n": n}

    @tool(writes=True)
    async def crash(how: str) -> None:
        await asyncio.sleep(0)
        if how == "group":
            raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
        if how == "stop":
            raise StopAsyncIteration
        _crash(how)

    @tool(writes=True, inline=True)
    def crash_inline(how: str) -> None:
        _crash(how)

    @tool(writes=True, timeout_s=5)
    def crash_threaded(how: str) -> None:
        _crash(how)

    @tool(read_only=True)
    async def broken_line() -> None:
        raise ConnectionResetError("the other side went away")

    @tool(read_only=True, inline=True)
    def not_json() -> Any:
        return {"a": object()}

    @tool(read_only=True, inline=True)
    def flood() -> str:
        return "x" * (5 << 20)

    @tool(name="hung", writes=True, timeout_s=HUNG_S)
    async def hangs() -> None:
        await asyncio.Event().wait()

    @tool(writes=True, timeout_s=HUNG_S)
    def hung_thread() -> None:
        hung.wait()

    @tool(writes=True, timeout_s=HUNG_S)
    async def stubborn() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "late"
        return "never"

    @tool(writes=True, approval=True)
    async def asks() -> str:
        return "done"

    @tool(read_only=True)
    async def secret(n: int) -> None:
        raise AssertionError("nobody was granted this")

    return [
        *(echo, inline, threaded, write_down, crash, crash_inline, crash_threaded, broken_line, not_json, flood),
        *(hangs, hung_thread, stubborn, asks, secret, *files.tools()),
    ]


def _crash(how: str) -> None:
    if how == "exit":
        raise SystemExit(3)
    raise ValueError("a bug")
