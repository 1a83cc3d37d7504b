"""A client of the Model Context Protocol that says what it is told to: no check of its own stands before a server."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from .process import Process
from .verdict import Found

VERSION = "2025-11-25"
"""Of the protocol that is asked for; a server may answer with an older one."""

_SHOWN = 160
_PAGES = 1000

Message = dict[str, Any]


class RpcError(Exception):
    """An error of the protocol instead of a result."""

    def __init__(self, code: Any, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Way(Protocol):
    """How messages go to a server. ``hear`` is called with each that comes back, ``broke`` when none will any more."""

    async def send(self, message: Message, hear: Callable[[Message], None]) -> None: ...


class Client:
    """Requests, each with exactly one answer."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._answered: set[int] = set()
        self._replying: set[asyncio.Future[None]] = set()
        self.broken: Found | None = None
        self.elicit: Callable[[Message], Awaitable[Message]] | None = None
        """Answers the server's questions to its user: ``elicitation/create``. None: there is no user."""

    async def initialize(self) -> None:
        """The handshake. Raises Found or RpcError."""
        about = {"name": "licet-conformance", "version": "1"}
        offered: Message = {} if self.elicit is None else {"elicitation": {}}
        asked = {"protocolVersion": VERSION, "capabilities": offered, "clientInfo": about}
        result = await self.request("initialize", asked)
        if not isinstance(result, dict) or not isinstance(result.get("protocolVersion"), str):
            raise Found("garbled", "its answer to initialize names no version of the protocol")
        setattr(self._way, "version", result["protocolVersion"])  # noqa: B010 - only HTTP has to say it
        await self.notify("notifications/initialized")

    async def list_tools(self) -> list[Any]:
        """Every page. Raises Found or RpcError."""
        tools: list[Any] = []
        params: dict[str, Any] = {}
        for _ in range(_PAGES):
            page = await self.request("tools/list", params)
            if not isinstance(page, dict) or not isinstance(page.get("tools"), list):
                raise Found("garbled", "its answer to tools/list holds no list of tools")
            tools += page["tools"]
            if not page.get("nextCursor"):
                return tools
            params = {"cursor": page["nextCursor"]}
        raise Found("hung", f"its listing has more than {_PAGES} pages")

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """The result. A cancellation is told to the server.

        Raises:
            RpcError: it answers with an error.
            Found: it answers no more, twice, or in a way that nobody can follow.
        """
        if self.broken is not None:
            raise self.broken
        key = next(self._ids)
        reply = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            await self._way.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params}, self.hear)
            return await reply
        except asyncio.CancelledError:
            await self.notify("notifications/cancelled", {"requestId": key, "reason": "the caller cancelled it"})
            raise
        finally:
            self._waiting.pop(key, None)

    async def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        await self._way.send(message if params is None else {**message, "params": params}, self.hear)

    def hear(self, message: Message) -> None:
        """One message of the server."""
        key = message.get("id")
        if "method" in message:
            if key is not None:
                task = asyncio.ensure_future(self._reply(key, message))
                self._replying.add(task)
                task.add_done_callback(self._replying.discard)
            return
        if not isinstance(key, int):
            return
        reply = self._waiting.get(key)
        if reply is None or reply.done():
            if key in self._answered:
                self.breaks(Found("garbled", f"two answers to the request {key}"))
            self._answered.add(key)
            return
        self._answered.add(key)
        if "error" in message:
            error = message["error"] if isinstance(message["error"], dict) else {}
            reply.set_exception(RpcError(error.get("code"), str(error.get("message", ""))))
        elif "result" in message:
            reply.set_result(message["result"])
        else:
            self.breaks(Found("garbled", f"an answer without result or error: {json.dumps(message)[:_SHOWN]}"))

    def breaks(self, found: Found) -> None:
        """Nothing comes any more."""
        self.broken = self.broken or found
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(found)

    async def _reply(self, key: Any, message: Message) -> None:
        """A server may ask, too; of us it gets a sign of life, and what the user says if there is one."""
        answer: Message = {"jsonrpc": "2.0", "id": key}
        if message["method"] == "ping":
            answer["result"] = {}
        elif message["method"] == "elicitation/create" and self.elicit is not None:
            answer["result"] = await self.elicit(message.get("params") or {})
        else:
            answer["error"] = {"code": -32601, "message": "this client does not offer this"}
        await self._way.send(answer, self.hear)


class Pipes:
    """Over the standard input and output of a process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def send(self, message: Message, hear: Callable[[Message], None]) -> None:
        self._process.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def read(self, client: Client) -> None:
        """Until the process ends, or says what is no message."""
        try:
            while text := await self._process.line():
                client.hear(parsed(text))
            client.breaks(Found("died", await self._process.how_it_ended()))
        except Found as found:
            client.breaks(found)
        except ValueError:
            client.breaks(Found("garbled", "its standard output holds a line of more than 8 MiB"))


@asynccontextmanager
async def piped(process: Process) -> AsyncIterator[Client]:
    """A client of a process, before the handshake."""
    way = Pipes(process)
    client = Client(way)
    reading = asyncio.ensure_future(way.read(client))
    try:
        yield client
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def parsed(text: bytes | str) -> Message:
    """Raises Found: it is no message."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        raise Found("garbled", f"it says what is no message of the protocol: {shown.strip()[:_SHOWN]}")
    return message


__all__ = ["VERSION", "Client", "Message", "Pipes", "RpcError", "Way", "parsed", "piped"]
