"""Servers that fail in the middle of a call: what is known of its effect, and who else feels it."""

import asyncio
import gc
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from watching import CLOSED_S, QUICK, is_alive, trouble

from licet.errors import ServerUnavailableError, ToolFailedError, TransportError
from licet.sources.mcp.limits import McpLimits

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def text(result: dict[str, Any]) -> str:
    said: str = result["content"][0]["text"]
    return said


def rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def broken(call: Any) -> TransportError:
    with pytest.raises(TransportError) as caught:
        await call
    return caught.value


@ERAS
@pytest.mark.parametrize("tool", ["die", "partial"])
async def test_a_server_that_dies_in_mid_call_leaves_an_effect_unknown_at_once(
    tmp_path: Path, tool: str, era: str
) -> None:
    async with trouble(tmp_path, era) as one:
        beside = asyncio.create_task(one.call("hang", {}))
        await one.until("tools/call hang")
        generation = one.connection.generation
        began = time.monotonic()
        error = await broken(one.call(tool, {}))
        assert time.monotonic() - began < 1
        assert error.reason == "closed"
        assert "unknown" in str(error)
        assert (await broken(beside)).reason == "closed"
        assert one.connection.generation != generation
        assert len(one.asked(f"tools/call {tool}")) == 1, "it was sent again"
        assert text(await one.call("echo", {})) == "{}"
        assert len(one.asked("start")) == 2


async def test_a_call_meant_for_the_connection_before_is_not_sent(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.list_tools()
        generation = one.connection.generation
        await broken(one.call("die", {}))
        with pytest.raises(ServerUnavailableError):
            await one.call("echo", {}, generation=generation)
        assert not one.asked("tools/call echo")
        assert len(one.asked("start")) == 1


async def test_a_server_that_lists_and_exits_is_not_called_in_its_next_life_unlisted(tmp_path: Path) -> None:
    async with trouble(tmp_path, "list_then_exit") as one:
        listed, _ = await one.connection.listed()
        while one.connection.state == "ready":  # noqa: ASYNC110 - another process ends it
            await asyncio.sleep(0.001)
        for generation in (listed, one.connection.generation, one.connection.generation):
            with pytest.raises(ServerUnavailableError):
                await one.call("echo", {}, generation=generation)
        assert not one.asked("tools/call")
        again, _ = await one.connection.listed()
        assert again != listed


@ERAS
async def test_an_answer_that_comes_twice_is_taken_once(tmp_path: Path, era: str) -> None:
    async with trouble(tmp_path, era) as one:
        assert text(await one.call("twice", {})) == "first"
        assert text(await one.call("echo", {})) == "{}"
        assert len(one.asked("start")) == 1


@ERAS
@pytest.mark.parametrize("tool", ["big", "big_id_last"])
async def test_an_answer_of_twenty_megabytes_fails_its_own_call_only(tmp_path: Path, tool: str, era: str) -> None:
    async with trouble(tmp_path, era) as one:
        error = await broken(one.call(tool, {"bytes": 20_000_000}))
        assert error.reason == "too_long"
        assert text(await one.call("echo", {})) == "{}"
        assert len(one.asked("start")) == 1


async def test_an_answer_below_the_cap_is_taken(tmp_path: Path) -> None:
    async with trouble(tmp_path, limits=McpLimits()) as one:
        assert len(text(await one.call("big", {"bytes": 6_000_000}))) == 6_000_000


async def test_an_answer_of_millions_of_parts_is_not_unfolded(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        assert (await broken(one.call("heavy", {"parts": 1_000_000}))).reason == "too_long"
        assert len((await one.call("heavy", {"parts": 1000}))["structuredContent"]["many"]) == 1000


@pytest.mark.parametrize("size", [0, 10_000_000])
async def test_garbage_on_its_output_is_survived_and_never_quoted(
    tmp_path: Path, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with trouble(tmp_path) as one:
        assert text(await one.call("garbage", {"bytes": size})) == "after garbage"
        assert "about to answer" not in caplog.text


async def test_a_line_of_a_third_of_a_gigabyte_is_passed_over_in_little_memory(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})
        highest = held = rss()
        call = asyncio.create_task(one.call("endless_line", {"bytes": 300_000_000}))
        while not call.done():
            highest = max(highest, rss())
            await asyncio.wait([call], timeout=0.005)
        assert text(await call) == "after it"
        assert highest - held < 64 * 1024 * 1024


async def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        said = text(await one.call("bad_utf8", {}))
        assert said == "a\ufffdb?c"
        said.encode()


async def test_members_nulls_and_long_integers_arrive_both_ways(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        sent = {"z": None, "a": [None, {"n": 2**80}], "é": 1.5}
        assert json.loads(text(await one.call("echo", sent))) == sent
        assert (await one.call("big_integer", {}))["structuredContent"] == {"n": 2**80, "z": None}


async def test_a_result_is_handed_on_as_it_came_whatever_it_is(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        assert await one.call("odd_result", {}) == {"oops": 1}
        assert (await broken(one.call("no_result", {}))).reason == "malformed"
        assert text(await one.call("text_id", {})) == "text id"


async def test_an_error_of_the_protocol_is_the_tool_s_own_failure(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        for code in (-32050, -32000, -32001, -32600):
            with pytest.raises(ToolFailedError) as caught:
                await one.call("rpc_error", {"code": code, "message": "no\x1b[2J" + "m" * 9000})
            assert caught.value.reason == "rpc_error"
            assert "\x1b" not in str(caught.value)
            assert len(str(caught.value)) < 1000
        assert len(one.asked("start")) == 1


@pytest.mark.parametrize("method", ["sampling/createMessage", "elicitation/create", "roots/list", "no/such"])
async def test_what_a_server_asks_of_its_client_is_refused(tmp_path: Path, method: str) -> None:
    async with trouble(tmp_path) as one:
        said = text(await one.call("ask", {"method": method}))
        assert "not" in said.lower()
        assert said != "granted"


@ERAS
async def test_progress_goes_to_whoever_listens_and_is_not_asked_for_otherwise(tmp_path: Path, era: str) -> None:
    heard: list[Any] = []
    async with trouble(tmp_path, era) as one:
        said = await one.call("progress", {"steps": 3}, on_progress=lambda *step: heard.append(step))
        assert text(said) == "token True"
        assert text(await one.call("progress", {"steps": 3})) == "token False"
    assert heard == [(1.0, 3.0, "s" * 9), (2.0, 3.0, "s" * 9), (3.0, 3.0, "s" * 9)]


async def test_a_listener_that_raises_harms_nobody(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        assert text(await one.call("progress", {"steps": 2}, on_progress=lambda *_: 1 // 0)) == "token True"


@ERAS
async def test_a_cancelled_call_is_cancelled_at_its_server_and_its_late_result_dropped(
    tmp_path: Path, era: str
) -> None:
    async with trouble(tmp_path, era, "late") as one:
        await one.call("echo", {})
        call = asyncio.create_task(one.call("hang", {}))
        await one.until("tools/call hang")
        call.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await call
        cancelled = await one.until("cancelled")
        assert time.monotonic() - began < 1
        assert len(cancelled) == 1
        assert text(await one.call("echo", {"n": 1})) == '{"n": 1}'
        assert len(one.asked("start")) == 1


async def test_a_call_that_was_given_up_before_it_was_sent_is_never_sent(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("echo", {})
        call = asyncio.create_task(one.call("hang", {}))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await one.call("echo", {})
        assert not one.asked("tools/call hang")


async def test_a_server_that_ignores_the_end_of_its_input_answers_at_once_and_is_gone_in_time(tmp_path: Path) -> None:
    async with trouble(tmp_path, "ignore_term", "ignore_eof", "grandchild") as one:
        began = time.monotonic()
        assert text(await one.call("deaf", {})) == "deaf"
        assert time.monotonic() - began < 5
        pids = one.pids()
        assert len(pids) == 2
        assert all(map(is_alive, pids))
        async with asyncio.timeout(CLOSED_S):
            await one.connection.close()
        assert not any(map(is_alive, pids))


async def test_a_server_that_exits_nicely_leaves_no_grandchild(tmp_path: Path) -> None:
    async with trouble(tmp_path, "grandchild") as one:
        await one.call("echo", {})
        _, grandchild = one.pids()
        began = time.monotonic()
        await one.connection.close()
        assert time.monotonic() - began < 2
        assert one.asked("eof")
        assert not is_alive(grandchild)


async def test_a_grandchild_that_holds_the_pipe_does_not_hide_the_death_of_its_server(tmp_path: Path) -> None:
    async with trouble(tmp_path, "grandchild") as one:
        await one.call("echo", {})
        began = time.monotonic()
        assert (await broken(one.call("die", {}))).reason == "closed"
        assert time.monotonic() - began < 2


async def test_a_server_that_never_reads_holds_up_nobody_and_can_be_cancelled(tmp_path: Path) -> None:
    async with trouble(tmp_path) as one:
        await one.call("deaf", {})
        calls = [asyncio.create_task(one.call("echo", {"text": "x" * 500_000})) for _ in range(8)]
        await asyncio.wait(calls, timeout=0.2)
        began = time.monotonic()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert time.monotonic() - began < 1
        assert not one.asked("tools/call echo")


@pytest.mark.parametrize("of", ["notes", "nothing", "garbage", "stderr"])
async def test_a_server_that_floods_is_read_slowly(tmp_path: Path, of: str) -> None:
    async with trouble(tmp_path, *(["stderr_flood"] if of == "stderr" else []), limits=McpLimits()) as one:
        await one.list_tools()
        if of == "notes":
            assert text(await one.call("flood", {})) == "flooding", "its answer was not found among them"
        elif of != "stderr":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(one.call("flood", {"of": of}), 0.5)
        burnt, began = time.process_time(), time.monotonic()
        await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0.5))])
        assert time.process_time() - burnt < 0.5 * (time.monotonic() - began), "it takes all there is"


@ERAS
async def test_a_change_of_its_tools_is_told_and_nothing_is_listed_for_it(tmp_path: Path, era: str) -> None:
    async with trouble(tmp_path, era) as one:
        await one.list_tools()
        if era == "modern":
            await one.until("subscriptions/listen")
        await one.call("changed", {})
        await one.call("echo", {})
        assert one.changes == 1
        assert len(one.asked("tools/list")) == 1


async def test_a_subscription_that_is_lost_is_made_again_and_counts_as_a_change(tmp_path: Path) -> None:
    async with trouble(tmp_path, "modern", "loses_listeners", limits=QUICK._replace(least_pause_s=0.01)) as one:
        await one.list_tools()
        async with asyncio.timeout(5):
            while len(one.asked("subscriptions/listen")) < 3 or one.changes < 2:  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.01)
        assert await one.call("echo", {})


async def test_a_server_that_cannot_be_listened_to_is_called_all_the_same(tmp_path: Path) -> None:
    async with trouble(tmp_path, "modern", "no_listen") as one:
        await one.list_tools()
        await one.until("subscriptions/listen")
        assert await one.call("echo", {})


async def test_no_call_lists_tools_behind_its_caller(tmp_path: Path) -> None:
    async with trouble(tmp_path, "modern") as one:
        for _ in range(3):
            await one.call("echo", {})
        assert not one.asked("tools/list")


async def test_a_child_sees_six_variables_and_what_was_declared_and_no_descriptor_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(50):
        monkeypatch.setenv(f"CANARY_{n}", f"canary-secret-{n}")
    monkeypatch.setenv("LICET_DEPTH", "2")
    held = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(held, True)
    try:
        async with trouble(tmp_path, env={"TOKEN": "declared"}) as one:
            seen = (await one.call("environment", {}))["structuredContent"]
            assert "canary" not in json.dumps(seen).lower()
            assert seen["LICET_DEPTH"] == "3"
            assert seen["TOKEN"] == "declared"
            ours = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LICET_DEPTH", "TOKEN"}
            assert set(seen) <= ours | {"LC_CTYPE"}, "something else came with it"  # Python itself sets that one
            assert text(await one.call("descriptors", {})).split()[:3] == ["0", "1", "2"]
            assert len(text(await one.call("descriptors", {})).split()) == 4  # and the folder that it looks into
    finally:
        os.close(held)


async def test_a_hundred_lives_leave_no_descriptor_and_no_memory(tmp_path: Path) -> None:
    async with trouble(tmp_path, limits=QUICK._replace(least_pause_s=0.0)) as one:
        for _ in range(10):
            await broken(one.call("die", {}))
        await asyncio.gather(*(link.task for link in one.connection._links))
        gc.collect()
        assert len(one.connection._links) <= 2
        assert len(one.asked("start")) == 10
