"""The decision engine as a process of its own, with a table of orders, over standard input and output or HTTP."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engines import ENVIRON, written

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

ORDERS = "region,amount,day\nnorth,10,2026-01-01\nnorth,20,2026-01-02\nsouth,50,2026-01-02\n"
DATASETS = """
datasets:
  orders:
    csv: orders.csv
    columns:
      region:
      amount: {unit: EUR}
      day: {roles: [analyst]}
"""
POLICY = "{min_confidence: 0.6, risk_floor: 20}"
SEVEN = ["get_contract", "query_data", "simulate", "recommend", "plan_decision", "log_decision", "execute_decision"]


class Ports(NamedTuple):
    """Of an engine that serves HTTP: where MCP is, and the operator's port."""

    url: str
    operator: int


def laid_out(folder: Path, hook_port: int, *, stdio: str = "NORTH_TRADER", policy: str = POLICY) -> Path:
    """The engine's file, beside its data."""
    (folder / "orders.csv").write_text(ORDERS)
    file = folder / "engine.yaml"
    file.write_text(written(hook_port, policy, DATASETS, stdio))
    return file


def command(file: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "licet", "decisions", *more, "--config", str(file)]


def environ() -> dict[str, str]:
    return {**os.environ, **ENVIRON}


@contextlib.asynccontextmanager
async def over_stdio(file: Path) -> "AsyncIterator[ClientSession]":
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    words = command(file, "serve")
    server = StdioServerParameters(command=words[0], args=words[1:], env=environ())
    async with stdio_client(server) as (read, write), ClientSession(read, write) as held:
        await held.initialize()
        yield held


@contextlib.asynccontextmanager
async def over_http(file: Path) -> AsyncIterator[Ports]:
    """The process ends with the block."""
    process = await asyncio.create_subprocess_exec(
        *command(file, "serve"), "--http", "0", env=environ(), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        said = [(await process.stderr.readline()).decode().strip() for _ in range(2)]
        operator, url = (line.rpartition(" ")[2] for line in said)
        assert url.startswith("http://127.0.0.1:"), said
        yield Ports(url, int(operator.split(":")[2].partition("/")[0]))
    finally:
        process.terminate()
        await process.communicate()


@contextlib.asynccontextmanager
async def session(url: str, name: str) -> "AsyncIterator[ClientSession]":
    """Of a caller, by the name of the variable that holds the key."""
    import httpx2
    from mcp.client.session import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {ENVIRON[name]}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as web,
        streamable_http_client(url, http_client=web) as (read, write),
        ClientSession(read, write) as held,
    ):
        await held.initialize()
        yield held


async def answer(held: "ClientSession", tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The structured content, of an error too."""
    result = await held.call_tool(tool, arguments)
    assert result.structured_content is not None
    return dict(result.structured_content)


async def operator(file: Path, ports: Ports, *words: str) -> tuple[int, str]:
    """Exit code and standard output of the operator's command line."""
    process = await asyncio.create_subprocess_exec(
        *command(file, "operator"),
        "--port",
        str(ports.operator),
        *words,
        env=environ(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


__all__ = [
    "DATASETS",
    "ORDERS",
    "POLICY",
    "SEVEN",
    "Ports",
    "answer",
    "command",
    "environ",
    "laid_out",
    "operator",
    "over_http",
    "over_stdio",
    "session",
]
