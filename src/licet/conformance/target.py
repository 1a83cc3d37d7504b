"""What is examined, and how each vector is played on it."""

import shlex
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

from ..errors import ConfigurationError
from .lines import LinesSubject
from .mcp_subject import McpSubject, started
from .process import Process, located
from .rpc import Client
from .stage import close, played
from .subject import Options, Subject, Tool, UnsupportedError
from .vector import Vector
from .verdict import Found

UPSTREAM = "{upstream}"
"""Stands in a gateway's command for the command of the suite's own server."""


class Target(Protocol):
    """``name`` is how a report calls it."""

    name: str

    async def play(self, vector: Vector, patience_s: float) -> None:
        """One vector, for which everything is made anew.

        Raises:
            Found: it is not as the vector says.
            UnsupportedError: the vector is not applicable.
            ConfigurationError: the target cannot be started at all.
        """

    async def close(self) -> None: ...


class InProcess:
    """A class, or a function that makes a subject, in this process: for plain tests.

    A class whose ``is_gateway`` is true is given the suite's own server to stand before.
    """

    def __init__(self, factory: Callable[[], Subject], name: str = "") -> None:
        self._factory = factory
        self.name = name or getattr(factory, "__name__", type(factory).__name__)

    async def play(self, vector: Vector, patience_s: float) -> None:
        is_gateway = bool(getattr(self._factory, "is_gateway", False))
        await played(self._subject(), vector, patience_s, takes_upstream=is_gateway)

    async def close(self) -> None:
        """Nothing is left."""

    @asynccontextmanager
    async def _subject(self) -> AsyncIterator[Subject]:
        made = self._factory()
        try:
            yield made
        finally:
            await close(made)


class Lines:
    """A command that speaks JSON lines. One process serves all vectors, and another one after it broke."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], name: str = "") -> None:
        self.name = name or shlex.join(command)
        self._command = command
        self._environment = environment
        self._process: Process | None = None

    async def play(self, vector: Vector, patience_s: float) -> None:
        await played(self._subject(), vector, patience_s, takes_upstream=True)

    async def close(self) -> None:
        await self._end(patient=True)

    async def _end(self, *, patient: bool) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close(patient=patient)

    @asynccontextmanager
    async def _subject(self) -> AsyncIterator[Subject]:
        if self._process is None or self._process.has_ended:
            await self._end(patient=False)
            self._process = await Process.start(self._command, self._environment)
        made = LinesSubject(self._process)
        is_over = False
        try:
            try:
                yield made
            except (Found, UnsupportedError) as exc:
                if isinstance(exc, Found) and exc.verdict in ("hung", "died", "garbled"):
                    raise
                await close(made)
                is_over = True
                raise
            await close(made)
            is_over = True
        finally:
            if not is_over:  # whatever state it is in, nothing of it comes into the next vector
                made.let_go()
                await self._end(patient=False)


class GatewayTarget:
    """A command of a gateway, started anew for each vector before the suite's own server.

    What has to be said in the gateway's own configuration is not applicable: write a subject in Python for that.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = shlex.join(command)
        self._command = command
        self._environment = environment

    async def play(self, vector: Vector, patience_s: float) -> None:
        await played(self._subject(), vector, patience_s, takes_upstream=True)

    async def close(self) -> None:
        """Nothing is left."""

    @asynccontextmanager
    async def _subject(self) -> AsyncIterator[Subject]:
        made = _Gateway(self._start)
        try:
            yield made
        finally:
            await close(made)

    async def _start(self, stack: AsyncExitStack, tools: Sequence[Tool], options: Options) -> Client:
        if options.is_profiled:
            raise UnsupportedError("which profile a gateway serves is said in its own configuration")
        if not all(tool.granted for tool in tools):
            raise UnsupportedError("which tools a gateway hides is said in its own configuration")
        words = [part for word in self._command for part in (options.upstream if word == UPSTREAM else (word,))]
        command = [word.replace(UPSTREAM, shlex.join(options.upstream)) for word in words]
        return await started(stack, command, self._environment)


class _Gateway(McpSubject):
    """One that may well refuse to serve what may write."""

    async def setup(self, tools: Sequence[Tool], options: Options, /) -> None:
        await super().setup(tools, options)
        if options.source_is_dead or all(tool.read_only for tool in tools):
            return
        served = [one["description"] for one in await self.list()]
        for tool in tools:
            if not tool.read_only and not any(tool.description in one for one in served):
                raise UnsupportedError(f"it does not serve {tool.name!r}, which may write")


def python(reference: str, environment: Mapping[str, str]) -> Target:
    """A subject that is a Python class, in a process of its own.

    Raises:
        ConfigurationError: this is no reference to one.
    """
    module, colon, attribute = reference.rpartition(":")
    if not colon or not module or not attribute.isidentifier():
        raise ConfigurationError(
            f"{reference!r} is no target; name MODULE:CLASS, FILE.py:CLASS, a URL, or -- COMMAND of an MCP server"
        )
    return Lines((sys.executable, "-m", "licet.conformance.hosted", reference), environment, reference)


def server(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    allow_effects: bool = False,
    profiles: Sequence[str] = (),
) -> Target:
    """An MCP server, which serves ``profiles``; or a gateway, where ``{upstream}`` stands in its command.

    Raises:
        ConfigurationError: there is no such command.
    """
    located(command[0])
    if any(UPSTREAM in word for word in command):
        return GatewayTarget(command, environment)
    from .foreign import ForeignTarget, over_pipes

    opened = over_pipes(command, environment)
    return ForeignTarget(shlex.join(command), opened, allow_effects=allow_effects, profiles=profiles)


def address(
    url: str, headers: Mapping[str, str], *, allow_effects: bool = False, profiles: Sequence[str] = ()
) -> Target:
    """An MCP server at a URL, which serves ``profiles``."""
    from .foreign import ForeignTarget, over_http

    return ForeignTarget(url, over_http(url, headers), allow_effects=allow_effects, profiles=profiles)


__all__ = ["UPSTREAM", "GatewayTarget", "InProcess", "Lines", "Target", "address", "python", "server"]
