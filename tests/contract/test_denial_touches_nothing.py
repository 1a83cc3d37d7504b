"""A refused call opens no file and no socket and starts no process, through every door: the interpreter is asked.

Every ``open``, ``connect`` and ``exec`` of CPython raises an audit event, whoever makes it.
"""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from doubles import Says, Script, Spy, holder
from licet import PathPolicy, Principal, ToolCapability, ToolRegistry, ToolRunner
from licet.agents.loop import loop
from licet.bundles.files import tools
from licet.doors.blocking import Blocking
from licet.errors import ToolError
from licet.model.call import Request
from licet.ports import Message
from licet.testing import RecordingLedger, fake_tool

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


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[ToolRegistry, Principal, RecordingLedger]]:
    (tmp_path / "note.txt").write_text("text")
    ledger = RecordingLedger()
    registry = ToolRegistry(ledger=ledger, approver=Says(False))
    for spec in tools():
        registry.register(spec)
    registry.register(fake_tool("unsafe", capabilities=ToolCapability(read_only=True, unsafe=True))[0])
    registry.set_resolver(Spy())
    grants = ("read", "ls", "write", "unsafe", "nowhere")
    yield registry, holder(*grants, mode="read_only", paths=PathPolicy.current_project(tmp_path)), ledger
    registry.close()


REFUSED: list[tuple[str, Any]] = [
    ("grep", {"pattern": "x"}),
    ("nowhere", {}),
    ("no name", {}),
    ("write", {"path": "new.txt", "content": "x"}),
    ("unsafe", {}),
    ("read", {}),
    ("read", {"path": 7}),
    ("read", {"path": "../etc/passwd"}),
    ("read", {"path": "/etc/passwd"}),
    ("read", {"path": "a\0b"}),
    ("read", {"path": "note.txt", "extra": 1}),
    ("read", '{"path": "note.txt", "path": "note.txt"}'),
    ("ls", {"path": "note.txt", "limit": 0}),
]

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


LOOP = asyncio.new_event_loop()


@pytest.fixture(scope="module", autouse=True)
def running_loop() -> Iterator[None]:
    """A loop that is there beforehand: to make one opens a socket pair, which is none of the corridor's doing."""
    thread = threading.Thread(target=LOOP.run_forever, daemon=True)
    thread.start()
    yield
    LOOP.call_soon_threadsafe(LOOP.stop)
    thread.join()
    LOOP.close()


@pytest.mark.requirement("own.denial-touches-nothing")
@pytest.mark.parametrize("door", [by_runtime, by_loop, by_blocking, by_registry, by_runner])
def test_a_refused_call_touches_nothing_through_any_door(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Door
) -> None:
    registry, who, ledger = world
    for name, arguments in REFUSED:  # what is imported when it is first needed is imported now
        door(registry, who, name, arguments)
    before = len(ledger.kinds)
    with watched() as seen:
        for name, arguments in REFUSED:
            door(registry, who, name, arguments)
    assert seen == []
    assert set(ledger.kinds) == {"tool.refused", "tool.denied"}
    assert len(ledger.kinds) - before == len(REFUSED)


@pytest.mark.parametrize("door", [by_runtime, by_loop, by_blocking, by_registry, by_runner])
def test_the_control_a_call_that_runs_is_seen_to_open_its_file(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Door
) -> None:
    registry, who, _ = world
    door(registry, who, "ls", {"path": "."})
    with watched() as seen:
        door(registry, who, "ls", {"path": "."})
    assert any("open" in event or "scandir" in event for event in seen), seen
