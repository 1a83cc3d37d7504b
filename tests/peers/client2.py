"""The client of mcp 2 as a process: what it sees of a server, as one JSON document.

usage: client2.py auto|legacy CALLS stdio COMMAND [ARGUMENT ...]
       client2.py auto|legacy CALLS http URL

CALLS is a JSON object: the tools to call, and the arguments of each.
"""

import json
import os
import sys

import anyio
from mcp import Client, StdioServerParameters


async def look(mode: str, calls: str, how: str, *where: str) -> None:
    target = (
        where[0]
        if how == "http"
        else StdioServerParameters(command=where[0], args=list(where[1:]), env=dict(os.environ))
    )
    async with Client(target, mode=mode, read_timeout_seconds=20) as client:
        listed = await client.list_tools()
        said = {}
        for name, arguments in json.loads(calls).items():
            result = await client.call_tool(name, arguments)
            said[name] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        protocol = client.protocol_version
    seen = {"protocol": protocol, "tools": [tool.name for tool in listed.tools], "said": said}
    print(json.dumps(seen))


if __name__ == "__main__":
    anyio.run(look, *sys.argv[1:])
