"""One server's process: what it said last, whether it lives, and its end, of its whole group."""

import asyncio
import contextlib
import os
import signal
from concurrent.futures import Future

from ...model.server import ServerSpec
from . import spawn

_LOOK_S = 0.01
_LOOKS = 25
_REAP_S = 0.04
_LAST_READS = 4


class Child:
    """A process that leads a group of its own.

    It is not reaped before its group was killed: until then its number cannot belong to anybody else.
    """

    def __init__(self, started: spawn.Started, words_bytes: int) -> None:
        self._process = started.process
        self._words = b""
        self._words_bytes = words_bytes
        self.pid = started.process.pid
        self.stdin = started.stdin
        self.stdout = started.stdout
        self.stderr = started.stderr
        self._forgotten: Future[None] | None = None
        self.status: int | None = None
        """Exit status, or minus the signal, once it was reaped."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)

    @classmethod
    async def start(cls, server: ServerSpec, words_bytes: int) -> "Child":
        """Raises OSError: it cannot be started. Whoever is cancelled meanwhile leaves nothing behind."""
        made = spawn.start(server.command, server.args, server.cwd, server.env)
        try:
            return cls(await asyncio.wrap_future(made), words_bytes)
        except asyncio.CancelledError:
            made.add_done_callback(lambda late: _discard(late, words_bytes))
            raise

    @property
    def words(self) -> str:
        """The last of its standard error."""
        return self._words.decode("utf-8", "replace").strip()

    def hear(self) -> int:
        """Take what stands on its standard error. The bytes there were, or -1: it said its last."""
        try:
            said = os.read(self.stderr.fileno(), 65536)
        except BlockingIOError:
            return 0
        except (OSError, ValueError):
            said = b""
        self._words = (self._words + said)[-self._words_bytes :]
        return len(said) or -1

    def hear_out(self) -> None:
        """Take what it said last, which may still stand in the pipe."""
        for _ in range(_LAST_READS):
            if self.hear() <= 0:
                return

    def is_alive(self) -> bool:
        """Whether it runs. It is not reaped by being asked."""
        if self.status is not None:
            return False
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:  # somebody else waits for every child of this process
            return False

    async def stop(self, within_s: float) -> None:
        """End its input, then ask, then kill its group. Its pipes stay open, for somebody to empty them meanwhile."""
        with contextlib.suppress(OSError):
            self.stdin.close()
        if not await self._gone(within_s / 2):
            self._signal(signal.SIGTERM)
            if not await self._gone(within_s / 4):
                self._signal(signal.SIGKILL)
                await self._gone(within_s / 4)

    def kill(self) -> None:
        """Kill its group at once, reap it and close its pipes. Needs no loop; safe to call twice."""
        if self.status is None:
            self._signal(signal.SIGKILL)
            with contextlib.suppress(Exception):
                self._process.wait(_REAP_S)
            self.status = self._process.returncode
            self._forgotten = spawn.forget(self.pid)
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    async def vanished(self) -> None:
        """Wait a moment for what was killed to be gone; the rest of a group is reaped by somebody else."""
        for _ in range(_LOOKS):
            try:
                os.killpg(self.pid, 0)
            except OSError:
                break
            await asyncio.sleep(_LOOK_S)
        if self._forgotten is not None:
            await asyncio.wrap_future(self._forgotten)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def _gone(self, within_s: float) -> bool:
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while self.is_alive():
            if loop.time() >= until:
                return False
            await asyncio.sleep(_LOOK_S)
        return True


def _discard(late: "Future[spawn.Started]", words_bytes: int) -> None:
    if not late.cancelled() and late.exception() is None:
        Child(late.result(), words_bytes).kill()
