"""The oracle in this process, over standard input and output, and over HTTP: one contract, one omen, byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from grove import ORACLE, PATIENCE_S, oracle_over_http

from licet import Runtime
from licet.bundles.grove import tools
from licet.doors.mcp import MCPResolver, MCPToolClient
from licet.doors.mcp.environment import oracle_server
from licet.doors.registry import ToolRegistry
from licet.model.principal import Principal
from licet.model.server import ServerSpec
from licet.testing import RecordingLedger

ODD = ["", " ", "a\nb", "\0", "é", "e\u0301", "🙂", "x" * 9_999, "7", "{}"]
SEEDS = [*(f"seed {number}" for number in range(990)), *ODD]
AT_ONCE = 32
TELLER = Principal("fortune-teller", grants=["oracle"], mode="workspace_write")


@asynccontextmanager
async def registry_over(server: ServerSpec | None) -> AsyncIterator[tuple[ToolRegistry, Any]]:
    """A registry with the oracle in process, or behind a resolver; and what a model is shown of it."""
    with ToolRegistry(ledger=RecordingLedger()) as registry:
        if server is None:
            yield registry, registry.register(tools()[0]).model_tool
        else:
            client = MCPToolClient(server)
            registry.set_resolver(MCPResolver([client]), owned=True)
            yield registry, client.list_tools()[0].model_tool


@contextmanager
def reached(transport: str) -> Iterator[ServerSpec]:
    if transport == "stdio":
        yield oracle_server()
    else:
        with oracle_over_http() as url:
            yield ServerSpec(id="server1", url=url)


@pytest.mark.requirement("grove.same-omen-over-mcp", "oracle.deterministic")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_thousand_omens_are_the_same_bytes_over_every_transport(transport: str) -> None:
    assert len(set(SEEDS)) == 1_000
    here = asyncio.run(omens(None))
    assert len(set(here)) > 990, "they differ from each other"
    with reached(transport) as server:
        assert asyncio.run(omens(server)) == here


async def omens(server: ServerSpec | None) -> list[bytes]:
    """The bytes of each, by one connection and in one turn. A machine that does much else at a time gets more of it."""
    async with (
        asyncio.timeout(4 * PATIENCE_S),
        registry_over(server) as (registry, _),
        registry.runtime.run(TELLER) as run,
        run.turn(),
    ):
        drawn: list[bytes] = []
        for first in range(0, len(SEEDS), AT_ONCE):
            asked = [run.call("oracle", {"seed": seed}) for seed in SEEDS[first : first + AT_ONCE]]
            results = await asyncio.gather(*asked)
            assert [result.error for result in results if not result.success] == []
            drawn += [result.json for result in results]
        return drawn


@pytest.mark.requirement("grove.same-omen-over-mcp")
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_prompts_and_what_happened_are_the_same_over_every_transport(transport: str) -> None:
    here = await told(None)
    with reached(transport) as server:
        there = await told(server)
    assert there[:3] == here[:3]
    assert (here[3], there[3]) == ("in_process", f"mcp_{transport}"), "and the trace says how"


async def told(server: ServerSpec | None) -> tuple[Any, ...]:
    """The description for a prompt, the schema for a model, the entries with their digests, and the way of the last."""
    async with registry_over(server) as (registry, shown), registry.runtime.run(TELLER, id="oracle") as run:
        for number, seed in enumerate(ODD):
            await run.call("oracle", {"seed": seed}, call_id=f"draw-{number}")
        assert (await run.call("oracle", {"seed": 7})).code == "invalid_arguments"
        entries = [entry for entry in registry.runtime.ledger.entries() if entry.run_id == "oracle"]
        assert [entry.kind for entry in entries] == ["tool.requested", "tool.completed"] * len(ODD) + ["tool.refused"]
        del entries[-1]
        happened = [(entry.kind, entry.actor, entry.body, entry.digest) for entry in entries]
        model = (shown.description, shown.input_schema.json, shown.strict)
        via = orjson.loads(entries[-1].trace)["via"]
        return registry.describe(["oracle", "local/oracle"]), model, happened, via


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_server_serves_clients_of_both_eras(mode: str) -> None:
    from mcp import Client, StdioServerParameters

    command, *args = ORACLE
    with oracle_over_http() as url:
        for target in (StdioServerParameters(command=command, args=args), url):
            async with Client(target, mode=mode) as client:
                listed = (await client.list_tools()).tools
                answer = await client.call_tool("oracle", {"seed": "red"})
                wrong = await client.call_tool("oracle", {"seed": 7})
                spoken = client.protocol_version
            assert spoken == ("2026-07-28" if mode == "auto" else "2025-11-25")
            assert [tool.name for tool in listed] == ["oracle"]
            assert listed[0].annotations is not None
            assert listed[0].annotations.read_only_hint is listed[0].annotations.idempotent_hint is True
            omen = {"omen": "A rusted orchard outlives its maker between two rivers."}
            assert answer.structured_content == omen
            assert orjson.loads(answer.content[0].text) == omen  # type: ignore[union-attr]
            assert wrong.is_error, "the server checks its arguments itself"


def test_a_client_gives_the_tools_dict_and_its_contract() -> None:
    with MCPToolClient(oracle_server()) as client:
        assert client.call("oracle", {"seed": "red"})["omen"].startswith("A rusted orchard")
        seen = client.find("oracle")
    assert seen is not None
    assert (seen.spec.source, seen.spec.group, seen.spec.name) == ("mcp", "mcp/server1", "mcp/server1.oracle")


async def test_without_the_word_of_the_operator_a_servers_hint_lists_nothing_in_a_read_only_run() -> None:
    stranger = ServerSpec(id="server1", command=ORACLE[0], args=ORACLE[1:])
    reader = SimpleNamespace(tools=["oracle"], mode="read_only")
    with ToolRegistry() as registry:
        registry.set_resolver(MCPResolver([MCPToolClient(stranger)]), owned=True)
        with pytest.raises(PermissionError):
            registry.call("x", reader, "oracle", {"seed": "red"})
    with Runtime() as runtime, pytest.raises(KeyError):
        (await runtime.call(TELLER, "oracle", {"seed": "red"})).unwrap()
