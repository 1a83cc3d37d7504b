"""A faulty server beside a healthy one: what has to hold whatever the faulty one does."""

import asyncio
import contextlib
import gc
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from licet.model.server import ServerSpec
from licet.sources.mcp import sdk
from licet.sources.mcp.connection import Connection
from licet.sources.mcp.limits import McpLimits

FAULTY = Path(__file__).parents[2] / "peers" / "faulty.py"
FAULTY_HTTP = FAULTY.with_name("faulty_http.py")

BLOCKED_S = 0.05
CLOSED_S = 5.0
QUICK = McpLimits(list_s=2.0, probe_s=0.3)
"""Limits of tests that wait for one of them to pass."""


class Trouble:
    """A connection to a faulty server, what that server was asked, and what it noted."""

    def __init__(self, log: Path, spec: ServerSpec, limits: McpLimits) -> None:
        self.log = log
        self.spec = spec
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.changes = 0
        self.connection = Connection(
            spec, limits, on_changed=self._changed, note=lambda kind, body: self.notes.append((kind, body))
        )
        self.list_tools = self.connection.list_tools
        self.call = self.connection.call

    def _changed(self) -> None:
        self.changes += 1

    def asked(self, beginning: str = "") -> list[str]:
        """The lines of its log with this beginning."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.startswith(beginning)]

    async def until(self, beginning: str) -> list[str]:
        """The same, once there is one."""
        async with asyncio.timeout(10):
            while not (lines := self.asked(beginning)):  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.01)
        return lines

    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in (*self.asked("start"), *self.asked("grandchild"))]


@asynccontextmanager
async def trouble(
    tmp_path: Path, *faults: str, limits: McpLimits = QUICK, env: dict[str, str] | None = None, command: str = ""
) -> AsyncIterator[Trouble]:
    """Fails afterwards if the healthy server felt it, the loop was held up, or anything was left behind."""
    log = tmp_path / "log"
    args = (str(FAULTY), f"log={log}", *faults) if not command else ()
    spec = ServerSpec(id="faulty", command=command or sys.executable, args=args, env=env or {})
    async with beside(Trouble(log, spec, limits)) as one:
        yield one


@asynccontextmanager
async def trouble_http(
    tmp_path: Path, *faults: str, limits: McpLimits = QUICK, headers: dict[str, str] | None = None
) -> AsyncIterator[Trouble]:
    """The same over HTTP."""
    log = tmp_path / "log"
    async with serving(f"log={log}", *faults) as port:
        spec = ServerSpec(id="faulty", url=f"http://127.0.0.1:{port}/mcp", headers=headers or {})
        async with beside(Trouble(log, spec, limits)) as one:
            yield one


@asynccontextmanager
async def serving(*faults: str) -> AsyncIterator[int]:
    """The port of a faulty server over HTTP."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, FAULTY_HTTP, *faults, stdin=pipe, stdout=pipe)
    try:
        assert process.stdout is not None
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.communicate()


@asynccontextmanager
async def beside(one: Trouble) -> AsyncIterator[Trouble]:
    await sdk.load()
    gc.freeze()  # what pytest holds takes longer to look through than what is measured
    healthy = Connection(ServerSpec(id="healthy", command=sys.executable, args=(str(FAULTY),)))
    descriptors, children = _descriptors(), _children()
    try:
        await healthy.call("echo", {})
        async with watched() as blocked:
            yield one
            async with asyncio.timeout(CLOSED_S):
                await healthy.call("echo", {})
            async with asyncio.timeout(CLOSED_S):
                await one.connection.close()
        assert healthy.generation == 1, "the other server was connected to anew"
        assert max(blocked) < BLOCKED_S, f"the event loop was held up for {max(blocked):.3f} s"
    finally:
        await one.connection.close()
        await healthy.close()
        gc.unfreeze()
    assert _children() <= children, "a process is left"
    assert not [pid for pid in one.pids() if is_alive(pid)], "a process is left"
    assert _descriptors() == descriptors, "a descriptor is left"


@asynccontextmanager
async def watched() -> AsyncIterator[list[float]]:
    """Seconds that the loop was held up, each time; without those in which this machine had no core for it."""
    blocked = [0.0]

    async def watch() -> None:
        rest = 0.005
        while True:
            began, delayed = time.perf_counter(), _delayed_s()
            await asyncio.sleep(rest)
            blocked.append(time.perf_counter() - began - rest - (_delayed_s() - delayed))

    watcher = asyncio.create_task(watch())
    try:
        yield blocked
    finally:
        watcher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watcher


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that is dead and not reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _delayed_s() -> float:
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found |= set((task / "children").read_text().split())
    return found
