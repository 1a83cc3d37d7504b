"""What is examined, and how a subject of it is had for each vector."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from ..errors import ConfigurationError
from .lines import LinesSubject
from .process import Process
from .subject import Subject, UnsupportedError
from .vector import Vector
from .verdict import Found

CLOSE_S = 10.0
"""For a subject to let go of everything."""


class Target(Protocol):
    """``name`` is how a report calls it. ``takes_upstream``: a subject of it may be a gateway before our own server."""

    name: str
    takes_upstream: bool

    def subject(self, vector: Vector, upstream: tuple[str, ...]) -> AbstractAsyncContextManager[Subject]: ...

    async def close(self) -> None: ...


class InProcess:
    """A class, or a function that makes a subject, in this process: for plain tests.

    A class whose ``is_gateway`` is true is given the suite's own server to stand before.
    """

    def __init__(self, factory: Callable[[], Subject], name: str = "") -> None:
        self.takes_upstream = bool(getattr(factory, "is_gateway", False))
        self._factory = factory
        self.name = name or getattr(factory, "__name__", type(factory).__name__)

    @asynccontextmanager
    async def subject(self, vector: Vector, upstream: tuple[str, ...]) -> AsyncIterator[Subject]:
        made = self._factory()
        try:
            yield made
        finally:
            await _close(made)

    async def close(self) -> None:
        """Nothing is left."""


class Lines:
    """A command that speaks JSON lines. One process serves all vectors, and another one after it broke."""

    takes_upstream = True

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], name: str = "") -> None:
        self.name = name or command[0]
        self._command = command
        self._environment = environment
        self._process: Process | None = None

    @asynccontextmanager
    async def subject(self, vector: Vector, upstream: tuple[str, ...]) -> AsyncIterator[Subject]:
        if self._process is None or self._process.has_ended:
            await self.close()
            self._process = await Process.start(self._command, self._environment)
        made = LinesSubject(self._process)
        is_over = False
        try:
            try:
                yield made
            except (Found, UnsupportedError) as exc:
                if isinstance(exc, Found) and exc.verdict in ("hung", "died", "garbled"):
                    raise
                await _close(made)
                is_over = True
                raise
            await _close(made)
            is_over = True
        finally:
            if not is_over:  # whatever state it is in, nothing of it comes into the next vector
                made.let_go()
                await self.close(patient=False)

    async def close(self, *, patient: bool = True) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close(patient=patient)


async def _close(subject: Subject) -> None:
    """Raises Found: it does not, or not in time."""
    patience = asyncio.timeout(CLOSE_S)
    try:
        async with patience:
            await subject.close()
    except Found:
        raise
    except Exception as exc:
        if patience.expired():
            raise Found("hung", f"close gave no answer in {CLOSE_S:g} s") from None
        raise Found("raised", f"close raised {type(exc).__name__}: {str(exc)[:160]}") from exc


def python(reference: str, environment: Mapping[str, str]) -> Lines:
    """A subject that is a Python class, in a process of its own."""
    return Lines((sys.executable, "-m", "licet.conformance.hosted", reference), environment, reference)


def server(command: Sequence[str], environment: Mapping[str, str], *, allow_effects: bool = False) -> Target:
    """An MCP server; or a gateway, where ``{upstream}`` stands in its command."""
    raise ConfigurationError("servers cannot be examined yet; name a subject in Python")


def address(url: str, *, allow_effects: bool = False) -> Target:
    """An MCP server at a URL."""
    raise ConfigurationError("servers cannot be examined yet; name a subject in Python")


__all__ = ["InProcess", "Lines", "Target", "address", "python", "server"]
