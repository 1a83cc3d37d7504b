"""Starting a server's process, such that it cannot outlive this one."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple, TypeVar

from .keeper import Keeper

T = TypeVar("T")

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""All that a child sees of this process's environment. What else it needs is declared."""

DEPTH = "LICET_DEPTH"
"""How many of these processes stand above one another: a server may be licet itself."""

_SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

_TRAMPOLINE = """
import ctypes, os, sys
parent, command = int(sys.argv[1]), sys.argv[2:]
if ctypes.CDLL(None).prctl(1, 9) or os.getppid() != parent:
    os._exit(127)
os.execvp(command[0], command)
"""
"""For a Linux without ``setpriv``: the child asks for the signal itself, and looks whether it came too late."""


class Started(NamedTuple):
    """A process in a session of its own, with the raw ends of its pipes."""

    process: "subprocess.Popen[bytes]"
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]


def environment(declared: Mapping[str, str]) -> dict[str, str]:
    """What a child sees: six variables of this process, what was declared, and how deep it stands."""
    ours = os.environ
    shared = {name: ours[name] for name in INHERITED if name in ours and not ours[name].startswith("()")}
    depth = ours.get(DEPTH, "0")
    return {**shared, **declared, DEPTH: str(int(depth) + 1 if depth.isdecimal() else 1)}


def start(command: str, args: tuple[str, ...], cwd: str | None, declared: Mapping[str, str]) -> Future[Started]:
    """Start it on the thread that starts all of them.

    Linux sends the signal that ends a child when the *thread* that made it ends, so that thread is as old as the
    process; and neither a slow disk nor a fork holds up an event loop.
    """
    starter = _starter()

    def make() -> Started:
        started = _start(command, args, cwd, environment(declared))
        starter.keeper.hold(started.process.pid)
        return started

    return starter.do(make)


def forget(group: int) -> Future[None]:
    """This group is gone for good: nobody has to look after it any more."""
    starter = _starter()
    return starter.do(lambda: starter.keeper.release(group))


def _start(command: str, args: tuple[str, ...], cwd: str | None, env: dict[str, str]) -> Started:
    _refuse_missing(command, cwd, env)
    process = subprocess.Popen(
        [*_leash(), command, *args],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        close_fds=True,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return Started(process, process.stdin, process.stdout, process.stderr)


def _refuse_missing(command: str, cwd: str | None, env: Mapping[str, str]) -> None:
    """Raises FileNotFoundError. Whatever starts the command for us would only say so on its standard error."""
    if cwd is not None and not Path(cwd).is_dir():
        raise FileNotFoundError(f"its working directory does not exist: {cwd}")
    found = Path(cwd or ".", command) if "/" in command else shutil.which(command, path=env.get("PATH", os.defpath))
    if found is None or not (os.path.isfile(found) and os.access(found, os.X_OK)):
        raise FileNotFoundError(f"the command {Path(command).name!r} was not found, or cannot be executed")


def _leash() -> list[str]:
    """What stands before the command, so that the kernel kills it when this process ends in whatever way."""
    if sys.platform != "linux":
        return []
    if setpriv := _setpriv():
        return [setpriv, "--pdeathsig", "KILL", "--"]
    return [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, str(os.getpid())]


@cache
def _setpriv() -> str | None:
    """Where it is, if it is the one that knows the option: that of busybox does not."""
    found = shutil.which("setpriv", path=_SYSTEM)
    if found is None:
        return None
    helped = subprocess.run([found, "--help"], capture_output=True, check=False, timeout=5, env={})
    return found if b"--pdeathsig" in helped.stdout + helped.stderr else None


class _Starter:
    """One daemon thread for as long as this process lives."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.pid = os.getpid()
        self.keeper = Keeper()
        threading.Thread(target=self._serve, name="licet-starter", daemon=True).start()

    def do(self, work: Callable[[], T]) -> Future[T]:
        """What it gives, on that thread."""
        made: Future[T] = Future()

        def carry() -> None:
            if not made.set_running_or_notify_cancel():
                return
            try:
                made.set_result(work())
            except BaseException as exc:
                made.set_exception(exc)

        self._work.put(carry)
        return made

    def _serve(self) -> None:
        while True:
            self._work.get()()


_lock = threading.Lock()
_one: _Starter | None = None


def _starter() -> _Starter:
    global _one
    with _lock:
        if _one is None or _one.pid != os.getpid():  # after a fork the thread is the parent's
            _one = _Starter()
        return _one
