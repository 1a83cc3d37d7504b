"""An MCP server that says more than anybody wants to hear: a line of a gigabyte, a long answer, very many messages."""

from typing import Any

from wire import put, say, serve, text

PART = b"x" * (1 << 20)
NOTE = {"method": "notifications/message", "params": {"level": "info", "data": "again and again and again"}}


def answer(number: int, given: dict[str, Any]) -> None:
    match given.get("how"):
        case "line":
            for _ in range(1024):
                put(PART)
        case "answer":
            text(number, "x" * (20 << 20))
        case "notes":
            for _ in range(2000):
                say(NOTE)
            text(number, "at last")
        case _:
            text(number, "x" * (1 << 20))


serve("flood", {"how": {"enum": ["line", "answer", "notes", "much"]}}, answer)
