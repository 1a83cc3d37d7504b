"""``licet serve --http`` as a process before a server that writes down each byte that reaches it."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from peers.servers import free_port, listening
from peers.serving import Project, made

UPSTREAM = str(Path(__file__).parent / "upstream.py")
TOKEN = "a-token-of-a-test-0123456789"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS = 8
CALL = {"name": "up__echo", "arguments": {"nonce": "n"}, "_meta": META}
MESSAGE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}).encode()
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Authorization": f"Bearer {TOKEN}",
    "Content-Type": "application/json",
    "Mcp-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "up__echo",
}


class Served(NamedTuple):
    """``log`` is what reached the server behind licet."""

    port: int
    log: Path
    project: Project
    said: Any

    def ask(self, body: bytes = MESSAGE, *, method: str = "POST", **headers: str | None) -> tuple[int, Any]:
        """The status and the answer to one request; ``headers`` by their names with _ for -, None for without."""
        told: dict[str, str] = dict(HEADERS)
        for name, value in headers.items():
            key = "-".join(word.capitalize() for word in name.split("_"))
            told.pop(key, None)
            if value is not None:
                told[key] = value
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, "/mcp", skip_host="Host" in told or headers.get("host", "") is None)
            for key, value in {**told, "Content-Length": str(len(body))}.items():
                connection.putheader(key, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    @property
    def noted(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


@contextmanager
def serving(project: Project, port: int, *more: str, token: str | None = TOKEN) -> Iterator[Any]:
    """The process, and what it says."""
    environment = dict(project.environment) | ({"LICET_TOKEN": token} if token else {})
    command = (*project.command, "--http", str(port), *more)
    with listening(command, port, cwd=project.folder, env=environment, stdout=subprocess.DEVNULL) as said:
        yield said


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    log, above, port = folder / "log", free_port(), free_port()
    with listening((sys.executable, UPSTREAM, str(log), str(above)), above):
        server = {"url": f"http://127.0.0.1:{above}/mcp"}
        project = made(folder / "project", {"up": server}, ("mcp/up.echo", "mcp/up.hang"))
        with serving(project, port) as said:
            yield Served(port, log, project, said)


@pytest.fixture(autouse=True)
def _forgotten(served: Served) -> None:
    served.log.write_text("")


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (401, {"authorization": None}),
        (401, {"authorization": "Bearer garbage"}),
        (401, {"authorization": f"Basic {TOKEN}"}),
        (421, {"host": "evil.example"}),
        (421, {"host": ""}),
        (421, {"host": "127.0.0.1:1/health?x="}),
        (421, {"host": "user@127.0.0.1"}),
        (403, {"origin": "https://evil.example"}),
        (403, {"origin": "null"}),
        (403, {"origin": "http://localhost.evil"}),
        (415, {"content_type": "text/plain"}),
        (415, {"content_type": None}),
    ],
)
def test_a_request_that_is_turned_away_reaches_no_server(status: int, headers: Any, served: Served) -> None:
    assert served.ask(**headers)[0] == status
    assert served.noted == ""


def test_too_large_a_request_reaches_no_server(served: Served) -> None:
    big = MESSAGE.replace(b'"nonce": "n"', b'"nonce": "' + b"x" * (4 << 20) + b'"')
    with suppress(ConnectionError):  # it was answered and closed while this was still sending
        assert served.ask(big)[0] == 413
    assert served.noted == ""


def test_a_call_that_is_refused_opens_no_connection(served: Served) -> None:
    body = MESSAGE.replace(b"up__echo", b"up__write")
    status, answer = served.ask(body, mcp_name="up__write")
    assert (status, answer["error"]["code"]) == (400, -32602)
    status, answer = served.ask(MESSAGE.replace(b'"nonce": "n"', b'"nonce": 7'))
    assert answer["result"]["content"][0]["text"].startswith("invalid_arguments: ")
    twice = served.ask(MESSAGE.replace(b'"nonce": "n"', b'"nonce": "n", "nonce": "m"'))[1]
    assert twice["result"]["content"][0]["text"].startswith("invalid_arguments: ")
    assert served.noted == ""


def test_nothing_that_a_client_says_of_itself_reaches_a_server(served: Served) -> None:
    status, answer = served.ask(
        cookie="session=canary-1",
        x_upstream_authorization="Bearer canary-2",
        proxy_authorization="Basic canary-3",
        x_forwarded_for="canary-4",
        mcp_session_id=None,
    )
    assert (status, answer["result"]["content"][0]["text"]) == (200, "n")
    assert "call echo n" in served.noted
    for secret in ("canary", TOKEN, "Bearer", "cookie"):
        assert secret not in served.noted


def test_a_hostile_name_is_unknown_and_harmless(served: Served) -> None:
    for name in ("../../etc/passwd", "mcp/up.echo", "up__echo\n", "x" * 10_000, "\u202e"):
        body = MESSAGE.replace(b'"up__echo"', json.dumps(name).encode())
        status, answer = served.ask(body, mcp_name=None)
        assert (status, "error" in answer) == (400, True)
    assert served.noted == ""


def test_a_session_of_another_or_none_is_not_found(served: Served) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    for session in ("0" * 32, "guess"):
        assert served.ask(body, mcp_protocol_version="2025-11-25", mcp_session_id=session)[0] == 404
        assert served.ask(b"", method="GET", mcp_protocol_version="2025-11-25", mcp_session_id=session)[0] == 404


def rpc(method: str, number: int, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


class Legacy:
    """A client of the handshake era, in as many bytes as it takes."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._headers = {name: value for name, value in HEADERS.items() if not name.startswith("Mcp-")}
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        _, headers = self._post(rpc("initialize", 0, **about))
        self._headers |= {"Mcp-Session-Id": headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-11-25"}
        self._post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def echo(self, nonce: str) -> str:
        body, _ = self._post(rpc("tools/call", 1, name="up__echo", arguments={"nonce": nonce}))
        event = next(line for line in body.decode().splitlines() if line.startswith("data: {"))
        said: str = json.loads(event.removeprefix("data: "))["result"]["content"][0]["text"]
        return said

    def _post(self, body: bytes) -> tuple[bytes, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        connection.request("POST", "/mcp", body, self._headers)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return read, answer.headers


def test_sixty_four_clients_hear_their_own_nonces_and_no_others(served: Served) -> None:
    def one(number: int) -> list[bool]:
        legacy = Legacy(served.port) if number % 2 else None
        own = []
        for call in range(CALLS):
            nonce = f"nonce-{number}-{call}"
            body = MESSAGE.replace(b'"nonce": "n"', f'"nonce": "{nonce}"'.encode())
            said = legacy.echo(nonce) if legacy else served.ask(body)[1]["result"]["content"][0]["text"]
            own.append(said == nonce)
        return own

    with ThreadPoolExecutor(64) as threads:
        heard = list(threads.map(one, range(64)))
    assert heard == [[True] * CALLS] * 64


def test_a_client_that_vanishes_in_mid_call_leaves_no_traceback_and_ends_it_upstream(served: Served) -> None:
    hang = MESSAGE.replace(b"up__echo", b"up__hang")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    connection.request("POST", "/mcp", hang, {**HEADERS, "Mcp-Name": "up__hang"})
    while "call hang" not in served.noted:
        os.sched_yield()
    connection.close()
    until = time.monotonic() + 10
    while "ended" not in served.noted and time.monotonic() < until:
        os.sched_yield()
    assert "ended" in served.noted
    assert served.ask()[0] == 200
    assert "Traceback" not in served.said()


# --- its beginning and its end ---


def test_a_token_is_made_and_shown_once_where_none_was_given(served: Served) -> None:
    port = free_port()
    with serving(served.project, port, token=None) as said:
        (shown,) = [line for line in said().splitlines() if "its token" in line]
        token = shown.rpartition(" ")[2]
        there = served._replace(port=port)
        assert len(token) == 43
        assert there.ask(authorization=f"Bearer {token}")[0] == 200
        assert there.ask(authorization="Bearer " + "x" * 43)[0] == 401
        assert said().count(token) == 1


def test_a_port_in_use_and_a_token_too_short_are_told_and_nothing_is_served(served: Served) -> None:
    for port, token, told in ((served.port, TOKEN, "cannot be used"), (0, "short", "LICET_TOKEN has 16")):
        done = subprocess.run(
            [*served.project.command, "--http", str(port)],
            env={**served.project.environment, "LICET_TOKEN": token},
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 2
        assert told in done.stderr
        assert token not in done.stderr


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_time_with_calls_and_streams_open(sent: signal.Signals, served: Served) -> None:
    port = free_port()
    process = subprocess.Popen(
        [*served.project.command, "--http", str(port), "--no-token"],
        env=dict(served.project.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while "listening" not in process.stderr.readline():
        pass
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    hang = MESSAGE.replace(b"up__echo", b"up__hang")
    connection.request("POST", "/mcp", hang, {**HEADERS, "Mcp-Name": "up__hang"})
    while "call hang" not in served.noted:
        os.sched_yield()
    begun = time.monotonic()
    process.send_signal(sent)
    out, said = process.communicate(timeout=10)
    connection.close()
    assert process.returncode == (0 if sent is signal.SIGTERM else 130)
    assert time.monotonic() - begun < 5
    assert (out, "Traceback" in said) == ("", False), said
