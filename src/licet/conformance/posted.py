"""The suite's own MCP server over streamable HTTP: one answer to each post, and nothing that is pushed."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .executor import MAX_LINE, Executor
from .served import NO_SUCH_TOOL, answered, result_of
from .subject import Tool

HOST = "127.0.0.1"


class Posted:
    """Listens on a port of this machine. ``tools`` gives what is listed now, ``code`` what is executed."""

    def __init__(self, tools: Callable[[], Sequence[Mapping[str, Any]]], code: Callable[[], Sequence[Tool]]) -> None:
        self._tools = tools
        self._code = code
        self._server: asyncio.Server | None = None
        self._executor = Executor(self._settle)
        self._waiting: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self, *, is_dead: bool) -> str:
        """The URL. Of a dead source nobody listens there."""
        self._server = await asyncio.start_server(self._connected, HOST, 0, limit=MAX_LINE)
        url = f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}/mcp"
        if is_dead:
            self._server.close()
        return url

    async def close(self) -> None:
        """End what is under way."""
        if self._server is not None:
            self._server.close()
        connections = list(self._connections)
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await self._executor.close()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, ValueError, asyncio.IncompleteReadError):
                while head := await reader.readuntil(b"\r\n\r\n"):
                    method, length = _read_head(head)
                    body = await reader.readexactly(length)
                    if method != "POST":
                        writer.write(_response(405 if method == "GET" else 200, b""))
                        continue
                    answer = await self._answer(json.loads(body))
                    if answer is None:
                        return  # the way breaks after the effect
                    writer.write(answer)
        finally:
            writer.close()

    async def _answer(self, message: Mapping[str, Any]) -> bytes | None:
        key, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if method == "notifications/cancelled":
            waiting = self._waiting.get(params.get("requestId"))
            if waiting is not None:
                waiting.cancel()
        if key is None or method is None:
            return _response(202, b"")
        if method != "tools/call":
            return _json({"jsonrpc": "2.0", "id": key, **answered(method, params, self._tools())})
        if all(tool["name"] != params.get("name") for tool in self._tools()):
            return _json({"jsonrpc": "2.0", "id": key, **NO_SUCH_TOOL})
        return await self._call(key, params)

    async def _call(self, key: Any, params: Mapping[str, Any]) -> bytes | None:
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        self._executor.serve(self._code())
        self._executor.take({"execute": key, "tool": params["name"], "arguments": params.get("arguments") or {}})
        try:
            executed = await waiting
        except asyncio.CancelledError:
            self._executor.take({"abandon": key})
            if not waiting.cancelled():
                raise
            return _json({"jsonrpc": "2.0", "id": key, "error": {"code": -32000, "message": "cancelled"}})
        finally:
            del self._waiting[key]
        return None if executed.get("lost") else _json({"jsonrpc": "2.0", "id": key, "result": result_of(executed)})

    def _settle(self, message: dict[str, Any]) -> None:
        waiting = self._waiting.get(message["execute"])
        if waiting is not None and not waiting.done():
            waiting.set_result(message)


def _read_head(head: bytes) -> tuple[str, int]:
    """The method, and how long the body is."""
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(":", 1) for line in lines if ":" in line)
    return first.partition(" ")[0], int(headers.get("content-length", "0"))


def _json(message: Mapping[str, Any]) -> bytes:
    return _response(200, json.dumps(message).encode())


def _response(status: int, body: bytes) -> bytes:
    told = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return told.encode() + body


__all__ = ["Posted"]
