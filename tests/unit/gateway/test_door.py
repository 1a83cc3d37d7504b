"""What is turned away over HTTP before the protocol is read."""

from typing import Any

import pytest

from licet.gateway.door import MAX_BODY, Door

PORT = 8931
TOKEN = "t" * 32
GOOD = {"host": f"127.0.0.1:{PORT}", "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}


class Behind:
    """The application behind the door: what reached it."""

    def __init__(self, fails: Exception | None = None, begins: bool = False) -> None:
        self.bodies: list[bytes] = []
        self.fails = fails
        self.begins = begins

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.bodies.append((await receive())["body"])
        if self.fails is None or self.begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        if self.fails is not None:
            raise self.fails
        await send({"type": "http.response.body", "body": b"in"})


async def knock(
    headers: Any, *parts: bytes, behind: Behind | None = None, method: str = "POST", path: str = "/mcp", **door: Any
) -> tuple[int, dict[bytes, bytes], Behind]:
    """The status of the answer, its headers, and what was behind the door."""
    behind = behind or Behind()
    named = headers.items() if isinstance(headers, dict) else headers
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in named],
    }
    left = list(parts or (b"{}",))

    async def receive() -> Any:
        if not left:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await Door(behind, port=PORT, token=door.get("token", TOKEN))(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"]), behind


async def test_the_right_request_comes_in() -> None:
    status, _, behind = await knock(GOOD, b'{"a":', b"1}")
    assert (status, behind.bodies) == (200, [b'{"a":1}'])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "",
        f"127.0.0.1:{PORT}/health?x=",
        f"user@127.0.0.1:{PORT}",
        f"127.0.0.1:{PORT}.evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.1:{PORT}",
        f"0.0.0.0:{PORT}",
        f"LOCALHOST:{PORT}@evil",
    ],
)
async def test_another_host_is_turned_away(host: str) -> None:
    status, _, behind = await knock({**GOOD, "host": host})
    assert (status, behind.bodies) == (421, [])


async def test_two_hosts_and_no_host_are_turned_away() -> None:
    twice = [*GOOD.items(), ("host", GOOD["host"])]
    none = {name: value for name, value in GOOD.items() if name != "host"}
    for headers in (twice, none):
        status, _, behind = await knock(headers)
        assert (status, behind.bodies) == (421, [])


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://localhost.evil",
        f"http://localhost:{PORT}.evil",
        f"https://127.0.0.1:{PORT}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{PORT}/",
        f"file://127.0.0.1:{PORT}",
        "",
    ],
)
async def test_a_page_of_another_origin_is_turned_away(origin: str) -> None:
    status, _, behind = await knock({**GOOD, "origin": origin})
    assert (status, behind.bodies) == (403, [])


@pytest.mark.parametrize("origin", [f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}"])
async def test_a_page_of_this_very_address_comes_in(origin: str) -> None:
    assert (await knock({**GOOD, "origin": origin, "host": f"localhost:{PORT}"}))[0] == 200


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", f"Bearer {TOKEN}x", f"bearer {TOKEN}", TOKEN, f"Basic {TOKEN}", f"Bearer  {TOKEN}"]
)
async def test_without_the_token_nothing_is_read(given: str | None) -> None:
    headers = {name: value for name, value in GOOD.items() if name != "authorization"}
    if given is not None:
        headers["authorization"] = given
    status, answered, behind = await knock(headers)
    assert (status, behind.bodies) == (401, [])
    assert answered[b"www-authenticate"] == b'Bearer realm="licet"'


async def test_a_token_that_stands_twice_is_none() -> None:
    status, _, behind = await knock([*GOOD.items(), ("authorization", GOOD["authorization"])])
    assert (status, behind.bodies) == (401, [])


async def test_where_no_token_is_asked_for_none_is_needed() -> None:
    headers = {name: value for name, value in GOOD.items() if name != "authorization"}
    assert (await knock(headers, token=None))[0] == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "", "application/jsonx", "application/x-www-form-urlencoded", "a/b, application/json"]
)
async def test_what_a_page_can_send_unasked_is_turned_away(kind: str) -> None:
    status, _, behind = await knock({**GOOD, "content-type": kind})
    assert (status, behind.bodies) == (415, [])


async def test_json_may_name_its_encoding() -> None:
    assert (await knock({**GOOD, "content-type": "Application/JSON; charset=utf-8"}))[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"), [("PUT", "/mcp", 405), ("POST", "/", 404), ("GET", "/mcp/", 404)]
)
async def test_other_ways_lead_nowhere(method: str, path: str, status: int) -> None:
    answered, _, behind = await knock(GOOD, method=method, path=path)
    assert (answered, behind.bodies) == (status, [])


async def test_a_body_that_says_it_is_too_long_is_not_read() -> None:
    status, _, behind = await knock({**GOOD, "content-length": str(MAX_BODY + 1)})
    assert (status, behind.bodies) == (413, [])


async def test_a_body_that_grows_too_long_is_not_kept() -> None:
    half = b"x" * (MAX_BODY // 2 + 1)
    status, _, behind = await knock(GOOD, half, half)
    assert (status, behind.bodies) == (413, [])


async def test_keys_that_stand_twice_are_refused_as_arguments_and_not_decided_by_a_parser() -> None:
    body = b'{"id":1,"method":"tools/call","params":{"name":"x","arguments":{"path":"a","path":"b"}}}'
    _, _, behind = await knock(GOOD, body)
    assert b'"arguments": "not JSON: ' in behind.bodies[0]
    assert b'"b"' not in behind.bodies[0]


async def test_what_fails_behind_the_door_shows_no_traceback() -> None:
    status, _, _ = await knock(GOOD, behind=Behind(fails=RuntimeError("inner")))
    assert status == 500
    status, _, _ = await knock(GOOD, behind=Behind(fails=RuntimeError("gone"), begins=True))
    assert status == 200


async def test_a_web_socket_is_not_answered() -> None:
    async def never(*_: Any) -> Any:
        raise AssertionError("nothing is read and nothing is sent")

    await Door(never, port=PORT, token=None)({"type": "websocket"}, never, never)
