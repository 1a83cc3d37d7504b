"""``licet serve`` as a subject: a process before the suite's own server, as a client starts it."""

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from licet.conformance.mcp_subject import McpSubject, started

LICET = str(Path(sys.executable).parent / "licet")


class LicetServe(McpSubject):
    is_gateway = True

    def __init__(self):
        super().__init__(start)


async def start(stack, tools, options):
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
    command, *args = options.upstream
    agent = {"mode": "workspace_write", "tools": [f"mcp/algenta.{tool.name}" for tool in tools if tool.granted]}
    if options.is_profiled:
        agent = {"profile": options.profile}
    words = {f"mcp/algenta.{tool.name}": {"read_only": tool.read_only} for tool in tools if not options.is_profiled}
    servers = {"algenta": {"command": command, "args": args}}
    path = folder / "licet.yaml"
    path.write_text(json.dumps({"mcpServers": servers, "tools": words, "agents": {"model": agent}}))
    env = {"LICET_HOME": str(folder / "home"), "HOME": str(folder)}
    config = ["--config", str(path)]
    trusting = await asyncio.create_subprocess_exec(
        LICET, "trust", "--yes", *config, env=env, stdout=subprocess.DEVNULL
    )
    assert await trusting.wait() == 0
    return await started(stack, [LICET, "serve", *config, "--trust-first-use"], env)
