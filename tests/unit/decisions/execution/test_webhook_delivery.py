"""One delivery: to the checked address under the host's own name, signed, once, within its time."""

import base64
import hashlib
import hmac
import json
import socket
import time
from pathlib import Path

import pytest

from hooks import OK, Answer, Hook, certified, floods, hangs, hook, says
from licet.decisions.execution.webhook import Dial, Target, deliver
from licet.decisions.execution.webhook.signature import headers

NAME = "hooks.example.com"
BODY = json.dumps({"decision_id": "dec_1"}).encode()


def _to(held: Hook, dialled: list[str] | None = None) -> Dial:
    """A net on which every public address is this hook."""

    def dial(address: str, port: int, timeout_s: float) -> socket.socket:
        if dialled is not None:
            dialled.append(address)
        return socket.create_connection(("127.0.0.1", held.port), timeout_s)

    return dial


def _plain(held: Hook) -> Target:
    return Target("127.0.0.1", held.port, "/hook", False, ("127.0.0.1",))


def test_tls_is_spoken_with_the_hosts_own_name_at_the_checked_address(tmp_path: Path) -> None:
    server, client = certified(NAME, tmp_path)
    dialled: list[str] = []
    with hook(tls=server) as held:
        target = Target(NAME, 443, "/a?b=c", True, ("1.1.1.1",))
        assert deliver(target, BODY, {}, 5.0, dial=_to(held, dialled), tls=client) == ("delivered", 200)
        assert held.names == [NAME]
        assert dialled == ["1.1.1.1"]
        head, _, body = held.requests[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /a?b=c HTTP/1.1\r\n")
        assert f"\r\nHost: {NAME}\r\n".encode() in head
        assert body == BODY


def test_a_certificate_of_another_name_is_sent_nothing(tmp_path: Path) -> None:
    server, client = certified("other.example.com", tmp_path)
    with hook(tls=server) as held:
        target = Target(NAME, 443, "/", True, ("1.1.1.1",))
        assert deliver(target, BODY, {}, 5.0, dial=_to(held), tls=client) == ("failed", None)
        assert held.requests == []


def test_a_host_without_tls_is_sent_nothing_of_the_body(tmp_path: Path) -> None:
    _, client = certified(NAME, tmp_path)
    with hook() as held:
        target = Target(NAME, 443, "/", True, ("1.1.1.1",))
        held.answer = says(b"")
        assert deliver(target, BODY, {}, 0.5, dial=_to(held), tls=client) == ("failed", None)
        assert not any(BODY in request for request in held.requests)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failed_answer_and_is_not_followed(status: int) -> None:
    with hook() as private:
        moved = f"HTTP/1.1 {status} Moved\r\nLocation: {private.url}\r\nContent-Length: 0\r\n\r\n".encode()
        with hook(moved) as held:
            assert deliver(_plain(held), BODY, {"webhook-signature": "v1,x"}, 5.0) == ("failed", status)
        assert private.accepted == 0


@pytest.mark.parametrize(
    ("status", "state"), [(200, "delivered"), (204, "delivered"), (400, "failed"), (503, "failed")]
)
def test_an_answer_decides_whether_it_was_delivered(status: int, state: str) -> None:
    with hook(f"HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n".encode()) as held:
        assert deliver(_plain(held), BODY, {}, 5.0) == (state, status)


@pytest.mark.parametrize("answer", [hangs, floods, says(b""), says(b"no http\r\n\r\n"), says(b"HTTP/1.1 200 O")])
def test_what_was_sent_and_not_answered_is_unknown_within_the_time(answer: Answer) -> None:
    with hook(answer) as held:
        began = time.monotonic()
        found = deliver(_plain(held), BODY, {}, 0.5)
        assert time.monotonic() - began < 5
        assert len(held.requests) == 1
        assert found in (("unknown", None), ("delivered", 200))
        assert found.state == "unknown" or found.response_code == 200


def test_an_endless_body_of_an_answer_is_not_read() -> None:
    with hook(lambda held: _pour(held)) as held:
        assert deliver(_plain(held), BODY, {}, 5.0) == ("delivered", 200)


def _pour(held: socket.socket) -> None:
    held.sendall(OK.replace(b"Content-Length: 2", b"Content-Length: 999999999"))
    while True:
        held.sendall(b"x" * 65536)


def test_nobody_who_listens_is_a_failure_that_sent_nothing() -> None:
    with hook() as held:
        target = _plain(held)
    assert deliver(target, BODY, {}, 2.0) == ("failed", None)


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    with hook() as held:
        reach = _to(held)

        def dial(address: str, port: int, timeout_s: float) -> socket.socket:
            if address == "1.1.1.1":
                raise ConnectionRefusedError
            return reach(address, port, timeout_s)

        target = Target("127.0.0.1", held.port, "/", False, ("1.1.1.1", "8.8.8.8"))
        assert deliver(target, BODY, {}, 5.0, dial=dial) == ("delivered", 200)


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with hook() as proxy, hook() as held:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert deliver(_plain(held), BODY, {}, 5.0).state == "delivered"
        assert proxy.accepted == 0


def test_a_body_is_signed_as_standard_webhooks_say() -> None:
    made = headers(b"a secret of 16 bytes", "exe_1", 1700000000, BODY)
    mac = hmac.new(b"a secret of 16 bytes", b"exe_1.1700000000." + BODY, hashlib.sha256).digest()
    assert made == {
        "webhook-id": "exe_1",
        "webhook-timestamp": "1700000000",
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }
