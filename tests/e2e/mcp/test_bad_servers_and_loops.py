"""One connection for many threads and loops, and what happens when one of those ends."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from watching import BLOCKED_S, FAULTY, Trouble, beside, is_alive, trouble, watched

from licet.errors import TransportError
from licet.model.server import ServerSpec
from licet.sources.mcp import spawn
from licet.sources.mcp.connection import Connection
from licet.sources.mcp.limits import McpLimits

T = TypeVar("T")


async def elsewhere(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What it gives on a loop of its own, on another thread."""
    return await asyncio.to_thread(lambda: asyncio.run(start()))


async def test_calls_from_other_loops_go_to_the_same_process(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})

        async def many() -> list[Any]:
            return await asyncio.gather(*(one.call("echo", {"n": n}) for n in range(20)))

        here, there, further = await asyncio.gather(many(), elsewhere(many), elsewhere(many))
        assert here == there == further
        assert len(one.asked("start")) == 1


async def test_progress_is_told_on_the_loop_of_whoever_called(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})
        heard: list[int] = []

        async def listening() -> int:
            await one.call("progress", {"steps": 3}, on_progress=lambda *_: heard.append(threading.get_ident()))
            await asyncio.sleep(0)
            return threading.get_ident()

        thread = await elsewhere(listening)
        assert heard == [thread] * 3


async def test_a_cancellation_on_another_loop_reaches_the_server(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})

        async def impatient() -> None:
            call = asyncio.create_task(one.call("hang", {}))
            await one.until("tools/call hang")
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

        await elsewhere(impatient)
        assert len(await one.until("cancelled")) == 1


async def test_errors_cross_over_as_what_they_are(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})

        async def unlucky() -> None:
            with pytest.raises(TransportError):
                await one.call("die", {})
            assert await one.list_tools()

        await elsewhere(unlucky)


def test_a_loop_that_ends_takes_its_server_with_it_and_the_next_gets_another(tmp_path: Path) -> None:
    spec = ServerSpec(id="faulty", command=sys.executable, args=(str(FAULTY), f"log={tmp_path / 'log'}"))
    one = Trouble(tmp_path / "log", spec, McpLimits())
    asyncio.run(one.call("echo", {}))
    assert one.asked("eof"), "it was not ended nicely"
    assert not any(map(is_alive, one.pids()))

    async def again() -> None:
        async with beside(one):
            await one.call("echo", {})

    asyncio.run(again())
    assert len(one.asked("start")) == 2


def test_a_loop_that_was_closed_without_a_word_leaves_no_process(tmp_path: Path) -> None:
    spec = ServerSpec(id="faulty", command=sys.executable, args=(str(FAULTY), f"log={tmp_path / 'log'}", "ignore_eof"))
    connection = Connection(spec)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(connection.call("echo", {}))
    tasks = asyncio.all_tasks(loop)  # held, for a task that vanishes while it is pending complains
    loop.close()

    async def again() -> int:
        await connection.call("echo", {})
        (first, second) = [
            int(line.split()[1]) for line in (tmp_path / "log").read_text().split("\n") if "start" in line
        ]
        assert not is_alive(first)
        await connection.close()
        return second

    assert not is_alive(asyncio.run(again()))
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]


async def test_a_call_whose_home_ends_under_it_has_an_unknown_effect(tmp_path: Path) -> None:
    spec = ServerSpec(id="faulty", command=sys.executable, args=(str(FAULTY), f"log={tmp_path / 'log'}"))
    one = Trouble(tmp_path / "log", spec, McpLimits())
    settled, over = threading.Event(), threading.Event()

    async def home() -> None:
        await one.call("echo", {})
        settled.set()
        await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(home()))
    thread.start()
    await asyncio.to_thread(settled.wait)
    call = asyncio.create_task(one.call("hang", {}))
    await one.until("tools/call hang")
    over.set()
    with pytest.raises(TransportError) as caught:
        await call
    assert caught.value.reason in ("home_ended", "closed")
    await asyncio.to_thread(thread.join)
    assert not any(map(is_alive, one.pids()))


_PARENT = """
import asyncio, sys
from licet.model.server import ServerSpec
from licet.sources.mcp import keeper, spawn
from licet.sources.mcp.connection import Connection
if sys.argv[1] == "unleashed":
    spawn._leash = list
    keeper._SHELL = "/no/such/shell"
if sys.argv[1] == "no_setpriv":
    spawn._setpriv = lambda: None
async def main():
    server = ServerSpec(id="x", command=sys.executable, args=tuple(sys.argv[2:]))
    await Connection(server).call("echo", {})
    print("ready", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("leash", ["setpriv", "no_setpriv", "unleashed"])
def test_a_parent_that_is_killed_leaves_no_orphan_and_without_its_leash_it_does(tmp_path: Path, leash: str) -> None:
    log = tmp_path / "log"
    faults = (str(FAULTY), f"log={log}", "ignore_eof", "ignore_term", "grandchild")
    with subprocess.Popen([sys.executable, "-c", _PARENT, leash, *faults], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        pids = [
            int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith(("start", "grandchild"))
        ]
        parent.kill()
    assert len(pids) == 2
    ends = time.monotonic() + (1 if leash == "unleashed" else 10)
    while any(map(is_alive, pids)) and time.monotonic() < ends:
        time.sleep(0.01)  # it is init that reaps them
    assert [is_alive(pid) for pid in pids] == [leash == "unleashed"] * 2
    if leash == "unleashed":
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


def test_the_thread_that_starts_processes_outlives_them() -> None:
    started = spawn.start("sleep", ("600",), None, {}).result(10)
    try:
        (starter,) = [thread for thread in threading.enumerate() if thread.name == "licet-starter"]
        assert starter.daemon
        assert starter.is_alive()
    finally:
        started.process.kill()
        started.process.wait()
        spawn.forget(started.process.pid).result(10)
        for pipe in started[1:]:
            pipe.close()


async def test_a_loop_that_is_held_up_is_noticed() -> None:
    async with watched() as blocked:
        await asyncio.sleep(0.02)
        time.sleep(2 * BLOCKED_S)  # noqa: ASYNC251 - the control
        await asyncio.sleep(0.02)
    assert max(blocked) > BLOCKED_S
