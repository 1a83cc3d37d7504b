"""An MCP server that answers no call, or nothing any more, and does not go when it is told to; nor does its child."""

import signal
import threading
from typing import Any

from wire import fork_a_child, serve


def answer(number: int, given: dict[str, Any]) -> None:
    if given.get("how") == "deaf":
        threading.Event().wait()


signal.signal(signal.SIGTERM, signal.SIG_IGN)
fork_a_child()
serve("hang", {"how": {"enum": ["call", "deaf"]}}, answer)
threading.Event().wait()
