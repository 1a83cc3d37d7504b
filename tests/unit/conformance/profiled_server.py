"""An MCP server that lists the tools of its first word, each with an argument and with those of its second word."""

import json
import sys

names, arguments = (words.split(",") if words else [] for words in (sys.argv[1], sys.argv[2]))
schema = {"type": "object", "properties": {one: {"type": "string"} for one in ["dataset_id", *arguments]}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "profiled", "version": "1"},
        }
    else:
        result = {"tools": [{"name": one, "description": "A tool.", "inputSchema": schema} for one in names]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
