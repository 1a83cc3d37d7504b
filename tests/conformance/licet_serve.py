"""``licet serve`` as a subject: a process before the suite's own server, as a client starts it."""

import asyncio
import json
import re
import sys
import tempfile
from pathlib import Path

from licet.conformance.http import posted
from licet.conformance.mcp_subject import McpSubject, started
from licet.project.config import load
from licet.project.trust import trust

LICET = [sys.executable, "-m", "licet"]
WORDS = ["serve", "--trust-first-use", "--config"]


class LicetServe(McpSubject):
    is_gateway, asks = True, True

    def __init__(self):
        super().__init__(start)


class LicetServeHttp(McpSubject):
    is_gateway, asks = True, True

    def __init__(self):
        super().__init__(start_http)


async def start(stack, tools, options):
    config, environment = configured(stack, tools, options)
    return with_user(await started(stack, [*LICET, *WORDS, config], environment), tools)


async def start_http(stack, tools, options):
    config, environment = configured(stack, tools, options)
    words = [*LICET, *WORDS, config, "--http", "0", "--no-token"]
    process = await asyncio.create_subprocess_exec(*words, env=environment, stderr=asyncio.subprocess.PIPE)
    ready = asyncio.get_running_loop().create_future()
    reading = asyncio.ensure_future(heard(process.stderr, ready))
    stack.push_async_callback(process.wait)
    stack.push_async_callback(asyncio.wait, [reading])
    stack.callback(process.terminate)
    url = await ready
    return with_user(await stack.enter_async_context(posted(url, {})), tools)


async def heard(stderr, ready):
    """Read to its end, or what it goes on to say fills the pipe. ``ready`` is the URL."""
    while line := await stderr.readline():
        if b"listening on " in line:
            ready.set_result(line.split()[-1].decode())
    if not ready.done():
        ready.set_exception(AssertionError("it ended before it listened"))


def with_user(client, tools):
    """A client that shows licet's questions to the person whom the suite gives a tool."""
    people = {f"mcp/algenta.{tool.name}": tool.ask for tool in tools}

    async def elicit(params):
        (tool,) = re.findall(r" asks to run (\S+) ", params["message"])
        (arguments,) = re.findall(r"^arguments: (.*)$", params["message"], re.MULTILINE)
        return {"action": "accept" if await people[tool](json.loads(arguments)) else "decline", "content": {}}

    client.elicit = elicit if any(people.values()) else None
    return client


def entry(options):
    """How the suite's server is named, or another one of which only a URL is told."""
    if not options.upstream:
        return {"url": options.upstream_url}
    return {"command": options.upstream[0], "args": options.upstream[1:]}


def word(tool):
    return {"read_only": tool.read_only, **({"approval": "ask"} if tool.ask else {})}


def configured(stack, tools, options):
    """A trusted configuration, in which the agent is granted what the vector says."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
    names = {f"mcp/algenta.{tool.name}": tool for tool in tools}
    agent = {"mode": "workspace_write", "tools": [name for name, tool in names.items() if tool.granted]}
    told = {
        "mcpServers": {"algenta": entry(options)},
        "tools": {} if options.is_profiled else {name: word(tool) for name, tool in names.items()},
        "agents": {"model": {"profile": options.profile} if options.is_profiled else agent},
    }
    told["limits"] = {"refusals_per_turn": 10_000_000}  # each refusal is to be for its own reason
    config = folder / "project" / "licet.yaml"
    config.parent.mkdir()
    config.write_text(json.dumps(told))
    load(config, config.read_bytes())
    trust(config, folder / "home")
    return str(config), {"LICET_HOME": str(folder / "home"), "HOME": str(folder)}
