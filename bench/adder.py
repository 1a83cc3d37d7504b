"""The tool that everybody calls as an MCP server of the SDK, and FastMCP's proxies in front of one.

usage: python -m bench.adder stdio
       python -m bench.adder http PORT
       python -m bench.adder shared|default PORT URL

``shared`` is FastMCP's proxy over one client that is connected once, ``default`` the one that its documentation begins
with. ``add`` and ``put`` do the same; a project's own words make the first a read, and the second an idempotent write.
"""

import asyncio
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench.measure import ROOT
from bench.peers import add

PATIENCE_S = 30.0


def served() -> Any:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench")
    server.add_tool(add)
    server.add_tool(add, name="put")
    return server


async def listen(app: Any, port: int) -> None:
    import uvicorn

    # A client of httpx keeps idle connections as long as uvicorn does by default, 5 s: now and then the two just miss.
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical", timeout_keep_alive=60)
    await uvicorn.Server(config).serve()


async def proxy(way: str, port: int, url: str) -> None:
    from fastmcp import Client
    from fastmcp.server import create_proxy

    if way == "default":
        await listen(create_proxy(url).http_app(stateless_http=True, json_response=True), port)
        return
    async with Client(url) as client:
        await listen(create_proxy(client).http_app(stateless_http=True, json_response=True), port)


def main(way: str, *words: str) -> None:
    logging.disable(logging.CRITICAL)
    if way == "stdio":
        served().run("stdio")
        return
    import uvicorn

    with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:  # uvloop's, where there is one
        if way == "http":
            app = served().streamable_http_app(stateless_http=True, json_response=True)
            runner.run(listen(app, int(words[0])))
        else:
            runner.run(proxy(way, int(words[0]), words[1]))


# --- for whoever measures ---


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def listening(command: Sequence[str], port: int, environ: dict[str, str] | None = None) -> Iterator[int]:
    """A process that answers on a port of this machine, until the block ends. Gives its id.

    Raises:
        SystemExit: it ended, or did not answer in time; with what it said.
    """
    whole = {**os.environ, **(environ or {})}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=whole, stdout=said, stderr=said)
        try:
            until = time.monotonic() + PATIENCE_S
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > until:
                    said.seek(0)
                    raise SystemExit(f"{' '.join(command)} does not listen:\n{said.read().decode()}")
                time.sleep(0.02)
            yield process.pid
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
