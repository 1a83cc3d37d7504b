"""A target's process: with no environment, in a session of its own, and gone at the end."""

import asyncio
import os
import shutil
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress

from ..errors import ConfigurationError
from .executor import MAX_LINE

_CLOSE_S = 3.0
"""For a process whose standard input ended."""
_WORDS = 4096
"""Bytes that are kept of the last that it said on standard error."""


class Process:
    """Lines to its standard input, lines from its standard output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._words: deque[bytes] = deque(maxlen=16)
        self._listening = asyncio.ensure_future(self._listen())

    @staticmethod
    async def start(command: Sequence[str], environment: Mapping[str, str]) -> "Process":
        """``environment`` is all that it sees. The command itself is looked for on this process's PATH.

        Raises:
            ConfigurationError: there is no such command, or it cannot be executed.
        """
        found = located(command[0])
        try:
            made = await asyncio.create_subprocess_exec(
                found,
                *command[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(environment),
                limit=MAX_LINE,
                start_new_session=True,
            )
        except OSError as exc:
            raise ConfigurationError(f"{command[0]!r} does not start: {exc.strerror}") from None
        return Process(made)

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    def write(self, data: bytes) -> None:
        """What a process that ended is told goes nowhere."""
        pipe = self._process.stdin
        if pipe is not None and not pipe.is_closing():
            pipe.write(data)

    async def line(self) -> bytes:
        """The next line; empty: it has ended. Raises ValueError: the line is longer than 8 MiB."""
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    def last_words(self) -> str:
        """The end of what it said on standard error."""
        return b"".join(self._words)[-_WORDS:].decode("utf-8", "replace").strip()

    async def how_it_ended(self) -> str:
        """In words, with the last that it said."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._process.wait()
                await asyncio.wait({self._listening}, timeout=0.5)
        code = self._process.returncode
        if code is None:
            how = "it closed its standard output"
        else:
            how = f"it ended with the signal {-code}" if code < 0 else f"it ended with the exit code {code}"
        words = self.last_words().splitlines()
        return f"{how}; its last words: {words[-1][:200]}" if words else how

    async def close(self, *, patient: bool = True) -> None:
        """End it and all that it started."""
        pipe = self._process.stdin
        if pipe is not None:
            pipe.close()
        if patient:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_S):
                    await self._process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(_WORDS):
            self._words.append(data)


def located(command: str) -> str:
    """Its absolute path. Raises ConfigurationError: there is no such command on this process's PATH."""
    found = shutil.which(command)
    if found is None:
        raise ConfigurationError(f"the command {command!r} was not found, or cannot be executed")
    return os.path.abspath(found)


__all__ = ["Process", "located"]
