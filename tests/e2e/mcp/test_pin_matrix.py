"""A tool that is not what was pinned is refused, whatever changed and whenever it changed; what is equal never is."""

import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from licet import Principal, Runtime
from licet.dialects.mcp import Definition, Quarantined, read_tool, spec_of
from licet.model.server import ServerSpec
from licet.schema.pin import launch_pin, pin_of
from licet.sources.mcp.server import McpServer, Pinned
from licet.testing import RecordingLedger
from peers.shifting import CHANGES, TOOL

PEER = Path(__file__).parents[2] / "peers" / "shifting.py"
WHO = Principal("reader", grants=["mcp/peer.look", "mcp/peer.listen"], mode="workspace_write")
LOOK, LISTEN = "mcp/peer.look", "mcp/peer.listen"


class Peer(NamedTuple):
    spec: ServerSpec
    state: Path
    log: Path

    def become(self, change: str) -> None:
        self.state.write_text(change, "utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()] if self.log.exists() else []


@pytest.fixture
def peer(tmp_path: Path) -> Peer:
    state, log = tmp_path / "state", tmp_path / "log"
    spec = ServerSpec(id="peer", command=sys.executable, args=(str(PEER), str(state), str(log)))
    return Peer(spec, state, log)


def definition(raw: dict[str, Any], spec: ServerSpec) -> Definition:
    read = read_tool(raw, spec)
    assert not isinstance(read, Quarantined), read
    return read


@asynccontextmanager
async def connected(peer: Peer, ledger: RecordingLedger, *, locked: bool) -> AsyncIterator[Runtime]:
    """A runtime over the peer; with ``locked`` its definitions come from a lock, and nothing is started yet."""
    pinned = None
    if locked:
        tools = {
            name: definition({**TOOL, "name": name, "title": name.title()}, peer.spec) for name in ("look", "listen")
        }
        pinned = Pinned(launch_pin(peer.spec), tools)
    runtime = Runtime(ledger=ledger)
    server = McpServer(peer.spec, pinned=pinned, note=runtime.note)
    try:
        lines = await runtime.connect(server)
        assert [line.state for line in lines] == ["ready" if locked else "first_use"]
        yield runtime
    finally:
        await server.close()
        runtime.close()


async def before_the_first_listing(peer: Peer, runtime: Runtime, change: str) -> Any:
    peer.become(change)
    return await runtime.call(WHO, LOOK, {"where": "here"})


async def between_registration_and_relist(peer: Peer, runtime: Runtime, change: str) -> Any:
    assert (await runtime.call(WHO, LOOK)).success
    peer.become(change)
    return await runtime.call(WHO, LOOK, {"where": "here"})


async def in_mid_call(peer: Peer, runtime: Runtime, change: str) -> Any:
    async with runtime.run(WHO) as run:
        async with run.turn():
            assert (await run.call(LOOK, {"then": change})).success
            assert (await run.call(LOOK)).success, "the re-list of this turn is past"
        async with run.turn():
            return await run.call(LOOK, {"where": "here"})


async def after_a_reconnect(peer: Peer, runtime: Runtime, change: str) -> Any:
    async with runtime.run(WHO) as run, run.turn():
        assert (await run.call(LOOK, {"then": change, "leave": True})).success
        result = await run.call(LOOK, {"where": "here"})
        while result.code == "transport":  # sent before its end was seen, and never answered
            result = await run.call(LOOK, {"where": "here"})
        return result


MOMENTS = {
    "before_the_first_listing": (before_the_first_listing, True, 0),
    "between_registration_and_relist": (between_registration_and_relist, False, 1),
    "in_mid_call": (in_mid_call, False, 2),
    "after_a_reconnect": (after_a_reconnect, False, 1),
}


@pytest.mark.requirement("pin.changed-tool-refused")
@pytest.mark.requirement("own.pin-whole-definition")
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_definition_refuses_the_call_whatever_changed_and_whenever(
    change: str, moment: str, peer: Peer, ledger: RecordingLedger
) -> None:
    act, locked, calls_before = MOMENTS[moment]
    async with connected(peer, ledger, locked=locked) as runtime:
        result = await act(peer, runtime, change)
        assert (result.code, result.effect) == ("schema_changed", "none"), result
        assert len(peer.calls) == calls_before, "nothing reached the tool"
        assert ledger.kinds[-1] == "tool.refused"
        assert "pin.changed" in ledger.kinds
        assert (await runtime.call(WHO, LISTEN)).success, "its unchanged sibling works"


@pytest.mark.requirement("pin.changed-tool-refused")
@pytest.mark.parametrize("change", ["vanished", "renamed"])
async def test_a_tool_that_is_not_listed_any_more_is_refused(change: str, peer: Peer, ledger: RecordingLedger) -> None:
    async with connected(peer, ledger, locked=False) as runtime:
        peer.become(change)
        result = await runtime.call(WHO, LOOK)
        assert (result.code, result.reason, peer.calls) == ("schema_changed", "vanished", [])
        anywhere = Principal("reader", grants=["mcp/peer.look_around"], mode="workspace_write")
        assert (await runtime.call(anywhere, "mcp/peer.look_around")).code == "unknown_tool", "a new name is not pinned"


@pytest.mark.requirement("pin.changed-tool-refused")
async def test_a_changed_tool_is_refused_until_it_is_registered_again(peer: Peer, ledger: RecordingLedger) -> None:
    runtime = Runtime(ledger=ledger)
    server = McpServer(peer.spec, note=runtime.note)
    try:
        await runtime.connect(server)
        peer.become("description")
        for _ in range(3):
            assert (await runtime.call(WHO, LOOK)).code == "schema_changed"
        await runtime.connect(server)
        assert (await runtime.call(WHO, LOOK)).success
    finally:
        await server.close()
        runtime.close()


@pytest.mark.requirement("own.pin-whole-definition")
async def test_the_same_server_under_another_command_is_refused_and_not_started(
    peer: Peer, ledger: RecordingLedger
) -> None:
    tools = {"look": definition(TOOL, peer.spec)}
    other = ServerSpec(id="peer", command=sys.executable, args=(*peer.spec.args, "--more"))
    runtime = Runtime(ledger=ledger)
    server = McpServer(other, pinned=Pinned(launch_pin(peer.spec), tools), note=runtime.note)
    lines = await runtime.connect(server)
    assert [(line.state, line.reason) for line in lines] == [("drifted", "launch")]
    result = await runtime.call(WHO, LOOK)
    assert (result.code, result.reason, result.effect) == ("schema_changed", "launch", "none")
    assert runtime.tools_for(WHO) == []
    assert peer.calls == []
    await server.close()
    runtime.close()


def reserialised(value: Any, chance: random.Random) -> Any:
    """The same value with its keys in another order, and whole numbers with a fraction of nothing."""
    if isinstance(value, dict):
        items = list(value.items())
        chance.shuffle(items)
        return {key: reserialised(member, chance) for key, member in items}
    if isinstance(value, list):
        return [reserialised(item, chance) for item in value]
    if type(value) is int and chance.random() < 0.5:
        return float(value)
    return value


@pytest.mark.requirement("own.pin-whole-definition")
def test_a_thousand_equal_serialisations_are_the_same_definition(peer: Peer) -> None:
    chance = random.Random(7)
    raw = {**TOOL, "inputSchema": {**TOOL["inputSchema"], "minProperties": 0, "maxProperties": 12}}
    pin = pin_of(spec_of(definition(raw, peer.spec), peer.spec))
    for _ in range(1000):
        other = reserialised(raw, chance)
        if chance.random() < 0.5:
            other["inputSchema"] = {**other["inputSchema"], "title": None}  # a null at the root is lost on some hops
        other |= {"icons": [], "_meta": {"vendor": chance.random()}} if chance.random() < 0.5 else {}
        text = json.dumps(other, indent=chance.choice([None, 1, 4]))
        assert pin_of(spec_of(definition(json.loads(text), peer.spec), peer.spec)) == pin
