"""Executes the suite's tools for a subject in another process, which asks for it line by line."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ToolFailedError
from ..model.answer import FailedAnswer
from .execution import LostError
from .subject import Tool

Send = Callable[[dict[str, Any]], None]

MAX_LINE = 8 << 20
"""Bytes of one message."""


class Executor:
    """Takes ``{"execute": id, "tool": name, "arguments": {...}}`` and ``{"abandon": id}``.

    Of ``{"ask": id, "tool": name, "arguments": {...}}`` the answer is what a person says: ``{"ask": id, "yes": true}``.
    It sends ``{"execute": id, "answer": value}``, or with ``raise`` the text of an exception instead. ``told`` is then
    true where the tool itself says that it failed, in words for the model and with ``data``, and ``lost`` where the way
    to it broke.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._tools: Mapping[str, Tool] = {}
        self._running: dict[Any, asyncio.Task[None]] = {}

    def serve(self, tools: Sequence[Tool]) -> None:
        """These are the tools from now on."""
        self._tools = {tool.name: tool for tool in tools}

    def take(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is for tools."""
        if "abandon" in message:
            task = self._running.get(("execute", message["abandon"]))
            if task is not None:
                task.cancel()
            return True
        kind = next((word for word in ("execute", "ask") if word in message), None)
        if kind is None:
            return False
        key, tool = message[kind], self._tool(message)
        coming = (
            self._execute(key, tool, message.get("arguments")) if kind == "execute" else self._ask(key, tool, message)
        )
        self._running[(kind, key)] = task = asyncio.ensure_future(coming)
        task.add_done_callback(lambda done: self._running.pop((kind, key), None))
        return True

    async def close(self) -> None:
        """Cancel what is still executed: nobody is there to hear of it."""
        running = list(self._running.values())
        self.abandon()
        await asyncio.gather(*running, return_exceptions=True)

    def abandon(self) -> None:
        """Cancel it, and wait for nothing."""
        for task in self._running.values():
            task.cancel()

    def _tool(self, message: Mapping[str, Any]) -> Tool | None:
        name = message.get("tool")
        return self._tools.get(name) if isinstance(name, str) else None

    async def _ask(self, key: Any, tool: Tool | None, message: Mapping[str, Any]) -> None:
        person = None if tool is None else tool.ask
        self._send({"ask": key, "yes": person is not None and await person(message.get("arguments") or {})})

    async def _execute(self, key: Any, tool: Tool | None, arguments: Any) -> None:
        if tool is None:
            self._send({"execute": key, "raise": "the suite set up no such tool"})
            return
        try:
            self._send({"execute": key, "answer": await tool.execute(arguments)})
        except LostError as exc:
            self._send({"execute": key, "raise": str(exc), "lost": True})
        except ToolFailedError as exc:
            data = exc.structured if isinstance(exc, FailedAnswer) else None
            self._send({"execute": key, "raise": str(exc), "told": True, "data": data})
        except Exception as exc:
            self._send({"execute": key, "raise": str(exc)})


def line(message: Mapping[str, Any]) -> bytes:
    """One message as it is sent."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


__all__ = ["MAX_LINE", "Executor", "line"]
