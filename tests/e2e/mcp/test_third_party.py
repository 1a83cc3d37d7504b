"""Servers that other people wrote, installed from the registries: each under grants, and pinned."""

from pathlib import Path
from typing import Any

import pytest

from licet import Runtime
from licet.dialects.mcp import Definition
from licet.model.context import PROGRESS
from licet.model.principal import Principal
from licet.model.server import ServerSpec
from licet.model.tool import Annotations
from licet.schema.pin import launch_pin
from licet.sources.mcp.server import McpServer, Pinned
from peers.http_relay import HttpRelay
from peers.installed import peers  # noqa: F401 - installs them
from peers.relay import CHANGED
from peers.servers import (
    EVERYTHING,
    LEGACY,
    MEMORY,
    SQLITE,
    STDIO,
    Peer,
    everything_over_http,
    relayed,
    text_of,
)

ARGUMENTS_OF_NOBODY = {"path": "x", "content": "x"}


def reached(peer: Peer, folder: Path, *options: "str | Path") -> McpServer:
    command, *args = relayed(peer.command(folder), folder / "log", *options)
    return McpServer(ServerSpec(id=peer.id, command=command, args=tuple(args), env=peer.env(folder)))


def holder(*names: str, mode: Any = "workspace_write") -> Principal:
    return Principal("alice", grants=[f"mcp/{name}" for name in names], mode=mode)


def passed(folder: Path) -> list[str]:
    """What reached the server so far."""
    return (folder / "log").read_text().splitlines()


@pytest.mark.parametrize("peer", STDIO, ids=lambda peer: peer.id)
@pytest.mark.requirement("mcp.stdio")
async def test_a_server_of_others_is_listed_and_called_under_a_grant_and_refused_without(
    peer: Peer, tmp_path: Path
) -> None:
    server = reached(peer, tmp_path)
    with Runtime() as runtime:
        await runtime.connect(server)
        try:
            alice = holder(f"{peer.id}.{peer.granted}")
            result = await runtime.call(alice, f"mcp/{peer.id}.{peer.granted}", dict(peer.arguments(tmp_path)))
            assert result.success, result.error
            assert peer.says in text_of(result.blocks)
            assert "tools/call " + peer.granted in passed(tmp_path)
            before = passed(tmp_path)
            refused = await runtime.call(alice, f"mcp/{peer.id}.{peer.ungranted}", dict(ARGUMENTS_OF_NOBODY))
            assert (refused.success, refused.code, refused.effect) == (False, "not_granted", "none")
            assert passed(tmp_path) == before
            assert names_of(runtime) == peer.tools
            assert await era_of(server) == peer.era
        finally:
            await server.close()


@pytest.mark.parametrize("peer", STDIO, ids=lambda peer: peer.id)
async def test_an_ungranted_call_of_a_pinned_server_starts_no_process(peer: Peer, tmp_path: Path) -> None:
    spec = reached(peer, tmp_path).spec
    schema = {"type": "object"}
    tools = {name: Definition(name, None, "Pinned.", schema, None, Annotations()) for name in peer.tools}
    with Runtime() as runtime:
        await runtime.connect(McpServer(spec, pinned=Pinned(launch_pin(spec), tools)))
        refused = await runtime.call(holder(), f"mcp/{peer.id}.{peer.granted}", dict(peer.arguments(tmp_path)))
        assert (refused.code, refused.effect) == ("not_granted", "none")
        assert names_of(runtime) == peer.tools
        assert not (tmp_path / "log").exists()  # the relay makes it first of all


@pytest.mark.parametrize("peer", STDIO, ids=lambda peer: peer.id)
@pytest.mark.requirement("pin.changed-tool-refused")
async def test_a_description_that_changes_after_the_listing_refuses_the_next_call(peer: Peer, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    server = reached(peer, tmp_path, "--change", peer.granted, "--when", changed)
    name, arguments = f"mcp/{peer.id}.{peer.granted}", dict(peer.arguments(tmp_path))
    with Runtime() as runtime:
        await runtime.connect(server)
        try:
            alice = holder(f"{peer.id}.{peer.granted}")
            assert (await runtime.call(alice, name, arguments)).success
            changed.touch()
            refused = await runtime.call(alice, name, arguments)
            assert (refused.success, refused.code, refused.effect) == (False, "schema_changed", "none")
            assert refused.reason == "description"
            assert CHANGED not in (refused.error or "")
            assert (await runtime.call(alice, name, arguments)).code == "schema_changed"
            assert passed(tmp_path).count("tools/call " + peer.granted) == 1
            await runtime.connect(server)  # registered again, as it is now
            assert (await runtime.call(alice, name, arguments)).success
        finally:
            await server.close()


@pytest.mark.requirement("mcp.streamable-http")
async def test_a_server_over_http_is_listed_called_refused_and_pinned() -> None:
    name = f"mcp/everything.{EVERYTHING.granted}"
    with everything_over_http() as url, HttpRelay(url) as relay, Runtime() as runtime:
        server = McpServer(ServerSpec(id="everything", url=relay.url))
        await runtime.connect(server)
        try:
            alice = holder(f"everything.{EVERYTHING.granted}")
            result = await runtime.call(alice, name, {"message": "over HTTP"})
            assert result.success, result.error
            assert "over HTTP" in text_of(result.blocks)
            assert names_of(runtime) == EVERYTHING.tools
            assert await era_of(server) == LEGACY
            before = calls(relay)
            assert (await runtime.call(alice, "mcp/everything.get-env", {})).code == "not_granted"
            assert calls(relay) == before == ["tools/call echo"]
            relay.change = "echo"
            refused = await runtime.call(alice, name, {"message": "again"})
            assert (refused.code, refused.effect, refused.reason) == ("schema_changed", "none", "description")
            assert calls(relay) == before
        finally:
            await server.close()


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_progress_and_images_of_a_server_arrive_as_they_were_sent(transport: str, tmp_path: Path) -> None:
    if transport == "stdio":
        await progress_and_images(reached(EVERYTHING, tmp_path))
        return
    with everything_over_http() as url:
        await progress_and_images(McpServer(ServerSpec(id="everything", url=url)))


async def progress_and_images(server: McpServer) -> None:
    told: list[tuple[float, float | None]] = []
    with Runtime() as runtime:
        await runtime.connect(server)
        try:
            alice = holder("everything.trigger-long-running-operation", "everything.get-tiny-image")
            listening = PROGRESS.set(lambda progress, total, message: told.append((progress, total)))
            slow = await runtime.call(
                alice, "mcp/everything.trigger-long-running-operation", {"duration": 0.2, "steps": 4}
            )
            PROGRESS.reset(listening)
            assert slow.success, slow.error
            assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
            image = await runtime.call(alice, "mcp/everything.get-tiny-image", {})
            shown = [block for block in image.blocks if block["type"] == "image"]
            assert [block["mimeType"] for block in shown] == ["image/png"]
            assert shown[0]["data"].startswith("iVBORw0KGgo")
        finally:
            await server.close()


async def test_a_tool_that_only_runs_as_a_task_is_no_tool_and_has_its_line(tmp_path: Path) -> None:
    server = reached(EVERYTHING, tmp_path)
    with Runtime() as runtime:
        lines = await runtime.connect(server)
        try:
            held_back = {line.tool: (line.state, line.reason) for line in lines if line.tool}
            assert [state for state, _ in held_back.values()] == ["quarantined"]
            assert "simulate-research-query" in next(iter(held_back))
        finally:
            await server.close()


async def test_tools_without_annotations_are_hidden_in_a_read_only_run(tmp_path: Path) -> None:
    server = reached(SQLITE, tmp_path)
    everything = [f"sqlite.{tool}" for tool in SQLITE.tools]
    with Runtime() as runtime:
        await runtime.connect(server)
        try:
            reader, writer = holder(*everything, mode="read_only"), holder(*everything)
            assert [spec.name for spec in runtime.tools_for(reader)] == []
            assert len(runtime.tools_for(writer)) == len(SQLITE.tools)
            before = passed(tmp_path)
            hidden = await runtime.call(reader, "mcp/sqlite.read_query", {"query": "select 1"})
            assert (hidden.success, hidden.effect) == (False, "none")
            assert passed(tmp_path) == before
        finally:
            await server.close()


@pytest.mark.parametrize(("peer", "sent"), [(SQLITE, 1), (MEMORY, 2)], ids=["no hint", "idempotent"])
@pytest.mark.requirement("mcp.never-retry-non-idempotent")
async def test_a_call_whose_server_dies_is_sent_again_only_if_the_tool_is_idempotent(
    peer: Peer, sent: int, tmp_path: Path
) -> None:
    server = reached(peer, tmp_path, "--drop", peer.granted, "--once", tmp_path / "dropped")
    with Runtime() as runtime:
        await runtime.connect(server)
        try:
            alice = holder(f"{peer.id}.{peer.granted}")
            name = f"mcp/{peer.id}.{peer.granted}"
            result = await runtime.call(alice, name, dict(peer.arguments(tmp_path)))
            assert passed(tmp_path).count("tools/call " + peer.granted) == sent
            if sent == 1:
                assert (result.success, result.effect) == (False, "unknown")
                assert result.metadata["retry"] == "not_retried"
            else:
                assert result.success, result.error
        finally:
            await server.close()


def names_of(runtime: Runtime) -> set[str]:
    """Each registered tool by its server's own name for it."""
    return {spec.name.split(".", 1)[1] for spec in runtime.specs()}


async def era_of(server: McpServer) -> str:
    _, _, about = await server.list_definitions()
    return str(about["protocol"])


def calls(relay: HttpRelay) -> list[str]:
    return [what for what in relay.passed if what.startswith("tools/call")]
