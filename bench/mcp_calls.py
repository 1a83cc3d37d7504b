"""Calls of an MCP server over stdio, through licet and by the SDK's own client: one server, one run, one turn.

licet's side is a granted call of a tool whose definition was pinned, with its two entries in a ledger's file and the
rendered block. The limit is a caller that writes prepared lines and reads nothing of an answer but its id.
"""

import asyncio
import json
import logging
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bench.load import VERSION
from bench.measure import ROOT, Case, Gate, time_rounds
from bench.peers import ARGUMENTS

MODULE = "bench.mcp_calls"
PACKAGES = ("licet", "mcp", "mcp-types", "anyio", "pydantic")
UNIT = "us a call"
LEAST = 0.85
"""Of the calls a second that the SDK's client makes."""
GATES = (
    Gate("a call through licet / the SDK's Client, one in flight", "licet", "mcp Client", 1 / LEAST, 1),
    Gate("a call through licet / the SDK's Client, 32 in flight", "licet, 32", "mcp Client, 32", 1 / LEAST, 1),
    Gate("the same, an effect on stable storage before and after / the SDK's Client", "licet, durable", "mcp Client"),
    Gate("the same at 32 in flight / the SDK's Client", "licet, durable, 32", "mcp Client, 32"),
    Gate("a call through licet / prepared lines to the same server", "licet", "limit: prepared lines"),
    Gate("the same at 32 in flight / prepared lines", "licet, 32", "limit: prepared lines, 32"),
)
SERVER = ("-m", "bench.adder", "stdio")
WIDTH, EACH, ALONE = 32, 6, 150
"""Callers at once, calls of each in one case, and calls of a round of one caller."""

Call = Callable[[], Awaitable[object]]


@asynccontextmanager
async def ours(folder: Path) -> AsyncIterator[dict[str, Call]]:
    """A read, and a tool nobody said anything about: it counts as an effect."""
    from licet import Principal, Runtime
    from licet.model.server import ServerSpec
    from licet.policy.operator import Word
    from licet.sources.mcp.server import McpServer

    spec = ServerSpec(id="bench", command=sys.executable, args=SERVER, cwd=str(ROOT))
    words = {"mcp/bench.add": Word(read_only=True)}
    runtime = Runtime(ledger=folder / "ledger.db")
    server = McpServer(spec, word=words.get, note=runtime.note)
    await runtime.connect(server)
    who = Principal("bench", grants=["mcp/bench.add", "mcp/bench.put"], mode="workspace_write")
    run = runtime.begin(who)

    async def governed() -> str:
        return (await run.call("mcp/bench.add", ARGUMENTS)).content

    async def durable() -> str:
        return (await run.call("mcp/bench.put", ARGUMENTS)).content

    try:
        async with run.turn():
            yield {"licet": governed, "licet, durable": durable}
    finally:
        run.close()
        await server.close()
        runtime.close()


@asynccontextmanager
async def theirs() -> AsyncIterator[dict[str, Call]]:
    from mcp import Client, StdioServerParameters

    target = StdioServerParameters(command=sys.executable, args=list(SERVER), cwd=ROOT)
    async with Client(target) as client:
        yield {"mcp Client": lambda: client.call_tool("add", ARGUMENTS)}


@asynccontextmanager
async def limit() -> AsyncIterator[dict[str, Call]]:
    """Lines that were made before anything is timed, and answers that are told apart by their id alone."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *SERVER, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin, process.stdout
    about = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = json.dumps({"name": "add", "arguments": ARGUMENTS, "_meta": about})
    lines = [b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%b}\n' % (n, params.encode()) for n in range(99)]
    free, waiting = list(range(99)), dict[int, asyncio.Future[bytes]]()

    async def read() -> None:
        async for line in back:
            number = line.rpartition(b'"id":')[2]
            waiting.pop(int(number[: len(number) - len(number.lstrip(b"0123456789"))])).set_result(line)

    async def call() -> bytes:
        number = free.pop()
        waiting[number] = asyncio.get_running_loop().create_future()
        to.write(lines[number])
        try:
            return await waiting[number]
        finally:
            free.append(number)

    reader = asyncio.ensure_future(read())
    try:
        yield {"limit: prepared lines": call}
    finally:
        to.close()
        await process.wait()
        await reader


def at_once(call: Call) -> Call:
    async def caller() -> None:
        for _ in range(EACH):
            await call()

    async def all_of_them() -> None:
        await asyncio.gather(*(caller() for _ in range(WIDTH)))

    return all_of_them


async def main(rounds: int) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        async with ours(Path(folder)) as first, theirs() as second, limit() as third:
            calls = {**first, **second, **third}
            for name, call in calls.items():
                answer = str(await call())
                if "hello" not in answer:
                    raise SystemExit(f"{name} does not do what is timed: {answer}")
            cases: dict[str, Case] = {name: (call, ALONE) for name, call in calls.items()}
            cases |= {f"{name}, {WIDTH}": (at_once(call), 1) for name, call in calls.items()}
            measured = await time_rounds(cases, rounds)
    for name in calls:
        wide = f"{name}, {WIDTH}"
        measured[wide] = [took / (WIDTH * EACH) for took in measured[wide]]
    print(json.dumps(measured))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
