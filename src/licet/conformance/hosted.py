"""Runs a subject that is a Python class in a process of its own: ``python -m licet.conformance.hosted MODULE:CLASS``.

Whatever it does there, hang, end or print, is seen from outside, and it finds no environment. It speaks the protocol
of ``lines``.
"""

import asyncio
import importlib
import importlib.util
import itertools
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..model.answer import FailedAnswer
from .execution import LostError
from .executor import MAX_LINE, line
from .subject import Ask, Execute, Options, Subject, Tool, UnsupportedError

Factory = Callable[[], Subject]


def factory_of(reference: str) -> Factory:
    """What ``MODULE:CLASS`` or ``FILE.py:CLASS`` names, the working directory first.

    Raises:
        ValueError: it names nothing that can be called.
        Exception: whatever the module raises.
    """
    where, _, attribute = reference.rpartition(":")
    if where.endswith(".py"):
        spec = importlib.util.spec_from_file_location("licet_conformance_subject", where)
        if spec is None or spec.loader is None:
            raise ValueError(f"{where!r} is no file of Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(where)
    made = getattr(module, attribute, None)
    if not callable(made):
        raise ValueError(f"{where!r} has no class {attribute!r}")
    return made  # type: ignore[no-any-return]


class Host:
    """One subject at a time, for a suite that asks over ``send`` and ``take``."""

    def __init__(self, factory: Factory, send: Callable[[dict[str, Any]], None]) -> None:
        self._factory = factory
        self._send = send
        self._subject: Subject | None = None
        self._ids = itertools.count(1)
        self._executing: dict[int, asyncio.Future[Any]] = {}
        self._asked: dict[Any, asyncio.Task[None]] = {}

    def take(self, message: Mapping[str, Any]) -> None:
        if "execute" in message or "ask" in message:
            waiting = self._executing.get(message.get("execute", message.get("ask")))
            if waiting is not None and not waiting.done():
                _settle(waiting, message)
            return
        if message["do"] == "cancel":
            task = self._asked.get(message["of"])
            if task is not None:
                task.cancel()
            return
        key = message["id"]
        self._asked[key] = task = asyncio.ensure_future(self._answer(key, message))
        task.add_done_callback(lambda done: self._asked.pop(key, None))

    async def _answer(self, key: Any, message: Mapping[str, Any]) -> None:
        try:
            self._reply({"id": key, "result": await self._do(message)})
        except UnsupportedError as exc:
            self._reply({"id": key, "unsupported": str(exc)})
        except asyncio.CancelledError:
            self._reply({"id": key, "error": "cancelled"})
        except Exception as exc:
            self._reply({"id": key, "error": f"{type(exc).__name__}: {exc}"})

    def _reply(self, message: dict[str, Any]) -> None:
        try:
            self._send(message)
        except (TypeError, ValueError) as exc:
            self._send({"id": message["id"], "error": f"what it answers is no JSON: {exc}"})

    async def _do(self, message: Mapping[str, Any]) -> Any:
        match message["do"]:
            case "setup":
                if self._subject is None:
                    self._subject = self._factory()
                told = message["options"]
                options = Options(**{**told, "upstream": tuple(told["upstream"]), "needs": tuple(told["needs"])})
                tools = [self._tool(**told) for told in message["tools"]]
                return await self._subject.setup(tools, options)
            case "list":
                return await self._there().list()
            case "call":
                return await self._there().call(message["name"], message["arguments"], message["call_id"])
            case _:
                subject, self._subject = self._subject, None
                return None if subject is None else await subject.close()

    def _there(self) -> Subject:
        if self._subject is None:
            raise RuntimeError("nothing is set up")
        return self._subject

    def _tool(self, *, name: str, asks: bool, **told: Any) -> Tool:
        return Tool(name, execute=self._execute(name), ask=self._ask(name) if asks else None, **told)

    def _ask(self, tool: str) -> Ask:
        async def ask(arguments: dict[str, Any]) -> bool:
            key = next(self._ids)
            waiting = self._executing[key] = asyncio.get_running_loop().create_future()
            try:
                self._send({"ask": key, "tool": tool, "arguments": arguments})
                return bool(await waiting)
            finally:
                del self._executing[key]

        return ask

    def _execute(self, tool: str) -> Execute:
        async def execute(arguments: dict[str, Any]) -> Any:
            key = next(self._ids)
            waiting = self._executing[key] = asyncio.get_running_loop().create_future()
            try:
                self._send({"execute": key, "tool": tool, "arguments": arguments})
                return await waiting
            except asyncio.CancelledError:
                self._send({"abandon": key})
                raise
            finally:
                del self._executing[key]

        return execute


def _settle(waiting: "asyncio.Future[Any]", message: Mapping[str, Any]) -> None:
    if "raise" not in message:
        waiting.set_result(message["yes"] if "ask" in message else message["answer"])
    elif message.get("told"):
        waiting.set_exception(FailedAnswer(message["raise"], structured=message.get("data")))
    else:
        waiting.set_exception((LostError if message.get("lost") else RuntimeError)(message["raise"]))


async def serve(factory: Factory, out: int) -> None:
    """Until standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=MAX_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", 0))

    def send(message: dict[str, Any]) -> None:
        data = memoryview(line(message))
        while data:
            data = data[os.write(out, data) :]

    host = Host(factory, send)
    while text := await reader.readline():
        host.take(json.loads(text))


def main() -> int:
    """What the subject prints goes to standard error: standard output is the suite's."""
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        factory = factory_of(sys.argv[1])
    except Exception as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
        return 3
    asyncio.run(serve(factory, out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
