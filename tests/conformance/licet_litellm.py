"""LiteLLM's proxy as a subject, alone and over ``licet serve``, started for each vector with what licet writes for it.

``proxies`` of both is what starts them (``peers.litellm_proxy``). Vectors without a profile are played under ``full``.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from licet.adapters.litellm.configuration import configuration, is_flat, written
from licet.adapters.litellm.lint import lint
from licet.adapters.litellm.served import served
from licet.conformance.http import posted
from licet.conformance.mcp_subject import McpSubject
from licet.conformance.subject import UnsupportedError
from licet.profiles import profile as profile_of
from licet.profiles.omission import missing
from licet.project.config import load
from licet.project.listing import list_servers
from licet.project.lock import Lock, text
from licet.project.trust import trust
from peers.litellm_proxy import HEADERS, TOKEN

SERVE = (sys.executable, "-m", "licet", "serve", "--agent", "coder", "--http", "0", "--config")
HAS_NO_FLAT_NAME = "LiteLLM's names are flat names, and a tool that has none is not offered there"
NOTHING_PINNED = "LiteLLM's configuration is written from what was pinned, and of a dead engine nothing is"
LACKS_SOMETHING = "its engine lacks a tool of the profile, and then no configuration is written"
HIDES_NOTHING = "it is written for a profile: full hides nothing, and what others hide is in the suite of profiles"


class LiteLlm(McpSubject):
    """Of the proxy alone, before the engine itself: the same configuration, but for where it points."""

    is_gateway = True

    def __init__(self, proxies):
        super().__init__(self.started)
        self.proxies = proxies

    async def started(self, stack, tools, options):
        if options.source_is_dead:
            raise UnsupportedError(NOTHING_PINNED)
        if not all(tool.granted for tool in tools):
            raise UnsupportedError(HIDES_NOTHING)
        if not all(is_flat(tool.name) for tool in tools):
            raise UnsupportedError(HAS_NO_FLAT_NAME)
        profile = options.profile if options.is_profiled else "full"
        if missing(profile_of(profile), [tool.name for tool in tools]):
            raise UnsupportedError(LACKS_SOMETHING)
        configuration = await self.configured(stack, tools, options, profile)
        proxy = await asyncio.to_thread(self.proxies.start, configuration)
        stack.callback(self.proxies.end, proxy)
        return await stack.enter_async_context(posted(proxy.url, HEADERS))

    async def configured(self, stack, tools, options, profile):
        schemas = {tool.name: tool.input_schema for tool in tools}
        value = configuration(options.upstream_url, schemas, profile, token=False)
        assert {fault.code for fault in lint(value, ["http://127.0.0.1:1/mcp"], profile)} == {"other_endpoint"}
        return kept(folder_of(stack), value)


class LicetUnderLiteLlm(LiteLlm):
    """``licet serve --http`` before the engine, and the proxy before that."""

    async def configured(self, stack, tools, options, profile):
        folder = folder_of(stack)
        command, *args = options.upstream
        engine = {"url": options.upstream_url} if options.is_profiled else {"command": command, "args": args}
        config, held = await locked(folder, engine, profile)
        url = await serving(stack, config, folder / "home")
        value = configuration(url, held.schemas, held.profile)
        assert lint(value, [url], held.profile, schemas=held.schemas) == []
        return kept(folder, value)


async def locked(folder, engine, profile):
    """A trusted project whose engine is pinned: its file, and what ``licet serve`` shows of it."""
    config = folder / "project" / "licet.yaml"
    config.parent.mkdir()
    config.write_text(json.dumps({"mcpServers": {"algenta": engine}, "agents": {"coder": {"profile": profile}}}))
    project = load(config, config.read_bytes())
    spec = project.servers[0].resolve({})
    listed = await list_servers([spec], lambda name: None)
    lock = Lock().with_server(spec.name, listed[spec.name].server)
    config.with_name("licet.lock").write_text(text(lock))
    trust(config, folder / "home")
    return config, served(project, lock, "coder")


async def serving(stack, config, home):
    """The URL of ``licet serve --http``."""
    environment = {"LICET_HOME": str(home), "HOME": str(home), "LICET_TOKEN": TOKEN}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*SERVE, str(config), env=environment, stderr=pipe)
    stack.push_async_callback(end, process)
    while b"listening on " not in (line := await process.stderr.readline()):
        assert line, "it ended before it listened"
    return line.split()[-1].decode()


async def end(process):
    """Of a server that has to be there still."""
    assert process.returncode is None, (await process.stderr.read()).decode()
    process.terminate()
    await process.wait()


def folder_of(stack):
    return Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))


def kept(folder, value):
    path = folder / "litellm.yaml"
    path.write_text(written(value))
    return path
