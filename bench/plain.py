"""usage: python plain.py NAME TOOLS FOLDER: an MCP server in plain Python that lists some tools.

It leaves a file NAME in the folder when it starts: nobody starts it unseen.
"""

import json
import sys
from pathlib import Path
from typing import Any

TEXT = "What the {n}th tool of {name} does, in as many words as people take for that: it looks something up."


def tool(name: str, number: int) -> dict[str, Any]:
    properties = {
        f"key_{number}": {"type": "string", "description": "What is looked up."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "kind": {"enum": ["a", "b", name]},
    }
    schema = {"type": "object", "properties": properties, "required": [f"key_{number}"], "additionalProperties": False}
    description = TEXT.format(n=number, name=name)
    return {"name": f"look_{number}", "description": description, "inputSchema": schema}


def answered(asked: dict[str, Any], name: str, tools: int) -> dict[str, Any]:
    match asked["method"]:
        case "initialize":
            version = asked["params"]["protocolVersion"]
            about = {"name": name, "version": "1"}
            return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}}
        case "tools/list":
            return {"result": {"tools": [tool(name, number) for number in range(tools)]}}
        case method:
            return {"error": {"code": -32601, "message": f"no {method} here"}}


def main(name: str, tools: int, folder: Path) -> None:
    (folder / name).touch()
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answered(asked, name, tools)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
