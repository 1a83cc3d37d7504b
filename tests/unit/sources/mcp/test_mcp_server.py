"""A server as a source: listed once a turn, held against what was registered, and offered from a lock unstarted."""

import asyncio
import copy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from doubles import until
from licet import Principal, Runtime, ServerSpec
from licet.dialects.mcp import Definition, Quarantined, read_tool, spec_of
from licet.errors import ServerUnavailableError
from licet.policy.operator import Word
from licet.schema.pin import launch_pin, pin_of
from licet.sources.mcp.server import McpServer, Pinned
from licet.testing import RecordingLedger

SPEC = ServerSpec(id="git", command="/nonexistent/server")
STATUS = {
    "name": "status",
    "description": "The state of the tree.",
    "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
    "annotations": {"readOnlyHint": True},
}
PUSH = {"name": "push", "description": "Send.", "inputSchema": {"type": "object"}}
WHO = Principal("coder", grants=["mcp/git.status", "mcp/git.push"], mode="workspace_write")


class Far:
    """In place of a connection: lists what ``tools`` holds, counts, and can hold a listing up."""

    def __init__(self, *tools: Any) -> None:
        self.tools = [copy.deepcopy(tool) for tool in tools]
        self.times = 0
        self.called: list[tuple[str, Any, int]] = []
        self.generation = 1
        self.info = {"name": "far", "version": "1"}
        self.protocol_version = "2025-06-18"
        self.gate: asyncio.Event | None = None
        self.fails: Exception | None = None
        self.while_called: Any = lambda: None
        self.closed = 0

    async def list_tools(self) -> list[Any]:
        self.times += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.fails is not None:
            raise self.fails
        return copy.deepcopy(self.tools)

    async def listed(self) -> tuple[int, list[Any]]:
        generation = self.generation
        return generation, await self.list_tools()

    async def call(self, name: str, arguments: Any, *, on_progress: Any = None, generation: int = -1) -> dict[str, Any]:
        if generation != self.generation:
            raise ServerUnavailableError("another connection", reason="closed")
        self.called.append((name, arguments, generation))
        self.while_called()
        return {"content": [{"type": "text", "text": "done"}]}

    async def close(self) -> None:
        self.closed += 1


def over(far: Far, **options: Any) -> McpServer:
    server = McpServer(SPEC, **options)
    server._connection = far  # type: ignore[assignment]
    return server


@asynccontextmanager
async def connected(far: Far, ledger: RecordingLedger, **options: Any) -> AsyncIterator[tuple[Runtime, McpServer]]:
    runtime = Runtime(ledger=ledger)
    server = over(far, note=runtime.note, **options)
    await runtime.connect(server)
    far.times = 0
    try:
        yield runtime, server
    finally:
        await server.close()
        runtime.close()


def definition(raw: dict[str, Any]) -> Definition:
    read = read_tool(raw, SPEC)
    assert not isinstance(read, Quarantined)
    return read


@pytest.mark.requirement("pin.hash-at-registration")
async def test_what_is_listed_first_is_hashed_and_on_the_ledger_before_anything_is_called(
    ledger: RecordingLedger,
) -> None:
    async with connected(Far(STATUS, PUSH), ledger) as (runtime, _):
        [entry] = list(ledger.entries())
        assert (entry.kind, entry.run_id) == ("pin.first_use", "")
        for raw in (STATUS, PUSH):
            spec = spec_of(definition(raw), SPEC)
            assert pin_of(spec).whole.encode() in entry.body
            assert runtime.spec(spec.name) is not None
        assert launch_pin(SPEC).encode() in entry.body


@pytest.mark.requirement("pin.relist-once-per-turn")
async def test_a_turn_lists_once_before_its_first_call_however_many_calls_begin_at_once(
    ledger: RecordingLedger,
) -> None:
    far = Far(STATUS, PUSH)
    async with connected(far, ledger) as (runtime, _), runtime.run(WHO) as run:
        for turn in range(3):
            far.gate = asyncio.Event()
            async with run.turn():
                calls = [asyncio.create_task(run.call(name)) for name in ("mcp/git.status", "mcp/git.push") * 8]
                await until(lambda turn=turn: far.times > turn)
                assert far.called == [], "the listing comes before the first call"
                far.gate.set()
                assert all(result.success for result in await asyncio.gather(*calls))
                assert (await run.call("mcp/git.status")).success
            assert far.times == turn + 1
            far.called.clear()


@pytest.mark.requirement("pin.relist-once-per-turn")
async def test_a_call_outside_any_turn_is_a_turn_of_its_own(ledger: RecordingLedger) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, _):
        for number in range(1, 4):
            assert (await runtime.call(WHO, "mcp/git.status")).success
            assert far.times == number


async def test_who_leaves_while_the_listing_is_awaited_does_not_take_it_from_the_others(
    ledger: RecordingLedger,
) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, _), runtime.run(WHO) as run, run.turn():
        far.gate = asyncio.Event()
        first, second = (asyncio.create_task(run.call("mcp/git.status")) for _ in range(2))
        await until(lambda: far.times)
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        far.gate.set()
        assert (await second).success
        assert (far.times, len(far.called)) == (1, 1)


async def test_a_listing_that_failed_is_tried_again_by_the_next_call_of_the_turn(ledger: RecordingLedger) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, _), runtime.run(WHO) as run, run.turn():
        far.fails = ServerUnavailableError("no answer", reason="no_answer")
        result = await run.call("mcp/git.status")
        assert (result.code, result.reason, result.effect) == ("server_unavailable", "no_answer", "none")
        assert far.called == []
        far.fails = None
        assert (await run.call("mcp/git.status")).success


@pytest.mark.parametrize("event", ["reconnected", "list_changed"])
async def test_a_server_that_reconnects_or_says_that_it_changed_is_listed_again_before_its_next_call(
    event: str, ledger: RecordingLedger
) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, server), runtime.run(WHO) as run, run.turn():
        assert (await run.call("mcp/git.status")).success
        far.tools[0]["description"] = "Something else."
        if event == "reconnected":
            far.generation += 1
        else:
            server._changed()
        result = await run.call("mcp/git.status")
        assert (result.code, result.reason) == ("schema_changed", "description")
        assert (far.times, len(far.called)) == (2, 1)


async def test_a_result_is_marked_when_its_server_says_meanwhile_that_its_tools_changed(
    ledger: RecordingLedger,
) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, server):
        far.while_called = server._changed
        result = await runtime.call(WHO, "mcp/git.status")
        assert (result.success, result.metadata) == (True, {"definition": "changed_since_listing"})


async def test_a_change_is_told_to_whoever_asked_to_hear_of_it() -> None:
    heard: list[str] = []
    server = over(Far(STATUS))
    server.on_changed = lambda: heard.append("changed")
    server._changed()
    assert heard == ["changed"]


@pytest.mark.requirement("pin.changed-tool-refused")
@pytest.mark.parametrize(
    ("change", "code", "reason"),
    [
        ({"description": "x"}, "schema_changed", "description"),
        ({"description": "x", "title": "y"}, "schema_changed", "several_parts"),
        ({"inputSchema": {"type": "int"}}, "quarantined", None),
        ({"inputSchema": None}, "quarantined", None),
        ({"name": "moved"}, "schema_changed", "vanished"),
    ],
)
async def test_a_changed_tool_is_refused_and_its_sibling_works(
    change: dict[str, Any], code: str, reason: str | None, ledger: RecordingLedger
) -> None:
    far = Far(STATUS, PUSH)
    async with connected(far, ledger) as (runtime, _):
        far.tools[0] |= change
        for _ in range(2):
            result = await runtime.call(WHO, "mcp/git.status")
            assert (result.code, result.effect) == (code, "none")
            assert reason in (None, result.reason)
        assert (await runtime.call(WHO, "mcp/git.push")).success
        assert [name for name, *_ in far.called] == ["push"]
        changes = [entry for entry in ledger.entries() if entry.kind == "pin.changed"]
        assert len(changes) == (code == "schema_changed"), "said once"


async def test_a_tool_that_is_listed_twice_is_not_listed(ledger: RecordingLedger) -> None:
    far = Far(STATUS)
    async with connected(far, ledger) as (runtime, _):
        far.tools.append({**STATUS, "description": "The other."})
        assert (await runtime.call(WHO, "mcp/git.status")).reason == "vanished"
        assert far.called == []


async def test_a_locked_server_is_offered_without_being_reached(ledger: RecordingLedger) -> None:
    far = Far(STATUS, PUSH)
    pinned = Pinned(launch_pin(SPEC), {"status": definition(STATUS)})
    async with connected(far, ledger, pinned=pinned) as (runtime, _):
        assert [spec.name for spec in runtime.tools_for(WHO)] == ["mcp/git.status"]
        assert far.times == 0
        result = await runtime.call(WHO, "mcp/git.push")
        assert (result.code, result.effect, result.metadata["remedy"]) == ("not_pinned", "none", "licet lock")
        assert far.times == 0, "what is not pinned is refused without asking the server"
        assert (await runtime.call(WHO, "mcp/git.status")).success
        assert "pin.first_use" not in ledger.kinds


async def test_a_server_that_is_in_no_lock_offers_nothing_and_is_not_reached(ledger: RecordingLedger) -> None:
    far = Far(STATUS)
    runtime = Runtime(ledger=ledger)
    [line] = await runtime.connect(over(far, pinned=Pinned("", {})))
    assert (line.server, line.state) == ("mcp/git", "not_pinned")
    assert (await runtime.call(WHO, "mcp/git.status")).code == "not_pinned"
    assert far.times == 0


@pytest.mark.requirement("mcp.idempotency-from-hints")
@pytest.mark.parametrize(
    ("hints", "idempotent"),
    [
        ({}, False), ({"readOnlyHint": True}, True), ({"idempotentHint": True}, True),
        ({"readOnlyHint": False, "idempotentHint": False}, False), ({"destructiveHint": False}, False),
    ],
)  # fmt: skip
async def test_hints_decide_what_is_tried_again_and_nothing_else(
    hints: dict[str, Any], idempotent: bool, ledger: RecordingLedger
) -> None:
    async with connected(Far({**STATUS, "annotations": hints}), ledger) as (runtime, _):
        spec = runtime.spec("mcp/git.status")
        assert spec is not None
        assert spec.capabilities.idempotent is idempotent
        assert not spec.capabilities.read_only
        reader = Principal("reader", grants=["mcp/git.status"])
        assert runtime.tools_for(reader) == [], "a hint alone shows no tool to a run that only reads"
        assert (await runtime.call(reader, "mcp/git.status")).code == "mode_forbids"


async def test_the_operators_word_shows_a_tool_to_a_run_that_only_reads(ledger: RecordingLedger) -> None:
    words = {"mcp/git.status": Word(read_only="hinted"), "mcp/git.push": Word(read_only="hinted")}
    async with connected(Far(STATUS, PUSH), ledger, word=words.get) as (runtime, _):
        reader = Principal("reader", grants=["mcp/git.status", "mcp/git.push"])
        assert [spec.name for spec in runtime.tools_for(reader)] == ["mcp/git.status"]


async def test_closing_a_server_closes_its_connection() -> None:
    far = Far()
    await over(far).close()
    assert far.closed == 1
