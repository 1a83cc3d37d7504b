"""Servers that fail under a contract: what the caller gets, what the report says, and what stands on the ledger."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from watching import CLOSED_S, Trouble, is_alive, trouble, trouble_http

from licet import Principal, Runtime
from licet.policy.operator import Word
from licet.ports import Line
from licet.sources.mcp.limits import McpLimits
from licet.sources.mcp.server import McpServer
from licet.testing import RecordingLedger

NAMES = "hang,die,deaf"
GRANTS = [f"mcp/faulty.{name}" for name in ("echo", *NAMES.split(","))]
WHO = Principal("somebody", grants=GRANTS, mode="workspace_write")
QUICK = McpLimits(list_s=2.0, probe_s=0.3, connect_s=10.0)


class Governed(NamedTuple):
    runtime: Runtime
    server: McpServer
    lines: tuple[Line, ...]
    ledger: RecordingLedger


@asynccontextmanager
async def governed(one: Trouble, *, idempotent: bool = False) -> AsyncIterator[Governed]:
    """A runtime over the faulty server, whose tools the operator calls idempotent or not."""
    ledger = RecordingLedger()
    runtime = Runtime(ledger=ledger)
    word = Word(approval=False, idempotent=idempotent)
    server = McpServer(one.spec, word=lambda name: word, note=runtime.note, limits=QUICK)
    try:
        yield Governed(runtime, server, await runtime.connect(server), ledger)
    finally:
        await server.close()
        runtime.close()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("exit_at_once=1", "exited"),
        ("same_cursor", "cursor_repeats"),
        ("tools=10000", "listing_too_long"),
        ("version=1999-01-01", "era_mismatch"),
        ("no_tools", "malformed"),
    ],
)
async def test_a_server_that_cannot_be_listed_is_a_line_and_its_tools_are_unavailable(
    tmp_path: Path, fault: str, reason: str
) -> None:
    async with trouble(tmp_path, fault) as one, governed(one) as here:
        (line,) = here.lines
        assert (line.server, line.state, line.reason) == ("mcp/faulty", "unavailable", reason)
        result = await here.runtime.call(WHO, "mcp/faulty.echo")
        assert (result.success, result.code, result.effect) == (False, "server_unavailable", "none")
        assert not one.asked("tools/call")
        assert here.ledger.kinds[-1] == "tool.refused"


@pytest.mark.parametrize(("status", "reason"), [(401, "unauthorized"), (429, "rate_limited")])
async def test_a_server_that_refuses_is_no_empty_list(tmp_path: Path, status: int, reason: str) -> None:
    async with trouble_http(tmp_path, f"status={status}") as one, governed(one) as here:
        (line,) = here.lines
        assert (line.state, line.reason) == ("unavailable", reason)
        assert (await here.runtime.call(WHO, "mcp/faulty.echo")).code == "server_unavailable"


async def test_a_cancelled_call_is_cancelled_at_its_server_and_abandoned_on_the_ledger(tmp_path: Path) -> None:
    async with trouble(tmp_path, f"names={NAMES}", "late") as one, governed(one) as here:
        call = asyncio.create_task(here.runtime.call(WHO, "mcp/faulty.hang"))
        await one.until("tools/call hang")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        (cancelled,) = await one.until("cancelled")
        assert cancelled.split()[1].isdecimal()
        assert here.ledger.kinds[-1] == "tool.abandoned"
        assert (await here.runtime.call(WHO, "mcp/faulty.echo")).success


async def test_a_server_that_lingers_gives_its_result_at_once_and_is_reaped_in_time(tmp_path: Path) -> None:
    async with trouble(tmp_path, f"names={NAMES}", "ignore_term", "ignore_eof") as one, governed(one) as here:
        began = time.monotonic()
        assert (await here.runtime.call(WHO, "mcp/faulty.deaf")).success
        assert time.monotonic() - began < CLOSED_S
        async with asyncio.timeout(CLOSED_S):
            await here.server.close()
        assert not any(map(is_alive, one.pids()))


@pytest.mark.parametrize("idempotent", [False, True])
async def test_a_session_that_is_lost_in_a_call_is_begun_anew_for_an_idempotent_tool_only(
    tmp_path: Path, idempotent: bool
) -> None:
    async with trouble_http(tmp_path, "session", "forgets_once") as one, governed(one, idempotent=idempotent) as here:
        began = time.monotonic()
        result = await here.runtime.call(WHO, "mcp/faulty.echo")
        if idempotent:
            assert result.success, result
            assert len(one.asked("http tools/call")) == 2
            assert len(one.asked("http initialize")) == 2
        else:
            assert (result.code, result.effect, result.reason) == ("transport", "unknown", "not_found")
            assert result.error
            assert time.monotonic() - began < 2
            assert len(one.asked("http tools/call")) == 1


@pytest.mark.parametrize("idempotent", [False, True])
async def test_a_stream_that_is_dropped_is_an_unknown_effect_at_once_and_never_sent_again_unasked(
    tmp_path: Path, idempotent: bool
) -> None:
    faults = ("call_kind=stream_then_drop",)
    async with trouble_http(tmp_path, *faults) as one, governed(one, idempotent=idempotent) as here:
        began = time.monotonic()
        result = await here.runtime.call(WHO, "mcp/faulty.echo")
        assert (result.code, result.effect, result.reason) == ("transport", "unknown", "closed")
        assert "unknown" in result.error
        assert time.monotonic() - began < 3
        assert len(one.asked("ran echo")) == (3 if idempotent else 1)


@pytest.mark.parametrize("idempotent", [False, True])
async def test_a_server_that_dies_in_mid_call_is_started_again_for_an_idempotent_tool_only(
    tmp_path: Path, idempotent: bool
) -> None:
    async with trouble(tmp_path, f"names={NAMES}") as one, governed(one, idempotent=idempotent) as here:
        result = await here.runtime.call(WHO, "mcp/faulty.die")
        assert (result.code, result.effect) == ("transport", "unknown")
        assert len(one.asked("tools/call die")) == (3 if idempotent else 1)
