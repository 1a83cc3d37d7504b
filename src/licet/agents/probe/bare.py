"""The control: tools called as a plain loop calls them. ``handlers[name](**arguments)``, and nothing in between.

This is what a loop looks like that is written from a provider's examples. It is careful in nothing, on purpose: a name
is looked up among all handlers, whatever was offered; arguments are what the model sent; a path is joined to the
project and opened; a call's id is passed on and means nothing; an answer is put between two fixed marks.
"""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from ...model.call import Request
from ...ports import Message, Model
from .playground import END_OF_BLOCK

Handler = Callable[..., Any]

PATIENCE_S = 0.4
"""After this long without an answer a handler hangs."""

_IN_TEXT = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
"""How open models write their calls, and how their servers find them: in the text."""


class Heard(NamedTuple):
    """What the loop gave the model to read. ``raised`` is the last exception's class, ``hung``: no answer came."""

    read: tuple[str, ...]
    raised: str
    hung: bool


def handlers(project: Path, deploy: Handler) -> dict[str, Handler]:
    """The same file work as the tools of the corridor, by their names."""

    def located(path: str) -> str:
        return os.path.join(project, path)

    def ls(path: str = ".") -> list[str]:
        return sorted(os.listdir(located(path)))

    def read(path: str, offset: int = 1, limit: int | None = None) -> str:
        with open(located(path), encoding="utf-8", errors="replace") as file:
            lines = file.readlines()[offset - 1 :]
        return "".join(lines if limit is None else lines[:limit])

    def write(path: str, content: str) -> str:
        os.makedirs(os.path.dirname(located(path)), exist_ok=True)
        with open(located(path), "w", encoding="utf-8") as file:
            file.write(content)
        return f"wrote {path}"

    def edit(path: str, edits: list[dict[str, str]]) -> str:
        text = read(path)
        for change in edits:
            text = text.replace(change["old_text"], change["new_text"])
        return write(path, text)

    return {"ls": ls, "read": read, "write": write, "edit": edit, "deploy": deploy}


async def bare_loop(model: Model, handlers: Mapping[str, Handler], task: str) -> Heard:
    """Let a model work on a task. An exception is told to the model, as text, and the loop goes on."""
    conversation = [Message("user", task)]
    read: list[str] = []
    raised = ""
    while True:
        said = await model.respond(conversation, ())
        conversation.append(said)
        requests = (*said.calls, *calls_in(said.text))
        if not requests:
            return Heard(tuple(read), raised, False)
        for request in requests:
            try:
                answer = _within_patience(handlers, request)
            except _HangsError:
                return Heard(tuple(read), "", True)
            except Exception as exc:
                raised, answer = type(exc).__name__, f"{type(exc).__name__}: {exc}"
            read.append(f"<tool_response>\n{answer}\n{END_OF_BLOCK}")
            conversation.append(Message("tool", read[-1]))


class _HangsError(Exception):
    """A handler gave no answer."""


def _within_patience(handlers: Mapping[str, Handler], request: Request) -> Any:
    answers: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def work() -> None:
        try:
            arguments = request.arguments
            answers.put((True, handlers[request.tool](**parsed(arguments))))
        except BaseException as exc:
            answers.put((False, exc))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE_S)
    if worker.is_alive():
        raise _HangsError
    done, answer = answers.get()
    if not done:
        raise answer
    return answer


def parsed(arguments: Any) -> Any:
    """What a careless loop makes of arguments. Raises ValueError: they are no JSON."""
    return json.loads(arguments) if isinstance(arguments, str | bytes) else dict(arguments or {})


def calls_in(text: str) -> list[Request]:
    """The calls that a loop for open models finds in a text."""
    found = []
    for written in _IN_TEXT.findall(text):
        call = json.loads(written)
        found.append(Request(call["name"], call["arguments"]))
    return found
