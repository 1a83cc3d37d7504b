"""A subject in another process, in any language: JSON, a message a line, over its standard input and output."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any, cast

from .executor import Executor, line
from .process import Process
from .subject import Answer, Options, Shown, Tool, UnsupportedError
from .verdict import Found

_SHOWN = 160
_ENDING_S = 3.0
"""For the reply to a request that was cancelled."""

_IDS = itertools.count(1)
"""Of requests: no process is asked twice under one id, so no late answer is taken for that of another vector."""


class LinesSubject:
    """Speaks to one process, which may be set up again and again; a new one of these is made for each vector."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._answered: set[int] = set()
        self._executor = Executor(self._send)
        self._broken: Found | None = None
        self._reading = asyncio.ensure_future(self._read())

    async def setup(self, tools: Sequence[Tool], options: Options, /) -> None:
        self._executor.serve(tools)
        told = [_told(tool) for tool in tools]
        await self._ask("setup", tools=told, options=options._asdict())

    async def list(self) -> Sequence[Shown]:
        return cast("Sequence[Shown]", await self._ask("list"))

    async def call(self, name: str, arguments: dict[str, Any] | str, call_id: str, /) -> Answer:
        return cast(Answer, await self._ask("call", name=name, arguments=arguments, call_id=call_id))

    async def close(self) -> None:
        """The process lives on. Raises Found: it cannot."""
        await self._ask("close")
        await self._executor.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    def let_go(self) -> None:
        """Read no more: the process is about to be ended."""
        self._reading.cancel()
        self._executor.abandon()

    async def _ask(self, what: str, **told: Any) -> Any:
        """The reply. A cancellation is told to the subject, and its reply is waited for all the same."""
        if self._broken is not None:
            raise self._broken
        key = next(_IDS)
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[key] = reply
        self._send({"id": key, "do": what, **told})
        try:
            await asyncio.shield(reply)
        except asyncio.CancelledError:
            self._send({"id": next(_IDS), "do": "cancel", "of": key})
            await asyncio.wait({reply}, timeout=_ENDING_S)  # whoever cancelled has a patience of its own
            if reply.done():
                reply.exception()  # that it was cancelled is no news
            raise
        finally:
            self._waiting.pop(key, None)
        return reply.result()

    def _send(self, message: dict[str, Any]) -> None:
        self._process.write(line(message))

    async def _read(self) -> None:
        try:
            while True:
                text = await self._process.line()
                if not text:
                    raise Found("died", await self._process.how_it_ended())
                self._take(_message(text))
        except Found as found:
            self._break(found)
        except ValueError:
            self._break(Found("garbled", "its standard output holds a line of more than 8 MiB"))

    def _take(self, message: dict[str, Any]) -> None:
        if self._executor.take(message):
            return
        key = message.get("id")
        if not isinstance(key, int):
            raise Found("garbled", f"a line that answers nothing: {json.dumps(message)[:_SHOWN]}")
        if key in self._answered:
            raise Found("garbled", f"two answers to the request {key}")
        self._answered.add(key)
        reply = self._waiting.get(key)
        if reply is None or reply.done():
            return  # an answer that came late, for a request that is over
        if "unsupported" in message:
            reply.set_exception(UnsupportedError(str(message["unsupported"])))
        elif "error" in message:
            reply.set_exception(Found("raised", f"it raised {str(message['error'])[:_SHOWN]}"))
        elif "result" in message:
            reply.set_result(message["result"])
        else:
            raise Found("garbled", f"an answer without result, error or unsupported: {json.dumps(message)[:_SHOWN]}")

    def _break(self, found: Found) -> None:
        self._broken = found
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(found)


def _told(tool: Tool) -> dict[str, Any]:
    """Without its code, which is the suite's, and without the person who is asked about it."""
    kept = {key: value for key, value in tool._asdict().items() if key not in ("execute", "ask")}
    return {**kept, "asks": tool.ask is not None}


def _message(text: bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        shown = text.decode("utf-8", "backslashreplace").strip()[:_SHOWN]
        raise Found("garbled", f"its standard output holds a line that is no JSON object: {shown}")
    return message


__all__ = ["LinesSubject"]
