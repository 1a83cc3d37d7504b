"""``licet serve`` in front of an MCP server over HTTP, against FastMCP's proxies; and its start with ten servers.

Everybody forwards to the same server of the SDK, which is also asked directly: added is what a call takes more than
that, in the median. A connection sends prepared bytes, so that the caller costs next to nothing.
"""

import asyncio
import json
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench.adder import free_port, listening
from bench.load import call, load
from bench.measure import ROOT, Gate
from bench.project import TOOLS, Project

MODULE = "bench.serve"
PACKAGES = ("licet", "mcp", "fastmcp", "uvicorn", "httptools", "uvloop")
UNIT = "us a call, calls of a second at once; ms a process"
GROUPS = (("wire",), ("cold",))
GATES = (
    Gate("added by licet serve, p50 / FastMCP's proxy, shared client", "licet, added", "shared, added", 1.0),
    Gate("added by licet serve, p50 / FastMCP's default proxy", "licet, added", "default, added", 0.1),
    Gate("time a call at 32 in flight / FastMCP's proxy, shared client", "licet, 32", "shared, 32", 1 / 1.3),
    Gate("an idempotent write, added, p50 / FastMCP's proxy, shared client", "licet write, added", "shared, added"),
    Gate("an idempotent write, added, p50 / FastMCP's default proxy", "licet write, added", "default, added"),
    Gate("an idempotent write at 32 in flight / FastMCP's proxy, shared client", "licet write, 32", "shared, 32"),
    Gate("time a call at 32 in flight / the server asked directly", "licet, 32", "limit: direct, 32"),
    Gate("licet serve, ten locked servers: initialize and tools/list / 0.7 s", "licet serve, listed", "0.7 s", 1),
    Gate("licet check of the same / 0.5 s", "licet check", "0.5 s", 1),
)
LASTING_S = 0.6
"""Of one case in one round, after it has settled."""
MANY = 10


# --- over the wire ---


@contextmanager
def everybody(folder: Path) -> Iterator[dict[str, tuple[int, bytes]]]:
    """Port and request of each, by name. Peers that are not installed are not there."""
    token = secrets.token_urlsafe(16)
    with ExitStack() as stack:
        port = free_port()
        stack.enter_context(listening(["-m", "bench.adder", "http", str(port)], port))
        url = f"http://127.0.0.1:{port}/mcp"
        project = Project(folder)
        words = {"add": {"read_only": True, "idempotent": True}, "put": {"read_only": False, "idempotent": True}}
        project.write({"up": {"url": url}}, {f"mcp/up.{tool}": word for tool, word in words.items()})
        ours = free_port()
        stack.enter_context(
            listening(project.serve("--http", str(ours)), ours, {**project.environ, "LICET_TOKEN": token})
        )
        asked = {
            "limit: direct": (port, call(port, "add")),
            "licet": (ours, call(ours, "up__add", token)),
            "licet write": (ours, call(ours, "up__put", token)),
        }
        for way in ("shared", "default") if find_spec("fastmcp") else ():
            theirs = free_port()
            stack.enter_context(listening(["-m", "bench.adder", way, str(theirs), url], theirs))
            asked[way] = (theirs, call(theirs, "add"))
        yield asked


async def rounds_of(asked: dict[str, tuple[int, bytes]], rounds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        direct = 0.0
        for name, (port, request) in asked.items():
            alone = await load(port, request, 1, LASTING_S)
            many = await load(port, request, 32, LASTING_S)
            direct = direct or alone.p50
            figures = {name: alone.p50, f"{name}, p99": alone.p99, f"{name}, 32": 1e6 / many.rate}
            if alone.p50 != direct:
                figures[f"{name}, added"] = alone.p50 - direct
            for figure, value in figures.items():
                found.setdefault(figure, []).append(value)
    return found


# --- from a cold start ---

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
ASKED = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def listed(project: Project, tools: int) -> float:
    """Milliseconds from nothing to the answered listing of a server over stdio.

    Raises:
        SystemExit: it lists something else, or has started somebody.
    """
    pipe = subprocess.PIPE
    command = [sys.executable, *project.serve()]
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=project.whole_environ, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in ASKED))
        process.stdin.flush()
        answer: dict[str, object] = {}
        while answer.get("id") != 2 and (line := process.stdout.readline()):
            answer = json.loads(line)
        took = time.perf_counter() - started
        children = [(task / "children").read_text() for task in Path(f"/proc/{process.pid}/task").iterdir()]
        _, said = process.communicate()
    result = answer.get("result")
    if not isinstance(result, dict) or len(result["tools"]) != tools:
        raise SystemExit(f"licet serve lists something else: {answer}\n{said.decode()}")
    if "".join(children).strip() or project.started():
        raise SystemExit(f"licet serve started somebody to list tools: {children}, {project.started()}")
    return took * 1e3


def checked(project: Project) -> float:
    command = [sys.executable, "-m", "licet", "check", "--config", str(project.file)]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=project.whole_environ, capture_output=True, text=True)
    took = time.perf_counter() - started
    if done.returncode or project.started():
        raise SystemExit(
            f"licet check: exit {done.returncode}, started {project.started()}\n{done.stdout}{done.stderr}"
        )
    return took * 1e3


def imported(name: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
    return (time.perf_counter() - started) * 1e3


def cold(folder: Path, rounds: int) -> dict[str, list[float]]:
    project = Project(folder)
    servers = {f"s{number}": project.plain(number) for number in range(MANY)}
    project.write(servers, {f"mcp/{name}.look_{n}": {"read_only": True} for name in servers for n in range(TOOLS)})
    tools = project.tools()
    found: dict[str, list[float]] = {}
    for number in range(rounds * 2 + 1):
        figures = {
            "licet serve, listed": listed(project, tools),
            "licet check": checked(project),
            "limit: import mcp": imported("mcp"),
            "limit: the bare interpreter": imported("sys"),
            "0.7 s": 700.0,
            "0.5 s": 500.0,
        }
        for figure, value in figures.items() if number else ():  # the first warms the file cache
            found.setdefault(figure, []).append(value)
    return found


def main(rounds: int, group: str) -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        if group == "cold":
            print(json.dumps(cold(Path(folder), rounds)))
            return
        with everybody(Path(folder)) as asked:
            print(json.dumps(asyncio.run(rounds_of(asked, rounds))))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
