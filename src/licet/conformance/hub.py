"""The suite's own MCP server, for a gateway to stand before: its tools are executed here, where they are counted."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from .execution import Executions
from .executor import MAX_LINE, Executor, line
from .posted import Posted
from .subject import Tool
from .vector import Vector

MOST_PATH = 70
"""Characters of a folder for a socket, whose whole path has room for 107."""

CHANGE_S = 5.0
"""For the server to tell its client that its listing changed."""


class Hub:
    """Listens on a socket in a folder of its own.

    ``command`` starts a server that comes there for its tools; at ``url`` the same tools are served over HTTP.
    """

    def __init__(self, path: str, executions: Executions, vector: Vector) -> None:
        self.command = (sys.executable, "-m", "licet.conformance.upstream", path)
        self._executions = executions
        self._is_dead = bool(vector.options.get("source_is_dead"))
        self._tools: Sequence[Mapping[str, Any]] = vector.tools
        self._writers: set[asyncio.StreamWriter] = set()
        self._heard = asyncio.Event()
        self.url = ""

    @classmethod
    @asynccontextmanager
    async def opened(cls, executions: Executions, vector: Vector) -> AsyncIterator[Self]:
        """For as long as a vector is played."""
        where = tempfile.gettempdir()
        where = where if len(where) <= MOST_PATH else "/tmp"
        with tempfile.TemporaryDirectory(prefix="licet-hub-", dir=where, ignore_cleanup_errors=True) as folder:
            path = os.path.join(folder, "s")
            made = cls(path, executions, vector)
            server = await asyncio.start_unix_server(made._serve, path, limit=MAX_LINE)
            posts = Posted(made._listed, made._code)
            made.url = await posts.open(is_dead=made._is_dead)
            try:
                yield made
            finally:
                await posts.close()
                server.close()
                for writer in made._writers:
                    writer.close()

    async def change(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """The server lists these from now on, and has said so."""
        self._tools = tools
        self._heard.clear()
        for writer in self._writers:
            writer.write(line(self._told()))
        if self._writers:
            with suppress(TimeoutError):
                async with asyncio.timeout(CHANGE_S):
                    await self._heard.wait()

    def _told(self) -> dict[str, Any]:
        return {"dead": True} if self._is_dead else {"tools": self._listed()}

    def _listed(self) -> list[dict[str, Any]]:
        """What the server lists now."""
        return [wire_tool(tool) for tool in self._executions.advertised(self._tools)]

    def _code(self) -> list[Tool]:
        return self._executions.tools(self._tools)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def send(message: dict[str, Any]) -> None:
            if not writer.is_closing():
                writer.write(line(message))

        executor = Executor(send)
        self._writers.add(writer)
        try:
            send(self._told())
            with suppress(ConnectionError, ValueError):
                while text := await reader.readline():
                    message = json.loads(text)
                    if "changed" in message:
                        self._heard.set()
                        continue
                    executor.serve(self._code())
                    executor.take(message)
        finally:
            self._writers.discard(writer)
            await executor.close()
            writer.close()


def wire_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A vector's tool as it stands in a listing over MCP."""
    return {
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": tool["input_schema"],
        "annotations": {
            "readOnlyHint": tool.get("read_only", True),
            "idempotentHint": tool.get("idempotent", True),
            "destructiveHint": False,
            "openWorldHint": False,
        },
    }


__all__ = ["Hub", "wire_tool"]
