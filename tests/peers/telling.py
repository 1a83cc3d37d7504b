"""An MCP server over standard input and output that tells its environment, in a result or in an error.

Plain Python, no SDK. Its tools: ``environment`` gives all variables, ``complains`` says in an error how many there are.
"""

import json
import os
import sys
from typing import Any

SCHEMA = {"type": "object", "properties": {}}
TOOLS = [
    {"name": "environment", "description": "All of it.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
    {"name": "complains", "description": "Fails.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        capabilities, about = {"tools": {}}, {"name": "telling", "version": "1"}
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": about}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call" and params["name"] == "environment":
        print(dict(os.environ), file=sys.stderr, flush=True)
        names = {"names": sorted(os.environ), "values": sorted(os.environ.values())}
        return {"result": {"content": [{"type": "text", "text": json.dumps(names)}], "structuredContent": names}}
    if method == "tools/call":
        return {"error": {"code": -32000, "message": f"{len(os.environ)} variables"}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            told = answer(message["method"], message.get("params") or {})
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
