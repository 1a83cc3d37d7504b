"""One end of the protocol in plain Python: lines of JSON over standard input and output, and one tool a server.

A server leaves a file named by its process id in the folder of its first argument, with the time at which that process
started as the kernel counts it. So does a child that it forks.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = Callable[[int, dict[str, Any]], None]


def say(message: dict[str, Any]) -> None:
    put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def put(data: bytes) -> None:
    """Exits once nobody reads any more."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        os._exit(1)


def text(number: int, words: str) -> None:
    """The answer to a call."""
    say({"id": number, "result": {"content": [{"type": "text", "text": words}], "isError": False}})


def mark() -> None:
    started = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    Path(sys.argv[1], str(os.getpid())).write_text(started)


def fork_a_child() -> None:
    """One in the same process group that holds both pipes, and goes neither when it is asked to nor at their end."""
    if os.fork() == 0:
        mark()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()


def serve(tool: str, properties: dict[str, Any], answer: Answer) -> None:
    """Until standard input ends. ``answer`` gets the number of each call of the tool, and its arguments."""
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    hints = {"readOnlyHint": True}
    tools = [{"name": tool, "description": f"What {tool} does.", "inputSchema": schema, "annotations": hints}]
    mark()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        number = asked.get("id")
        match asked.get("method"):
            case "initialize":
                version = asked["params"]["protocolVersion"]
                about = {"name": tool, "version": "1"}
                result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
                say({"id": number, "result": result})
            case "tools/list":
                say({"id": number, "result": {"tools": tools}})
            case "tools/call":
                answer(number, asked["params"].get("arguments") or {})
            case _ if number is not None:
                say({"id": number, "error": {"code": -32601, "message": "there is no such method here"}})
