"""``python relay.py FOLDER COMMAND ARGUMENT ...``: a process that stands between a client and an MCP server.

It writes down every call that a client sends, hands on no call of a tool that its server does not call read-only, and
changes a listed definition for as long as the folder says so. It speaks lines of JSON-RPC, in both protocol eras.
"""

import json
import os
import subprocess
import sys
import threading
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

CALLS = "calls.jsonl"
"""A line for each call that came, ``{"call": name, "held": bool}``, and for each answer, ``{"ok": bool}``."""

CHANGE = "change.json"
"""``{"tool": name, "part": part}``, or absent."""

SAID = "stderr"
HELD = -32000
PARTS = ("title", "description", "input_schema", "output_schema", "annotations")
"""What of a definition can be changed, under the names that a pin has for it."""

_GRACE_S = 2.0


def changed(tool: dict[str, Any], part: str) -> dict[str, Any]:
    """The definition, with another one of its parts."""
    hints = tool.get("annotations") or {}
    schema = tool.get("inputSchema") or {}
    properties = {**(schema.get("properties") or {}), "licet_probe_added": {"type": "string"}}
    new: dict[str, dict[str, Any]] = {
        "title": {"title": f"{tool.get('title') or ''} (changed)"},
        "description": {"description": f"{tool.get('description') or ''} Changed after it was listed."},
        "input_schema": {"inputSchema": {**schema, "properties": properties}},
        "output_schema": {"outputSchema": {"type": "object", "properties": {"licet_probe_added": {"type": "string"}}}},
        "annotations": {"annotations": {**hints, "openWorldHint": not hints.get("openWorldHint", True)}},
    }
    return {**tool, **new[part]}


class Relay:
    """``down`` is where the client listens, ``up`` where the server does."""

    def __init__(self, folder: Path, down: IO[bytes], up: IO[bytes]) -> None:
        self._folder = folder
        self._down = down
        self._up = up
        self._lock = threading.Lock()
        self._journal = os.open(folder / CALLS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._asked: dict[Any, str] = {}
        """Id of a request that has no answer yet -> its method."""
        self._reads: set[str] = set()
        self._writes: set[str] = set()

    def upward(self, line: bytes) -> None:
        """One line of the client's: to the server, or answered here."""
        message = _parsed(line)
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str) and isinstance(number, int | str):
            self._asked[number] = method
            if method == "tools/call":
                name = str((message.get("params") or {}).get("name"))
                held = self._is_held(name)
                self._note({"call": name, "held": held})
                if held:
                    error = {"code": HELD, "message": "licet probe does not hand on calls of tools that may write"}
                    self._send(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n")
                    return
        self._up.write(line)
        self._up.flush()

    def downward(self, line: bytes) -> None:
        """One line of the server's, with a definition in it changed where that is asked for."""
        message = _parsed(line)
        number = message.get("id") if "method" not in message else None
        method = self._asked.pop(number, None) if isinstance(number, int | str) else None
        result = message.get("result")
        if method == "tools/list" and isinstance(result, dict) and isinstance(result.get("tools"), list):
            tools = [tool for tool in result["tools"] if isinstance(tool, dict)]
            for tool in tools:
                hints = tool.get("annotations") or {}
                reads = hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True
                (self._reads if reads else self._writes).add(str(tool.get("name")))
            result["tools"] = self._with_change(result["tools"])
            line = json.dumps(message).encode() + b"\n"
        elif method == "tools/call":
            self._note({"ok": isinstance(result, dict) and not result.get("isError")})
        self._send(line)

    def _is_held(self, name: str) -> bool:
        """Whether this could be taken for a tool that may write, however loosely a server compares names."""
        if name in self._reads - self._writes:
            return False
        asked = _loosely(name)
        return not self._reads | self._writes or any(_loosely(writing) in asked for writing in self._writes)

    def _with_change(self, tools: list[Any]) -> list[Any]:
        try:
            change = json.loads((self._folder / CHANGE).read_bytes())
        except FileNotFoundError:
            return tools
        name, part = change["tool"], change["part"]
        return [changed(t, part) if isinstance(t, dict) and t.get("name") == name else t for t in tools]

    def _note(self, fact: dict[str, Any]) -> None:
        os.write(self._journal, json.dumps(fact).encode() + b"\n")

    def _send(self, line: bytes) -> None:
        with self._lock:
            self._down.write(line)
            self._down.flush()


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _loosely(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum())


def main(argv: list[str]) -> int:
    """Until one of the two is gone. 127: the command does not start."""
    folder, command = Path(argv[0]), argv[1:]
    with open(folder / SAID, "ab") as said:
        try:
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        except (OSError, ValueError) as exc:
            said.write(f"{type(exc).__name__}: {getattr(exc, 'strerror', None) or exc}\n".encode())
            return 127
    assert server.stdin is not None
    assert server.stdout is not None
    relay = Relay(folder, sys.stdout.buffer, server.stdin)

    def listen() -> None:
        with suppress(OSError, ValueError):
            for line in sys.stdin.buffer:
                relay.upward(line)
        with suppress(OSError):
            server.stdin.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            server.wait(_GRACE_S)
        server.kill()

    threading.Thread(target=listen, daemon=True).start()
    with suppress(OSError):
        for line in server.stdout:
            relay.downward(line)
    return server.wait()


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]) & 0xFF)  # a thread may still wait for the client
