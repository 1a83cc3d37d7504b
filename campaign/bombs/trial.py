"""One bomb in a process of its own, watched: its time, its loop, its memory, and whom it asks for anything."""

import asyncio
import gc
import os
import pickle
import select
import signal
import sys
import tempfile
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from campaign.bombs.bomb import DONE, PATIENCE_S, REFUSED, Bomb, Fuse, Place, Seen
from campaign.bombs.tripwire import Tripwire
from licet.errors import LicetError
from licet.model.result import ToolResult

_BEAT_S = 0.001
_ASKS = ("socket.connect", "socket.getaddrinfo", "socket.gethostby", "subprocess.", "os.system", "os.exec", "os.posix")
_READS_ANYWAY = tuple({sys.prefix, sys.base_prefix, "/proc/", "/dev/", str(Path(__file__).parents[2])})


def trial(bomb: Bomb, tripwire: Tripwire, *, patience_s: float = PATIENCE_S) -> Seen:
    """Lay a bomb and light it, in a child that is killed after ``patience_s``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder, "project"), tripwire.url, tripwire.pipe)
        place.project.mkdir()
        ours, theirs = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a process with threads; the child uses none
            child = os.fork()
        if child == 0:
            _in_child(bomb, place, theirs)
        os.close(theirs)
        try:
            told = _all_of(ours, patience_s)
        finally:
            os.close(ours)
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
        visitors = tripwire.visitors()
        if not told:
            ended = "hung" if os.WTERMSIG(status) == signal.SIGKILL else f"ended with {status}"
            return Seen(ended, patience_s, patience_s, 0, visitors)
        seen: Seen = pickle.loads(told)
        return seen._replace(fetches=seen.fetches + visitors)


def _in_child(bomb: Bomb, place: Place, out: int) -> None:
    """Never returns: whatever happens, nothing of the parent goes on in here."""
    try:
        seen = _light(bomb.lay(place), place)
        os.write(out, pickle.dumps(seen))
        while select.select([], [], [], PATIENCE_S):
            pass  # the parent knows enough, and ends this
    finally:
        os._exit(1)


def _all_of(pipe: int, patience_s: float) -> bytes:
    ready, _, _ = select.select([pipe], [], [], patience_s)
    return os.read(pipe, 1 << 16) if ready else b""


def _light(fuse: Fuse, place: Place) -> Seen:
    fetches: list[str] = []
    sys.addaudithook(_witness(fetches, str(place.project)))
    gc.collect()
    before = _forget_peak()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.sleep(0))
    try:
        spent, outcome = _timed(fuse.first) if fuse.first else (0.0, DONE)
        stall = 0.0
        if fuse.call is not None and outcome == DONE:
            more, stall, outcome = loop.run_until_complete(_watched(fuse.call))
            spent += more
    except BaseException as exc:
        return Seen(f"raised {type(exc).__name__}: {str(exc)[:200]}")
    return Seen(outcome, spent, stall, _peak() - before, tuple(dict.fromkeys(fetches)))


def _timed(act: Callable[[], Any]) -> tuple[float, str]:
    wall, cpu = perf_counter(), process_time()
    try:
        outcome = _outcome_of(act())
    except LicetError as refused:
        outcome = f"{REFUSED} {refused.code}"
    return min(perf_counter() - wall, process_time() - cpu), outcome


async def _watched(act: Callable[[], Awaitable[Any]]) -> tuple[float, float, str]:
    """Seconds, the longest time that the loop stood still, and the outcome.

    A time is that of the clock or of this process's processors, whichever is less: other processes are not counted.
    """
    beats = [(perf_counter(), process_time())]
    stall = 0.0

    def beat() -> None:
        nonlocal stall
        now = perf_counter(), process_time()
        stall = max(stall, min(now[0] - beats[-1][0], now[1] - beats[-1][1]) - _BEAT_S)
        beats.append(now)

    async def beating() -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            beat()

    heart = asyncio.ensure_future(beating())
    await asyncio.sleep(5 * _BEAT_S)
    stall = 0.0
    wall, cpu = perf_counter(), process_time()
    try:
        result = await act()
    except LicetError as refused:
        result, outcome = None, f"{REFUSED} {refused.code}"
    else:
        outcome = _outcome_of(result)
    beat()
    if isinstance(result, ToolResult):
        str(result.content)  # on the thread of whoever reads it
    spent = min(perf_counter() - wall, process_time() - cpu)
    heart.cancel()
    return spent, stall, outcome


def _outcome_of(result: Any) -> str:
    return f"{REFUSED} {result.code}" if isinstance(result, ToolResult) and not result.success else DONE


def _witness(fetches: list[str], project: str) -> Callable[[str, tuple[Any, ...]], None]:
    """Notes whom the interpreter asks for anything that is not of this project or of Python itself."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_ASKS):
            fetches.append(f"{event} {arguments[1:2]}")
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path = os.fsdecode(arguments[0])
            if path.startswith("/") and path != "/" and not path.startswith((project, *_READS_ANYWAY)):
                fetches.append(f"open {path}")

    return hook


def _forget_peak() -> int:
    """Bytes in use now; from here on a new peak is counted."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _memory("VmRSS")


def _peak() -> int:
    return _memory("VmHWM")


def _memory(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)
