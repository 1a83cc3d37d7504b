"""The client of mcp 1 as a process, for the environment that holds it: what it sees of a server, as one JSON document.

usage: client1.py CALLS stdio COMMAND [ARGUMENT ...]
       client1.py CALLS http URL

CALLS is a JSON object: the tools to call, and the arguments of each.
"""

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamablehttp_client


def reached(how: str, where: tuple[str, ...]) -> Any:
    if how == "http":
        return streamablehttp_client(where[0])
    return stdio_client(StdioServerParameters(command=where[0], args=list(where[1:]), env=dict(os.environ)))


async def look(calls: str, how: str, *where: str) -> None:
    async with reached(how, where) as (read, write, *_), ClientSession(read, write) as session:
        begun = await session.initialize()
        listed = await session.list_tools()
        said = {}
        for name, arguments in json.loads(calls).items():
            result = await session.call_tool(name, arguments)
            said[name] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    seen = {"protocol": begun.protocolVersion, "tools": [tool.name for tool in listed.tools], "said": said}
    print(json.dumps(seen))


if __name__ == "__main__":
    anyio.run(look, *sys.argv[1:])
