"""What the suite's own MCP server answers, over whatever way: the handshake, its listing, and what came of a call."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

NO_SUCH_TOOL = {"error": {"code": -32602, "message": "there is no such tool"}}


def answered(method: str, params: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer to everything but a call, with ``result`` or ``error``."""
    match method:
        case "initialize":
            asked = params.get("protocolVersion")
            return {
                "result": {
                    "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "licet-conformance", "version": "1"},
                }
            }
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": list(tools)}}
        case _:
            return {"error": {"code": -32601, "message": "there is no such method"}}


def result_of(executed: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call, of what ``Executor`` sends: ``answer``, or ``raise`` with ``told`` and ``data``."""
    if "raise" in executed:
        text = executed["raise"] if executed.get("told") else "the tool failed"
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True}
        data = executed.get("data")
        return result if data is None else {**result, "structuredContent": data}
    value = executed["answer"]
    result = {"content": [{"type": "text", "text": json.dumps(value, ensure_ascii=False)}], "isError": False}
    return {**result, "structuredContent": value} if isinstance(value, dict) else result
