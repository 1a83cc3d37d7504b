"""Tools as servers list them, and the two ways to read one."""

from typing import Any

from licet.dialects.mcp import Definition, Quarantined, read_tool
from licet.model.server import ServerSpec

STDIO = ServerSpec(id="git", command="mcp-server-git")
HTTP = ServerSpec(id="git", url="http://127.0.0.1:9/mcp", timeout_s=7)
OBJECT = {"type": "object"}


def tool(name: Any = "t", **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": OBJECT, **more}


def quarantined(raw: Any, server: ServerSpec = STDIO) -> Quarantined:
    found = read_tool(raw, server)
    assert isinstance(found, Quarantined), found
    return found


def read(raw: Any, server: ServerSpec = STDIO) -> Definition:
    found = read_tool(raw, server)
    assert isinstance(found, Definition), found
    return found
