"""An MCP server that dies in the middle of a call, or says what is no answer; its child lives on."""

import os
import signal
from typing import Any

from wire import fork_a_child, put, serve, text


def answer(number: int, given: dict[str, Any]) -> None:
    match given.get("how"):
        case "exit":
            os._exit(3)
        case "signal":
            os.kill(os.getpid(), signal.SIGKILL)
        case "half":
            put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[' % number)
            os._exit(0)
        case "garbage":
            put(b"\xff\xfe not a line of the protocol \x1b[31m\n{]\n\n[1]\n" * 5)
            text(number, "after all")
        case "nothing":
            put(b'{"jsonrpc":"2.0","id":%d,"result":{"content":7}}\n' % number)
        case "twice":
            text(number, "once")
            text(number, "again")
        case _:
            text(number, "well")


fork_a_child()
serve("crash", {"how": {"enum": ["exit", "signal", "half", "garbage", "nothing", "twice", "well"]}}, answer)
