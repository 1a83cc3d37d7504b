"""Servers that fail over HTTP: each request fails for itself, and nothing of ours goes where it was not meant to go."""

import asyncio
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from watching import QUICK, serving, trouble_http

from licet.errors import ServerUnavailableError, ToolFailedError, TransportError
from licet.model.server import ServerSpec
from licet.sources.mcp.connection import Connection

SECRET = "s3cret-canary-value"
HEADERS = {"Authorization": f"Bearer {SECRET}"}
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
STATUSES = pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not_found"),
        (429, "rate_limited"),
        (500, "server_error"),
        (503, "server_error"),
        (418, "http_error"),
    ],
)


async def refused(listing: Any) -> ServerUnavailableError:
    with pytest.raises(ServerUnavailableError) as caught:
        await listing
    assert SECRET not in str(caught.value)
    return caught.value


async def broken(call: Any) -> TransportError:
    with pytest.raises(TransportError) as caught:
        await call
    assert SECRET not in str(caught.value)
    assert "unknown" in str(caught.value)
    return caught.value


@STATUSES
async def test_a_status_instead_of_a_handshake_names_itself(tmp_path: Path, status: int, reason: str) -> None:
    async with trouble_http(tmp_path, f"status={status}", headers=HEADERS) as one:
        error = await refused(one.list_tools())
        assert error.reason == reason
        assert str(status) in str(error)
        assert SECRET not in repr(one.notes)


@ERAS
@STATUSES
async def test_a_status_instead_of_an_answer_leaves_an_effect_unknown(
    tmp_path: Path, status: int, reason: str, era: str
) -> None:
    async with trouble_http(tmp_path, era, f"call_status={status}", headers=HEADERS) as one:
        await one.list_tools()
        assert (await broken(one.call("echo", {}))).reason == reason
        assert len(one.asked("http tools/call")) == 1, "it was sent again"
        assert await one.list_tools(), "the client did not survive it"


async def test_a_status_with_json_that_is_no_error_of_the_protocol_is_that_status(tmp_path: Path) -> None:
    faults = ("status=401", "kind=application/json", 'body={"error": "invalid_token"}')
    async with trouble_http(tmp_path, *faults) as one:
        assert (await refused(one.list_tools())).reason == "unauthorized"


@ERAS
async def test_an_error_of_the_protocol_keeps_its_code_whatever_the_status(tmp_path: Path, era: str) -> None:
    body = 'body={"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "no such tool"}}'
    async with trouble_http(tmp_path, era, "call_status=400", "kind=application/json", body) as one:
        with pytest.raises(ToolFailedError) as caught:
            await one.call("echo", {})
        assert caught.value.reason == "rpc_error"
        assert "-32602: no such tool" in str(caught.value)


@ERAS
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("html", "not_mcp"),
        ("accepted", "not_mcp"),
        ("drop", "closed"),
        ("stream_then_drop", "closed"),
        ("bomb", "too_long"),
        ("endless", "too_long"),
        ("big_event", "too_long"),
        ("strange_packing", "not_mcp"),
        ("no_json", "malformed"),
        ("other_id", "malformed"),
        ("no_id", "malformed"),
        ("a_note", "malformed"),
    ],
)
async def test_a_call_that_ends_in_no_answer_leaves_an_effect_unknown_within_a_second(
    tmp_path: Path, kind: str, reason: str, era: str
) -> None:
    async with trouble_http(tmp_path, era, f"call_kind={kind}") as one:
        await one.list_tools()
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.monotonic()
        error = await broken(one.call("echo", {}))
        assert error.reason == reason
        if reason == "closed":
            assert time.monotonic() - began < 1
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held < 64 * 1024
        assert len(one.asked("ran echo")) == 1, "it was sent again"
        assert await one.list_tools(), "the client did not survive it"


@ERAS
@pytest.mark.parametrize("size", [10, 4000, 5000, 1_000_000])
async def test_arguments_of_any_length_are_answered(tmp_path: Path, size: int, era: str) -> None:
    async with trouble_http(tmp_path, era) as one:
        said = (await one.call("echo", {"text": "a" * size, "id": 7}))["content"][0]["text"]
        assert len(said) > size


async def test_an_answer_that_is_packed_is_unpacked(tmp_path: Path) -> None:
    async with trouble_http(tmp_path, "call_kind=packed") as one:
        assert (await one.call("echo", {}))["content"][0]["text"] == "g" * 100_000


@ERAS
async def test_answers_as_streams_are_read_with_their_progress(tmp_path: Path, era: str) -> None:
    heard: list[Any] = []
    async with trouble_http(tmp_path, era, "sse") as one:
        await one.call("progress", {"steps": 2}, on_progress=lambda *step: heard.append(step[0]))
        assert len((await one.call("big", {"bytes": 3_000_000}))["content"][0]["text"]) == 3_000_000
        assert (await broken(one.call("big", {"bytes": 9_000_000}))).reason == "too_long"
    assert heard == [1.0, 2.0]


@ERAS
async def test_a_call_that_hangs_is_given_up_at_once(tmp_path: Path, era: str) -> None:
    async with trouble_http(tmp_path, era, "call_kind=hang") as one:
        call = asyncio.create_task(one.call("echo", {}))
        await one.until("ran echo")
        began = time.monotonic()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert time.monotonic() - began < 1
        if era == "legacy":
            await one.until("http notifications/cancelled")
        assert await one.list_tools()


@pytest.mark.parametrize("where", ["handshake", "call"])
async def test_a_redirect_is_not_followed_and_the_other_origin_sees_nothing(tmp_path: Path, where: str) -> None:
    log = tmp_path / "other"
    async with serving(f"log={log}") as port:
        to = f"http://127.0.0.1:{port}/mcp"
        faults = (f"redirect={to}",) if where == "handshake" else ("call_kind=redirect", f"to={to}")
        async with trouble_http(tmp_path, *faults, headers=HEADERS) as one:
            if where == "handshake":
                assert (await refused(one.list_tools())).reason == "redirected"
            else:
                assert (await broken(one.call("echo", {}))).reason == "redirected"
            assert one.asked("http"), "it was asked nothing at all"
    assert not log.exists()


@pytest.mark.parametrize("kind", ["no_json", "html", "stream_then_drop"])
async def test_no_log_of_any_level_holds_what_was_said(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with trouble_http(tmp_path, "session", f"call_kind={kind}", headers=HEADERS) as one:
        await one.list_tools()
        await broken(one.call("echo", {"canary": SECRET}))
    told = [record for record in caplog.records if record.name not in ("asyncio", "mcp.client.stdio")]
    assert not told


async def test_a_redirect_within_its_own_origin_is_not_followed_either(tmp_path: Path) -> None:
    async with trouble_http(tmp_path, "redirect=/elsewhere") as one:
        assert (await refused(one.list_tools())).reason == "redirected"


async def test_headers_arrive_at_their_own_server(tmp_path: Path) -> None:
    async with trouble_http(tmp_path, headers=HEADERS) as one:
        await one.list_tools()
        assert all(SECRET in line for line in one.asked("http"))


@ERAS
async def test_a_session_that_was_lost_is_begun_anew_by_the_next_use_and_the_call_not_repeated(
    tmp_path: Path, era: str
) -> None:
    async with trouble_http(tmp_path, "session", "call_status=404", era) as one:
        await one.list_tools()
        assert (await broken(one.call("echo", {}))).reason == "not_found"
        assert len(one.asked("http tools/call")) == 1
        await one.list_tools()
        assert len(one.asked("http initialize")) == (2 if era == "legacy" else 0)


async def test_nobody_there_means_that_nothing_was_sent(tmp_path: Path) -> None:
    async with serving() as port:
        pass
    connection = Connection(ServerSpec(id="gone", url=f"http://127.0.0.1:{port}/mcp", headers=HEADERS), QUICK)
    assert (await refused(connection.call("echo", {}))).reason == "closed"
    await connection.close()


async def test_a_server_that_went_away_between_calls_was_sent_nothing(tmp_path: Path) -> None:
    async with serving() as port:
        connection = Connection(ServerSpec(id="gone", url=f"http://127.0.0.1:{port}/mcp"), QUICK)
        await connection.call("echo", {})
    error = await refused(connection.call("echo", {}))
    assert error.reason == "closed"
    await connection.close()


async def test_no_proxy_of_the_environment_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "proxy"
    async with serving(f"log={log}") as port:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        async with trouble_http(tmp_path) as one:
            assert await one.list_tools()
    assert not log.exists()


async def test_a_server_that_never_answers_the_goodbye_is_left_in_time(tmp_path: Path) -> None:
    async with trouble_http(tmp_path, "session", "deaf_delete") as one:
        await one.list_tools()
        began = time.monotonic()
        await one.connection.close()
        assert time.monotonic() - began < 3


@pytest.mark.parametrize("fault", ["nodiscover", "noinit"])
async def test_a_handshake_that_hangs_is_given_up_in_time(tmp_path: Path, fault: str) -> None:
    async with trouble_http(tmp_path, fault, limits=QUICK._replace(connect_s=2.0)) as one:
        began = time.monotonic()
        if fault == "noinit":
            assert (await refused(one.list_tools())).reason == "no_answer"
        else:
            assert await one.list_tools()
        assert time.monotonic() - began < 4
