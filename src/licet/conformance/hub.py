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
from .vector import Vector


class Hub:
    """Listens on a socket in a folder of its own. ``command`` starts a server that comes there for its tools."""

    def __init__(self, path: str, executions: Executions, vector: Vector) -> None:
        self.command = (sys.executable, "-m", "licet.conformance.upstream", path)
        self._executions = executions
        self._is_dead = bool(vector.options.get("source_is_dead"))
        self._tools: Sequence[Mapping[str, Any]] = vector.tools
        self._writers: set[asyncio.StreamWriter] = set()

    @classmethod
    @asynccontextmanager
    async def opened(cls, executions: Executions, vector: Vector) -> AsyncIterator[Self]:
        """For as long as a vector is played."""
        with tempfile.TemporaryDirectory(prefix="licet-hub-", ignore_cleanup_errors=True) as folder:
            path = os.path.join(folder, "s")
            made = cls(path, executions, vector)
            server = await asyncio.start_unix_server(made._serve, path, limit=MAX_LINE)
            try:
                yield made
            finally:
                server.close()
                for writer in made._writers:
                    writer.close()

    def change(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """The server lists these from now on, and says so."""
        self._tools = tools
        for writer in self._writers:
            writer.write(line(self._told()))

    def _told(self) -> dict[str, Any]:
        return {"dead": True} if self._is_dead else {"tools": [wire_tool(tool) for tool in self._tools]}

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
                    executor.serve(self._executions.tools(self._tools))
                    executor.take(json.loads(text))
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
