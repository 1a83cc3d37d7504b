"""The interpreter asked what it touches, and the doors that a refused call comes through.

Every ``open``, ``connect`` and ``exec`` of CPython raises an audit event, whoever makes it.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from doubles import Script
from licet import Principal, ToolRegistry, ToolRunner
from licet.agents.loop import loop
from licet.doors.blocking import Blocking
from licet.errors import ToolError
from licet.model.call import Request
from licet.ports import Message

LOOP = asyncio.new_event_loop()
"""Runs on a thread of its own for the whole session: to make one opens a socket pair, which is none of the corridor's
doing."""

TOUCHES = ("open", "os.", "socket.", "subprocess.", "pty.", "shutil.", "ctypes.", "sqlite3.", "tempfile.", "glob.")
HARMLESS = ("os.putenv", "os.unsetenv", "ctypes.cdata", "ctypes.addressof")


class Watch:
    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self.hook)  # for the life of the interpreter: there is no way to take it back

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and event.startswith(TOUCHES) and event not in HARMLESS:
            self.seen.append(f"{event} {arguments!r}"[:200])


WATCH = Watch()


@contextmanager
def watched() -> Iterator[list[str]]:
    WATCH.seen.clear()
    WATCH.on = True
    try:
        yield WATCH.seen
    finally:
        WATCH.on = False


Door = Callable[[ToolRegistry, Principal, str, Any], Any]


def by_runtime(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    return asyncio.run_coroutine_threadsafe(registry.runtime.call(who, name, arguments), LOOP).result(20)


def by_loop(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    async def looped() -> Any:
        async with registry.runtime.run(who) as run:
            return await loop(Script(Message("assistant", calls=(Request(name, arguments),))), run, [], "go")

    return asyncio.run_coroutine_threadsafe(looped(), LOOP).result(20)


def by_blocking(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    with Blocking(registry.runtime, who) as door:
        return door.call(name, arguments)


def by_registry(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    class Manifest:
        tools = sorted(who.grants)
        mode = who.mode
        roots = who.paths.roots

    with suppress(ToolError):
        registry.call(who.name, Manifest, name, arguments)


def by_runner(registry: ToolRegistry, who: Principal, name: str, arguments: Any) -> Any:
    runner = ToolRunner(registry, principal=who)
    with suppress(ToolError):
        runner.activate(name)
    return runner.execute(name, arguments)
