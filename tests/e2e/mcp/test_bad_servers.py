"""Servers that fail before they are of use: each is a typed error, and nobody else's trouble."""

import asyncio
import time
from pathlib import Path

import pytest
from watching import QUICK, trouble

from licet.errors import ServerUnavailableError
from licet.sources.mcp.limits import McpLimits

SECRET = "s3cret-canary-value"


async def refused(listing: object) -> ServerUnavailableError:
    with pytest.raises(ServerUnavailableError) as caught:
        await listing  # type: ignore[misc]
    return caught.value


async def test_a_command_that_is_missing_starts_nothing(tmp_path: Path) -> None:
    async with trouble(tmp_path, command="no-such-command-of-anybody") as one:
        error = await refused(one.list_tools())
        assert error.reason == "spawn_failed"
        assert "mcp/faulty" in str(error)
        assert one.notes == [("mcp.unavailable", {"server": "mcp/faulty", "reason": "spawn_failed"})]


async def test_a_file_that_cannot_be_executed_is_no_command(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    async with trouble(tmp_path, command=str(tmp_path / "notes.txt")) as one:
        assert (await refused(one.call("echo", {}))).reason == "spawn_failed"


async def test_a_server_that_exits_at_once_says_its_last_words_escaped_and_without_secrets(tmp_path: Path) -> None:
    said = f"stderr=\x1b[31mno database; token {SECRET}"
    async with trouble(tmp_path, "exit_at_once=7", said, env={"TOKEN": SECRET}) as one:
        error = await refused(one.list_tools())
        assert error.reason == "exited"
        assert "no database" in str(error)
        assert "\x1b" not in str(error)
        assert SECRET not in str(error)
        assert len(one.asked("start")) == 1


async def test_a_server_that_exits_in_the_handshake_was_started_once(tmp_path: Path) -> None:
    async with trouble(tmp_path, "exit_in_init=3") as one:
        assert (await refused(one.list_tools())).reason == "exited"
        assert len(one.asked("start")) == 1


async def test_a_server_that_hangs_in_initialize_is_given_up_in_time(tmp_path: Path) -> None:
    async with trouble(tmp_path, "noinit", limits=QUICK._replace(connect_s=2.0)) as one:
        began = time.monotonic()
        assert (await refused(one.list_tools())).reason == "no_answer"
        assert time.monotonic() - began < 4


async def test_a_server_that_never_answers_discover_costs_the_probe_once(tmp_path: Path) -> None:
    async with trouble(tmp_path, "nodiscover") as one:
        began = time.monotonic()
        assert await one.list_tools()
        assert time.monotonic() - began < 5, "the SDK's own ten seconds were waited for"
        with pytest.raises(ConnectionError):
            await one.call("die", {})
        assert await one.list_tools()
        assert len(one.asked("start")) == 2
        assert len(one.asked("server/discover")) == 1, "its era was forgotten"


async def test_a_modern_server_that_is_slow_to_start_is_asked_once_more(tmp_path: Path) -> None:
    async with trouble(tmp_path, "modern", "slow_discover=0.8") as one:
        assert await one.list_tools()
        assert one.connection.protocol_version == "2026-07-28"
        assert len(one.asked("start")) == 1
        assert len(one.asked("server/discover")) == 2


async def test_a_version_that_nobody_knows_is_a_mismatch(tmp_path: Path) -> None:
    async with trouble(tmp_path, "version=1999-01-01") as one:
        assert (await refused(one.list_tools())).reason == "era_mismatch"


async def test_a_banner_before_the_handshake_is_survived(tmp_path: Path) -> None:
    async with trouble(tmp_path, "banner") as one:
        assert await one.list_tools()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("same_cursor", "cursor_repeats"),
        ("endless", "listing_too_long"),
        ("fat_pages=3000000", "listing_too_long"),
        ("fat_pages=9000000", "too_long"),
        ("tools=10000", "listing_too_long"),
        ("nolist", "no_answer"),
        ("no_tools", "malformed"),
        ("list_error=out of order", "server_error"),
    ],
)
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_listing_that_cannot_be_used_is_an_error_and_no_empty_list(
    tmp_path: Path, fault: str, reason: str, era: str
) -> None:
    async with trouble(tmp_path, fault, era) as one:
        error = await refused(one.list_tools())
        assert error.reason == reason
        assert len(one.asked("start")) == 1
        assert not one.asked("tools/call")


async def test_ten_thousand_tools_are_listed(tmp_path: Path) -> None:
    async with trouble(tmp_path, "tools=9999", limits=McpLimits()) as one:
        assert len(await one.list_tools()) == 10_000


async def test_tools_that_no_model_would_take_are_handed_on_as_they_came(tmp_path: Path) -> None:
    async with trouble(tmp_path, "badtool") as one:
        tools = await one.list_tools()
        assert tools[1:] == [{"name": "no_schema"}, {"name": 7, "inputSchema": []}, "no object"]


async def test_a_server_that_fails_again_and_again_is_left_alone_for_a_while(tmp_path: Path) -> None:
    async with trouble(tmp_path, "exit_at_once=1", limits=QUICK._replace(least_pause_s=1.2, patience_s=0.1)) as one:
        errors = [await refused(one.list_tools()) for _ in range(20)]
        assert {error.reason for error in errors} == {"exited"}
        assert len(one.asked("start")) == 1
        assert "again in" in str(errors[-1])


async def test_twenty_first_uses_start_one_process(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await asyncio.gather(*(one.call("echo", {}) for _ in range(20)))
        assert len(one.asked("start")) == 1
        assert len(one.asked("initialize")) == 1


async def test_whoever_stops_waiting_for_a_connection_leaves_it_to_the_others(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        first = asyncio.create_task(one.call("echo", {}))
        second = asyncio.create_task(one.call("echo", {}))
        await asyncio.sleep(0)
        first.cancel()
        assert await second
        assert first.cancelled()
        assert len(one.asked("start")) == 1


async def test_a_connection_that_was_closed_is_used_no_more(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})
        await one.connection.close()
        assert (await refused(one.call("echo", {}))).reason == "closed"
        assert one.connection.state == "closed"
        assert len(one.asked("start")) == 1


async def test_it_is_closed_while_it_is_being_made(tmp_path: Path) -> None:
    async with trouble(tmp_path, "noinit") as one:
        waiting = asyncio.create_task(one.list_tools())
        await one.until("initialize")
        await one.connection.close()
        assert (await refused(waiting)).reason == "closed"
