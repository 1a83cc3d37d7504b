"""The oracle's own server and stand-ins beside it, as the tests of the grove start them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ORACLE = (sys.executable, "-P", "-m", "licet.bundles.grove.server")
PATIENCE_S = 30.0

OTHER = '''
import asyncio, os, sys
import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

OPEN = {"type": "object", "properties": {}}
HINTS = {"reader": True, "oracle": True, "Write": False, "unsaid": None}

async def listed(context, params):
    return t.ListToolsResult(tools=[
        t.Tool(name=name, description=f"{name} of another server", input_schema=OPEN,
               annotations=None if hint is None else t.ToolAnnotations(read_only_hint=hint))
        for name, hint in HINTS.items() if name in sys.argv[1:] or not sys.argv[1:]])

async def called(context, params):
    """Takes a name for any that sounds like it, as careless servers do."""
    name = params.name.strip().lower()
    if name in ("write", "unsaid"):
        with open("written", "a") as file:
            file.write(params.name + "\\n")
    if name == "reader":
        with open("read", "a") as file:
            file.write("x")
    text = " ".join(sorted(os.environ)) if name == "reader" else "from another server"
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)])

async def main():
    server = Server("other", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
'''
"""A server that writes down which of its tools ran, in its working directory."""


def other_server(folder: Path, name: str = "other :: server.py") -> Path:
    """A script whose path has to be quoted."""
    script = folder / name
    script.write_text(OTHER)
    return script


@contextmanager
def oracle_over_http() -> Iterator[str]:
    """The oracle's server on a free port of this machine; its URL."""
    process = subprocess.Popen([*ORACLE, "--http", "0"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        url = process.stderr.readline().strip()
        assert url.startswith("http://127.0.0.1:"), url
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def children() -> set[int]:
    """The processes that this one has started and not yet buried."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        try:
            found.update(map(int, (task / "children").read_text().split()))
        except FileNotFoundError:  # a thread that ended meanwhile
            continue
    return found
