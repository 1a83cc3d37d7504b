"""The way in for a client that started this process: JSON-RPC, a message a line, until it closes its end."""

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .pipes import Pipes, lines, standard_pipes, write
from .strictly import MAX_MESSAGE, readable

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


_log = logging.getLogger("licet.gateway")

LAST_ANSWERS_S = 1.0
"""Once its client has closed its end, a call has so long to be answered."""


async def serve_stdio(server: "Server[Any]", stop: asyncio.Event) -> None:
    """Serve one client over standard input and output, until its end of input or ``stop``."""
    with standard_pipes() as pipes:
        await serve_pipes(server, pipes, stop)


async def serve_pipes(server: "Server[Any]", pipes: Pipes, stop: asyncio.Event) -> None:
    """The same over two descriptors."""
    import anyio

    to_server, requests = anyio.create_memory_object_stream[Any](0)
    answers, from_server = anyio.create_memory_object_stream[Any](16)
    owed = _Owed()
    reading = asyncio.create_task(_read(pipes.into, to_server, answers.clone(), owed))
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
        self._ids: set[Any] = set()
        self._none = asyncio.Event()
        self._none.set()

    def asked(self, request: Any) -> None:
        if hasattr(request, "method") and getattr(request, "id", None) is not None:
            self._ids.add(request.id)
            self._none.clear()

    def answered(self, message: Any) -> None:
        if not hasattr(message, "method"):
            self._ids.discard(message.id)
            if not self._ids:
                self._none.set()

    async def paid(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_ANSWERS_S):
                await self._none.wait()


async def _read(fd: int, to_server: Any, answers: Any, owed: _Owed) -> None:
    from mcp.shared.message import SessionMessage
    from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

    async def complain(code: int, problem: str) -> None:
        error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=problem))
        await answers.send(SessionMessage(error))

    async with to_server, answers:
        async for line in lines(fd, MAX_MESSAGE):
            if line is None:
                await complain(INVALID_REQUEST, f"a message has at most {MAX_MESSAGE} bytes")
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(readable(line), by_name=False)
            except ValueError:
                await complain(PARSE_ERROR, "a message is one JSON-RPC object on one line")
                continue
            owed.asked(message)
            await to_server.send(SessionMessage(message))
        await owed.paid()


async def _write(fd: int, from_server: Any, owed: _Owed) -> None:
    async with from_server:
        async for sent in from_server:
            data = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await write(fd, data.encode() + b"\n")
            except OSError:  # the client is gone
                return
            owed.answered(sent.message)


__all__ = ["serve_pipes", "serve_stdio"]
