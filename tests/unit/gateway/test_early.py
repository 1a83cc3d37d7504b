"""What is answered before the SDK is there is what the SDK answers; what is not is left to it, in order."""

import json
import logging
from itertools import product
from typing import Any

import pytest
from spoken import DECLARED, INFO, INITIALIZED, META, both, envelope, heard, hello, request

from licet.gateway import early
from licet.gateway.early import HANDSHAKE_VERSIONS, STATELESS_VERSION


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Any:
    """Each early answer is held against the SDK's own where both are, and a difference is an error there."""
    yield
    assert [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(("version", "declared"), list(product(HANDSHAKE_VERSIONS, DECLARED)), ids=repr)
async def test_a_handshake_and_a_listing_are_answered_as_the_sdk_answers_them(
    version: str, declared: dict[str, Any]
) -> None:
    asked = (hello(version, declared), INITIALIZED, request(2, "ping"), request("list", "tools/list"))
    assert await both(*asked) == len(asked)


@pytest.mark.parametrize("declared", DECLARED, ids=repr)
async def test_a_stateless_client_is_answered_as_the_sdk_answers_it(declared: dict[str, Any]) -> None:
    meta = envelope(capabilities=declared)
    asked = (request(1, "server/discover", _meta=meta), request("2", "tools/list", _meta=meta))
    assert await both(*asked) == len(asked)


async def test_every_version_that_the_sdk_serves_is_known() -> None:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    assert HANDSHAKE_PROTOCOL_VERSIONS == HANDSHAKE_VERSIONS
    assert MODERN_PROTOCOL_VERSIONS == (STATELESS_VERSION,)


def short(odd: Any) -> str:
    return (odd.decode("ascii", "replace") if type(odd) is bytes else json.dumps(odd))[:90]


OPENED = (hello(), INITIALIZED)
LISTING = request(9, "tools/list")


@pytest.mark.parametrize(
    "odd",
    [
        b"not json",
        b"[]",
        b"\xff\xfe",
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 12345678901234567890123, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": NaN}',
        request(None, "ping"),
        request(True, "ping"),
        request(1.0, "ping"),
        request([1], "ping"),
        {**request(1, "ping"), "jsonrpc": "1.0"},
        {**request(1, "ping"), "params": None},
        {**request(1, "ping"), "params": []},
        {**request(1, "ping"), "more": 1},
        {**request(1, "ping"), "result": {}},
        {"jsonrpc": "2.0", "id": 1, "method": 1},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        request(1, "ping", _meta=1),
        request(1, "ping", _meta={"progressToken": 1}),
        request(1, "tools/list", cursor="x"),
        request(1, "tools/list", cursor=1),
        request(1, "tools/list", _meta=envelope()),
        request(1, "server/discover"),
        request(1, "server/discover", _meta=envelope()),
        request(1, "nothing/known"),
        request(1, "resources/list"),
        {**INITIALIZED, "params": {"_meta": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        hello(),
    ],
    ids=short,
)
async def test_what_is_odd_is_left_to_the_sdk_and_so_is_all_after_it(odd: Any) -> None:
    assert await both(*OPENED, odd, LISTING) == 2


@pytest.mark.parametrize(
    "odd",
    [
        hello("1999-01-01"),
        hello(STATELESS_VERSION),
        hello(1),
        hello(capabilities=None),
        hello(capabilities=[]),
        hello(capabilities={"roots": {"listChanged": 1}}),
        hello(capabilities={"roots": {"listChanged": "no"}}),
        hello(capabilities={"elicitation": True}),
        hello(capabilities={"elicitation": None}),
        hello(capabilities={"elicitation": {"form": {"deep": 1}}}),
        hello(capabilities={"experimental": {"x": {}}}),
        hello(capabilities={"unknown": {}}),
        hello(info={"name": "x"}),
        hello(info={"name": 1, "version": "1"}),
        hello(info={**INFO, "icons": []}),
        hello(info=None),
        hello(_meta=envelope()),
        hello(more=1),
        request(1, "initialize"),
        request(1, "tools/list"),
        INITIALIZED,
        request(1, "server/discover", _meta=envelope("2027-01-01")),
        request(1, "server/discover", _meta=envelope(1)),
        request(1, "server/discover", _meta=envelope(info={"name": 1})),
        request(1, "server/discover", _meta=envelope(capabilities=1)),
        request(1, "server/discover", _meta={META + "protocolVersion": STATELESS_VERSION}),
        request(1, "server/discover", _meta=envelope(), more=1),
        request(1, "tools/list", _meta=envelope(), cursor="x"),
        request(1, "tools/list", _meta={**envelope(), "progressToken": 1}),
        request(1, "ping", _meta=envelope()),
    ],
    ids=short,
)
async def test_an_odd_beginning_is_left_to_the_sdk(odd: Any) -> None:
    assert await both(odd, hello(), LISTING) == 0


async def test_a_ping_may_come_first_and_opens_the_handshake_era() -> None:
    assert await both(request(0, "ping"), *OPENED, LISTING) == 4
    assert await both(request(0, "ping"), request(1, "tools/list", _meta=envelope())) == 1


async def test_a_stateless_client_that_shakes_hands_after_all_is_the_sdks() -> None:
    assert await both(request(1, "tools/list", _meta=envelope()), hello(), LISTING) == 1


async def test_the_same_id_twice_is_answered_twice_and_a_later_one_is_not_taken_for_it() -> None:
    again = request(1, "tools/list")
    assert (
        await both(hello(), INITIALIZED, again, again, request("1", "ping"), request(1, "resources/list"), again) == 5
    )


async def test_requests_under_one_id_are_all_answered_before_the_end_of_input_ends_it() -> None:
    ping = request(2, "ping")
    for is_early in (True, False):
        found = await heard(*OPENED, b"not json", ping, ping, ping, early=is_early)
        assert found.answers[json.dumps({"id": 2, "jsonrpc": "2.0", "result": {}})] == 3


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_call_at_once_waits_for_the_sdk_and_runs_once_on_the_session_that_was_listed(era: str) -> None:
    meta = {} if era == "handshake" else {"_meta": envelope()}
    opening = OPENED if era == "handshake" else ()
    call = request(3, "tools/call", name="look", arguments={}, **meta)
    asked = (*opening, request(2, "tools/list", **meta), call, request(4, "tools/list", **meta))
    assert await both(*asked) == len(opening) + 1
    found = await heard(*asked, early=True)
    assert sum('"id": 3' in answer and "seen" in answer for answer in found.answers) == 1
    assert (found.sessions, found.kinds) == (1, ["tool.requested", "tool.completed"])


async def test_a_client_that_only_looks_needs_no_sdk() -> None:
    found = await heard(*OPENED, LISTING, early=True, ends=True)
    assert (found.answers.total(), found.early, found.loaded) == (2, 3, False)
    found = await heard(early=True, ends=True)
    assert (found.answers.total(), found.loaded) == (0, False)


async def test_the_control_an_early_answer_that_the_sdk_would_not_give_is_an_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(early, "_OFFERED", {"tools": {"listChanged": False}})
    with pytest.raises(AssertionError):
        await both(*OPENED, LISTING)
    assert ["otherwise than by it" in record.getMessage() for record in caplog.records] == [True]
    caplog.clear()
