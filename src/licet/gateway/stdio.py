"""The way in for a client that started this process: JSON-RPC, a message a line, until it closes its end."""

import asyncio
import json
import logging
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .opening import Opening
from .pipes import Pipes, standard_pipes, write
from .strictly import MAX_MESSAGE, readable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.lowlevel import Server

    from .early import Early

_log = logging.getLogger("licet.gateway")

LAST_ANSWERS_S = 1.0
"""Once its client has closed its end, a call has so long to be answered."""


async def serve_stdio(server: "Server[Any]", stop: asyncio.Event) -> None:
    """Serve one client over standard input and output, until its end of input or ``stop``."""
    with standard_pipes() as pipes:
        await serve_pipes(server, Opening(pipes), pipes, stop)


async def serve_early(early: "Early", load: "Callable[[], Awaitable[Server[Any]]]", stop: asyncio.Event) -> None:
    """The same where the server has still to be loaded. ``early`` answers what is asked until then.

    ``load`` is called at most once, and not at all where nothing needs it.
    """
    with standard_pipes() as pipes:
        opening = Opening(pipes)
        loading = asyncio.create_task(opening.loaded(early, load))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait((loading, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not loading.done():
            loading.cancel()
            await asyncio.wait((loading,))
        elif (server := loading.result()) is not None:
            await serve_pipes(server, opening, pipes, stop)


async def serve_pipes(server: "Server[Any]", opening: Opening, pipes: Pipes, stop: asyncio.Event) -> None:
    """The same over two descriptors, of which ``opening`` has read so far."""
    import anyio

    to_server, requests = anyio.create_memory_object_stream[Any](0)
    answers, from_server = anyio.create_memory_object_stream[Any](16)
    owed = _Owed()
    reading = asyncio.create_task(_read(opening, to_server, answers.clone(), owed))
    writing = asyncio.create_task(_write(pipes.out, from_server, owed))
    serving = asyncio.create_task(server.run(requests, answers, server.create_initialization_options()))
    stopping = asyncio.create_task(stop.wait())
    tasks = (reading, serving, writing, stopping)
    try:
        await asyncio.wait((serving, writing, stopping), return_when=asyncio.FIRST_COMPLETED)
        if serving.done() and not stop.is_set():
            if serving.exception() is not None:
                _log.error("serving ended", exc_info=serving.exception())
            await asyncio.wait((writing,), timeout=LAST_ANSWERS_S)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for stream in (to_server, requests, answers, from_server):
            stream.close()


class _Owed:
    """Answers that a client waits for."""

    def __init__(self) -> None:
        self._ids: Counter[Any] = Counter()  # a client may ask twice under one id
        self._none = asyncio.Event()
        self._none.set()
        self._told: tuple[Any, bytes] | None = None
        self._repeated = asyncio.Event()

    def told(self, request: Any, answer: bytes) -> None:
        """The client has this answer. The one that comes now is the server's own, for itself alone."""
        self._told = request.id, answer
        self._repeated.clear()

    async def repeated(self) -> None:
        """Once the server has given that answer too."""
        await self._repeated.wait()

    def is_told(self, message: Any, data: str) -> bool:
        if self._told is None or hasattr(message, "method") or message.id != self._told[0]:
            return False
        if json.loads(data) != json.loads(self._told[1]):
            _log.error("%.80s was answered before the SDK was there, otherwise than by it", self._told[1].decode())
        self._told = None
        self._repeated.set()
        return True

    def asked(self, request: Any) -> None:
        if hasattr(request, "method") and getattr(request, "id", None) is not None:
            self._ids[request.id] += 1
            self._none.clear()

    def answered(self, message: Any) -> None:
        if not hasattr(message, "method"):
            self._ids[message.id] -= 1
            if self._ids[message.id] <= 0:
                del self._ids[message.id]
            if not self._ids:
                self._none.set()

    async def paid(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_ANSWERS_S):
                await self._none.wait()


async def _read(opening: Opening, to_server: Any, answers: Any, owed: _Owed) -> None:
    from mcp.shared.message import SessionMessage
    from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

    async def complain(code: int, problem: str) -> None:
        error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=problem))
        await answers.send(SessionMessage(error))

    async def deliver(line: bytes | None, answer: bytes | None = None) -> None:
        if line is None:
            await complain(INVALID_REQUEST, f"a message has at most {MAX_MESSAGE} bytes")
            return
        try:
            message = jsonrpc_message_adapter.validate_json(readable(line), by_name=False)
        except ValueError:
            await complain(PARSE_ERROR, "a message is one JSON-RPC object on one line")
            return
        owed.asked(message)
        if answer:
            owed.told(message, answer)
        await to_server.send(SessionMessage(message))
        if answer:
            await owed.repeated()  # or its client could cancel it now, or ask anew under the same id

    async with to_server, answers:
        while opening.heard:
            await deliver(*opening.heard.popleft())
        async for line in opening.rest():
            await deliver(line)
        await owed.paid()


async def _write(fd: int, from_server: Any, owed: _Owed) -> None:
    async with from_server:
        async for sent in from_server:
            data = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                if not owed.is_told(sent.message, data):
                    await write(fd, data.encode() + b"\n")
            except OSError:  # the client is gone
                return
            owed.answered(sent.message)


__all__ = ["serve_early", "serve_pipes", "serve_stdio"]
