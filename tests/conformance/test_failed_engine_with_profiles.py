"""An error is not emptiness, with profiles: an engine that is dead, refuses, or lists what no listing may be."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import licet_serve
import pytest

from licet import Principal, Runtime
from licet.adapters import langchain, openai_agents, pydantic_ai
from licet.conformance import Options
from licet.conformance.mcp_subject import McpSubject
from licet.conformance.rpc import RpcError
from licet.errors import ConfigurationError, ServerUnavailableError
from licet.model.server import ServerSpec
from licet.policy.operator import Word
from licet.profiles import flat_name, principal, profile, shipped
from licet.project.engine import word_on
from licet.sources.mcp.limits import McpLimits
from licet.sources.mcp.server import McpServer
from licet.testing import RecordingLedger

ENGINE = Path(__file__).parents[1] / "peers" / "faulty.py"
SERVER = "mcp/algenta"
CONTRACT = f"names={','.join(shipped().tools)}"
PROFILES = ("observe", "govern", "execute", "full")
FAULTS = [
    ("exit_at_once=1", "exited"),
    ("version=1999-01-01", "era_mismatch"),
    ("tools=10000", "listing_too_long"),
    ("endless", "listing_too_long"),
    ("same_cursor", "cursor_repeats"),
    ("no_tools", "malformed"),
    ("list_error=out of order", "server_error"),
    ("status=401", "unauthorized"),
    ("status=429", "rate_limited"),
    ("status=503", "server_error"),
]
failing = pytest.mark.parametrize(("fault", "reason"), FAULTS, ids=[fault for fault, _ in FAULTS])


class Engine(NamedTuple):
    """Of one and the same server the command, or the URL where only HTTP has the fault; and what it was asked."""

    command: tuple[str, ...]
    url: str
    log: Path

    @property
    def calls(self) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if "tools/call" in line]

    @property
    def spec(self) -> ServerSpec:
        if self.url:
            return ServerSpec(id="algenta", url=self.url)
        return ServerSpec(id="algenta", command=self.command[0], args=self.command[1:])


@asynccontextmanager
async def engine(folder: Path, *faults: str) -> AsyncIterator[Engine]:
    log, pipe = folder / "log", asyncio.subprocess.PIPE
    if not any("status" in fault for fault in faults):
        yield Engine((sys.executable, str(ENGINE), f"log={log}", CONTRACT, *faults), "", log)
        return
    words = (sys.executable, str(ENGINE.with_name("faulty_http.py")), f"log={log}", CONTRACT, *faults)
    process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe)
    try:
        assert process.stdout is not None
        yield Engine((), f"http://127.0.0.1:{int(await process.stdout.readline())}/mcp", log)
    finally:
        process.kill()
        await process.communicate()


@asynccontextmanager
async def connected(one: Engine, word: Callable[[str], Word | None] = word_on) -> AsyncIterator[tuple[Runtime, Any]]:
    """A runtime over the real client of that engine, in which the contract is the operator's word; and its report."""
    server = McpServer(one.spec, word=word, limits=McpLimits(list_s=2.0, probe_s=0.3, connect_s=10.0))
    runtime = Runtime(ledger=RecordingLedger())
    try:
        yield runtime, await runtime.connect(server)
    finally:
        await server.close()
        runtime.close()


@failing
async def test_no_profile_of_an_engine_that_failed_is_taken_for_a_profile_without_tools(
    fault: str, reason: str, tmp_path: Path
) -> None:
    async with engine(tmp_path, fault) as one, connected(one) as (runtime, report):
        assert [(line.server, line.state, line.reason) for line in report] == [(SERVER, "unavailable", reason)]
        assert runtime.withheld[SERVER].code == "server_unavailable"
        for name in PROFILES:
            for offered in (openai_agents.tools, langchain.tools, pydantic_ai.toolset):
                with pytest.raises(ServerUnavailableError, match=f"the profile {name} resolves to no tool") as caught:
                    offered(runtime, "model", profile=name, server=SERVER)
                assert caught.value.reason == reason
            with pytest.raises(ServerUnavailableError, match=f"the profile {name} resolves to no tool"):
                runtime.functions_for(principal("model", name, server=SERVER))
            result = await runtime.call(principal("model", name, server=SERVER), f"{SERVER}.get_contract", {})
            assert (result.success, result.effect) == (False, "none")
            assert runtime.ledger.kinds[-1] == "tool.refused"  # type: ignore[attr-defined]
        exact = await runtime.call(Principal("model", grants=[f"{SERVER}.get_contract"]), f"{SERVER}.get_contract", {})
        assert exact.code == "server_unavailable"
        assert one.calls == []


@failing
async def test_licet_serve_before_an_engine_that_failed_lists_an_error_and_carries_out_nothing(
    fault: str, reason: str, tmp_path: Path
) -> None:
    async with engine(tmp_path, fault) as one, AsyncExitStack() as stack:
        client = McpSubject(licet_serve.start)
        stack.push_async_callback(client.close)
        await client.setup([], Options("observe", True, one.command, one.url))
        with pytest.raises(RpcError, match="algenta"):
            await client.list()
        for name in ("get_contract", "execute_decision", flat_name("get_contract"), "algenta__get_contract"):
            assert (await client.call(name, {}, "c"))["ok"] is False
        assert one.calls == []


async def test_the_control_before_one_that_answers_licet_serve_lists_the_profile_and_calls(tmp_path: Path) -> None:
    async with engine(tmp_path) as one, AsyncExitStack() as stack:
        client = McpSubject(licet_serve.start)
        stack.push_async_callback(client.close)
        await client.setup([], Options("observe", True, one.command, one.url))
        assert {tool["name"] for tool in await client.list()} == {*(profile("observe").tools or ())}
        assert (await client.call("get_contract", {}, "c"))["ok"] is True
        assert len(one.calls) == 1


@pytest.mark.parametrize(("status", "reason"), [(401, "unauthorized"), (429, "rate_limited")])
async def test_an_execution_that_the_engine_refuses_to_hear_is_no_gate_and_is_not_sent_again(
    status: int, reason: str, tmp_path: Path
) -> None:
    async with engine(tmp_path, f"call_status={status}") as one, connected(one) as (runtime, _):
        async with runtime.run(principal("model", "execute", server=SERVER)) as run:
            result = await run.call(f"{SERVER}.execute_decision", {})
        assert (result.success, result.code, result.effect, result.reason) == (False, "transport", "unknown", reason)
        assert "execution_blocked" not in str(result.content)
        assert len(one.calls) == 1


@pytest.mark.parametrize("name", ["observe", "govern", "execute"])
async def test_a_profile_of_which_an_engine_offers_nothing_is_a_named_error(name: str, tmp_path: Path) -> None:
    async with engine(tmp_path) as one, connected(one) as (runtime, _):
        elsewhere = principal("model", name, server="mcp/other")
        for begun in (runtime.begin, runtime.functions_for):
            with pytest.raises(ConfigurationError, match=f"the profile {name} resolves to no tool: mcp/other"):
                begun(elsewhere)
        with pytest.raises(ConfigurationError, match="resolves to no tool: local offers none"):
            openai_agents.tools(runtime, "model", profile=name)
        run = runtime.begin(principal("model", name, server=SERVER))  # the control
        assert len(run.principal.grants) == len(profile(name).tools or ())
        run.close()
        assert one.calls == []


async def test_observe_of_an_engine_whose_tools_nobody_calls_readers_is_a_named_error_and_no_empty_list(
    tmp_path: Path,
) -> None:
    async with engine(tmp_path) as one, connected(one, lambda name: None) as (runtime, _):
        for offered in (openai_agents.tools, langchain.tools, pydantic_ai.toolset):
            with pytest.raises(ConfigurationError, match=r"lists no tool: .* nobody said that they only read"):
                offered(runtime, "model", server=SERVER)
            offered(runtime, "model", profile="govern", server=SERVER)
        with pytest.raises(ConfigurationError, match="lists no tool"):
            runtime.functions_for(principal("model", server=SERVER))
