"""A server whose tools are its own: what of the suites can be seen from outside.

Nothing is set up there and no execution is counted; what may write is called with ``allow_effects`` only. A vector is
tried with arguments made from the server's own schemas, and beside each call that has to fail one that succeeds shows
that the tool is there. Of the profile suite it is what a listing shows, for the profile that the server is said to
serve. What cannot be tried is not applicable.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from ..errors import LicetError
from ..profiles import shipped
from . import listing
from .answer import Answered
from .answer import read as read_answer
from .listing import Listed
from .mcp_subject import called, shown
from .process import Process
from .rpc import Client, RpcError, piped
from .spelling import spelled
from .subject import UnsupportedError
from .vector import Vector
from .verdict import Found

Open = Callable[[], AbstractAsyncContextManager[Client]]

ABSENT = "licet_conformance_no_such_tool"
AT_ONCE = 8
MOST_TOOLS = 3
MOST_TRIES = 6
_BY_LISTING = frozenset(("tools", "never"))
"""What a step asks of a listing, and of nothing else."""
_PATHS = ("path", "dir", "folder", "repo", "file")


class Live(NamedTuple):
    """A tool that may be called, with arguments that succeeded and others that do not fit, by kind."""

    name: str
    good: dict[str, Any]
    bad: Mapping[str, list[dict[str, Any]]]


class ForeignTarget:
    """One connection for all vectors, and another one after it broke."""

    def __init__(self, name: str, open_: Open, *, allow_effects: bool, profiles: Sequence[str] = ()) -> None:
        """``profiles`` are those that its operator says it serves."""
        self.name = name
        self._profiles = profiles
        self._open = open_
        self._allow_effects = allow_effects
        self._stack = AsyncExitStack()
        self._client: Client | None = None
        self._listed: list[Listed] = []
        self._hints: dict[str, Mapping[str, Any]] = {}
        self._live: list[Live] | None = None
        self._why_none = ""

    async def play(self, vector: Vector, patience_s: float) -> None:
        by_listing = vector.suite == "profile" and all(
            _BY_LISTING.issuperset(step.get("list", "-")) for step in vector.steps
        )
        if vector.foreign is None and not by_listing:
            raise UnsupportedError("tools cannot be set up on a server that has its own; a gateway takes {upstream}")
        if by_listing and vector.profile not in self._profiles:
            raise UnsupportedError("say that it serves this profile: --profile NAME")
        patience = asyncio.timeout(patience_s * 3)
        try:
            async with patience:
                client = await self._connected()
                if vector.foreign is None:
                    self._profiled(vector)
                else:
                    await self._try(vector.foreign, client)
        except TimeoutError:
            await self.close()
            raise Found("hung", f"gave no answer in {patience_s * 3:g} s") from None
        except Found as found:
            if found.verdict in ("hung", "died", "garbled"):
                await self.close()
            raise

    async def close(self) -> None:
        self._client = None
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()

    async def _connected(self) -> Client:
        if self._client is None:
            client = await self._stack.enter_async_context(self._open())
            try:
                await client.initialize()
                raw = await client.list_tools()
            except RpcError as exc:
                raise Found("failed", f"the handshake or the listing is refused: {exc.message}") from None
            self._listed = listing.read([shown(tool) for tool in raw])
            self._hints = {tool["name"]: tool.get("annotations") or {} for tool in raw}
            self._client = client
        return self._client

    async def _try(self, what: str, client: Client) -> None:
        match what.split():
            case ["listed", "again"]:
                if listing.read([shown(tool) for tool in await client.list_tools()]) != self._listed:
                    raise Found("failed", "lists something else than before, and nothing was changed")
            case ["names"]:
                self._valid_names()
            case ["distinct", "names"]:
                self._distinct_names()
            case ["unknown", "tool"]:
                await self._fails(client, ABSENT, {}, "a tool that it does not list")
                await client.list_tools()
            case ["empty", "name"]:
                await self._fails(client, "", {}, "a call without a name")
            case ["at", "once"]:
                await self._at_once(client)
            case ["spelled", *hows]:
                await self._spelled(client, hows)
            case _:
                await self._bad_arguments(client, what)

    # --- each of them ---

    def _profiled(self, vector: Vector) -> None:
        """What a profile shows. Of the tools that the suite sets up, those of the contract can be this server's too."""
        contract = shipped().tools
        found = listing.names(self._listed, [{"name": name, "description": ""} for name in contract])
        others = [one.name for one in self._listed if one.name not in found.values()]
        for step in vector.steps:
            expect = step["list"]
            if "tools" in expect:
                wanted = [name for name in expect["tools"] if name in contract]
                more = [] if vector.profile == "full" else [*(name for name in found if name not in wanted), *others]
                less = [name for name in wanted if name not in found]
                if more or less:
                    told = ", ".join([*(f"{name!r} too" for name in more), *(f"no {name!r}" for name in less)])
                    raise Found("failed", f"under {vector.profile} it lists {told}")
            field = next(filter(None, (listing.mentioned(one, expect.get("never", ())) for one in self._listed)), None)
            if field is not None:
                raise Found("failed", f"under {vector.profile} a tool shows {field!r}")

    def _valid_names(self) -> None:
        if not self._listed:
            raise UnsupportedError("it lists no tool")
        bad = next((one.name for one in self._listed if not listing.MCP_NAME.fullmatch(one.name)), None)
        if bad is not None:
            raise Found("failed", f"lists {bad!r}, which no name should be: {listing.MCP_NAME.pattern}")

    def _distinct_names(self) -> None:
        names = [one.name for one in self._listed]
        if len(names) < 2:
            raise UnsupportedError("it lists fewer than two tools")
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise Found("failed", f"lists {double!r} twice")

    async def _at_once(self, client: Client) -> None:
        tool = (await self._tools(client))[0]
        got = await asyncio.gather(*(self._call(client, tool.name, tool.good) for _ in range(AT_ONCE)))
        failed = [one for one in got if not one.ok]
        if failed:
            raise Found("failed", f"{len(failed)} of {AT_ONCE} calls at once failed: {failed[0].content[:120]}")

    async def _spelled(self, client: Client, hows: Sequence[str]) -> None:
        tool = (await self._tools(client))[0]
        listed = {one.name for one in self._listed}
        tried = [name for how in hows if (name := spelled(tool.name, how)) not in listed and name != tool.name]
        if not tried:
            raise UnsupportedError(f"{tool.name!r} has no other spelling of this kind")
        for name in tried:
            await self._fails(client, name, tool.good, "a name that it does not list")

    async def _bad_arguments(self, client: Client, kind: str) -> None:
        tools = [tool for tool in await self._tools(client) if tool.bad.get(kind)]
        if not tools:
            raise UnsupportedError("no tool that may be called has a schema that this breaks")
        for tool in tools[:MOST_TOOLS]:
            for arguments in tool.bad[kind][:MOST_TRIES]:
                await self._fails(client, tool.name, arguments, "arguments that its schema refuses")

    async def _fails(self, client: Client, name: str, arguments: dict[str, Any], what: str) -> None:
        got = await self._call(client, name, arguments)
        if got.ok:
            raise Found("failed", f"carried out {name!r} with {what}: {str(arguments)[:120]}")
        if not got.content.strip():
            raise Found("failed", f"the model reads nothing of why {name!r} failed")

    async def _call(self, client: Client, name: str, arguments: dict[str, Any]) -> Answered:
        return read_answer(name, await called(client, name, arguments), may_act=True)

    # --- tools that may be called ---

    async def _tools(self, client: Client) -> list[Live]:
        if self._live is None:
            self._live = []
            found = self._callable()
            for tool in sorted(found, key=lambda one: len(one.input_schema.get("required", ()))):
                live = await self._tried(client, tool)
                if live is not None:
                    self._live.append(live)
                if len(self._live) == MOST_TOOLS:
                    break
            if found:
                self._why_none = "of no tool a call is known that succeeds"
        if not self._live:
            raise UnsupportedError(self._why_none)
        return self._live

    def _callable(self) -> list[Listed]:
        if not self._listed:
            self._why_none = "it lists no tool"
        if self._allow_effects:
            return self._listed
        readers = [one for one in self._listed if _reads(self._hints.get(one.name, {}))]
        if self._listed and not readers:
            self._why_none = "no tool says that it only reads (readOnlyHint); --allow-effects calls the others, too"
        return readers

    async def _tried(self, client: Client, tool: Listed) -> Live | None:
        from ..agents.probe.fuzz import inputs
        from ..model.tool import ToolSpec

        try:
            made = inputs(ToolSpec(name="tool", input_schema=tool.input_schema), 0)
        except (LicetError, TypeError, ValueError, AttributeError):  # a schema that nobody understands
            return None
        fitting = [one.arguments for one in made if one.fits and isinstance(one.arguments, dict)]
        bad: dict[str, list[dict[str, Any]]] = {}
        for one in made:
            if not one.fits and isinstance(one.arguments, dict):
                bad.setdefault(one.kind, []).append(_placed(one.arguments))
        for arguments in map(_placed, fitting[:MOST_TRIES]):
            if (await self._call(client, tool.name, arguments)).ok:
                return Live(tool.name, arguments, bad)
        return None


def _reads(hints: Mapping[str, Any]) -> bool:
    return hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True


def _placed(arguments: dict[str, Any]) -> dict[str, Any]:
    """The same with a path that exists where a path seems to be meant: a call that is right should have a chance."""
    return {
        name: os.getcwd() if isinstance(value, str) and any(word in name.lower() for word in _PATHS) else value
        for name, value in arguments.items()
    }


def over_pipes(command: Sequence[str], environment: Mapping[str, str]) -> Open:
    """A server that is a command."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Client]:
        process = await Process.start(command, environment)
        try:
            async with piped(process) as client:
                yield client
        finally:
            await process.close()

    return opened


def over_http(url: str, headers: Mapping[str, str]) -> Open:
    """A server at a URL."""
    from .http import posted

    return lambda: posted(url, dict(headers))


__all__ = ["ForeignTarget", "over_http", "over_pipes"]
