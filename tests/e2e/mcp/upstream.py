"""A server that writes down all that reaches it: python upstream.py LOG [PORT]. With a port it speaks HTTP.

Its tools: ``echo`` gives back its nonce, ``write`` claims nothing, ``hang`` never answers.
"""

import asyncio
import os
import sys
from typing import Any

import mcp_types as t
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"nonce": {"type": "string"}}}
LOG = sys.argv[1]


def note(line: str) -> None:
    with open(LOG, "a") as log:
        log.write(line + "\n")


async def listed(ctx: Any, params: Any) -> t.ListToolsResult:
    reads = t.ToolAnnotations(read_only_hint=True)
    return t.ListToolsResult(
        tools=[
            t.Tool(name="echo", description="Gives it back.", input_schema=SCHEMA, annotations=reads),
            t.Tool(name="hang", input_schema=SCHEMA, annotations=reads),
            t.Tool(name="write", input_schema=SCHEMA),
        ],
        ttl_ms=0,
        cache_scope="private",
    )


async def called(ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
    nonce = (params.arguments or {}).get("nonce", "")
    note(f"call {params.name} {nonce}")
    if params.name == "hang":
        try:
            await asyncio.Event().wait()
        finally:
            note("ended")
    await asyncio.sleep(0)  # others may come between
    return t.CallToolResult(content=[t.TextContent(type="text", text=nonce)])


async def over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def over_http(server: Server[Any], port: int) -> None:
    app = server.streamable_http_app()

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            note(f"request {scope['headers']!r}")
        await app(scope, receive, send)

    uvicorn.run(noting, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    note(f"started {os.getpid()}")
    served = Server[Any]("upstream", on_list_tools=listed, on_call_tool=called)
    if len(sys.argv) > 2:
        over_http(served, int(sys.argv[2]))
    else:
        asyncio.run(over_stdio(served))
