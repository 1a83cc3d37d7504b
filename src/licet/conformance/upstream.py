"""The suite's own MCP server: ``python -m licet.conformance.upstream SOCKET``, started by the gateway that is examined.

It holds no tool. What it lists comes over the socket, and each call goes there, where it is executed and counted. It
speaks the Model Context Protocol from 2024-11-05 to 2025-11-25 over standard input and output.
"""

import asyncio
import json
import os
import sys
from typing import Any

from .executor import MAX_LINE, line
from .served import NO_SUCH_TOOL, answered, result_of


class Upstream:
    """One client, and one connection to the suite."""

    def __init__(self, hub: asyncio.StreamWriter) -> None:
        self._hub = hub
        self._tools: list[dict[str, Any]] = []
        self._is_told = asyncio.Event()
        self._calls: dict[Any, asyncio.Future[dict[str, Any]]] = {}

    # --- the suite ---

    async def hear(self, reader: asyncio.StreamReader) -> None:
        """Until the suite is gone; then there is nothing to serve."""
        while text := await reader.readline():
            message = json.loads(text)
            if message.get("dead"):
                os._exit(1)
            if "tools" in message:
                self._tools = message["tools"]
                if self._is_told.is_set():
                    self._say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
                    self._hub.write(line({"changed": True}))
                self._is_told.set()
            elif "execute" in message:
                self._settle(message)
        os._exit(0)

    def _settle(self, message: dict[str, Any]) -> None:
        if message.get("lost"):
            os._exit(1)  # after the effect, and before the answer
        waiting = self._calls.get(message["execute"])
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    # --- the client ---

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Until the client is gone."""
        await self._is_told.wait()
        calls = set()
        while text := await reader.readline():
            message = json.loads(text)
            method, key = message.get("method"), message.get("id")
            if method == "tools/call" and key is not None:
                task = asyncio.ensure_future(self._call(key, message.get("params", {})))
                calls.add(task)
                task.add_done_callback(calls.discard)
            elif method == "notifications/cancelled":
                waiting = self._calls.get(message.get("params", {}).get("requestId"))
                if waiting is not None:
                    waiting.cancel()
            elif key is not None and method is not None:
                self._say({"jsonrpc": "2.0", "id": key, **answered(method, message.get("params") or {}, self._tools)})

    async def _call(self, key: Any, params: dict[str, Any]) -> None:
        if all(tool["name"] != params.get("name") for tool in self._tools):
            self._say({"jsonrpc": "2.0", "id": key, **NO_SUCH_TOOL})
            return
        waiting = self._calls[key] = asyncio.get_running_loop().create_future()
        self._hub.write(line({"execute": key, "tool": params["name"], "arguments": params.get("arguments") or {}}))
        try:
            answer = await waiting
        except asyncio.CancelledError:
            self._hub.write(line({"abandon": key}))
            return
        finally:
            del self._calls[key]
        self._say({"jsonrpc": "2.0", "id": key, "result": result_of(answer)})

    def _say(self, message: dict[str, Any]) -> None:
        data = memoryview(line(message))
        while data:
            data = data[os.write(1, data) :]


async def _run(path: str) -> None:
    from_hub, to_hub = await asyncio.open_unix_connection(path, limit=MAX_LINE)
    from_client = asyncio.StreamReader(limit=MAX_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(from_client), os.fdopen(0, "rb", 0))
    upstream = Upstream(to_hub)
    hearing = asyncio.ensure_future(upstream.hear(from_hub))
    await upstream.serve(from_client)
    hearing.cancel()
    to_hub.close()


if __name__ == "__main__":
    try:
        asyncio.run(_run(sys.argv[1]))
    except OSError as exc:
        sys.exit(f"the suite that started this is gone: {exc.strerror}")
