"""``licet serve`` over standard input and output, as a process before a server of its own."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from peers.serving import Project, made

UPSTREAM = str(Path(__file__).parent / "upstream.py")
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
ENDS_S = 5.0


class Served:
    """A project and the log of its server."""

    def __init__(self, folder: Path, *, tools: tuple[str, ...] = ("mcp/up.echo", "mcp/up.hang")) -> None:
        self.log = folder / "log"
        self.project = made(folder / "project", {"up": entry(self.log)}, tools)
        self.log.unlink()  # what pinning it said

    @property
    def noted(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def entry(log: Path) -> dict[str, Any]:
    return {"command": sys.executable, "args": [UPSTREAM, str(log)]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("served"))


@pytest.fixture(autouse=True)
def _forgotten(served: Served) -> None:
    served.log.unlink(missing_ok=True)


class Process:
    """One ``licet serve``, spoken to in lines of JSON."""

    def __init__(self, project: Project, *command: str) -> None:
        self.process = subprocess.Popen(
            command or project.command,
            cwd=project.folder.parent,
            env=dict(project.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._numbers = 0

    def ask(self, method: str, modern: bool = True, **params: Any) -> dict[str, Any]:
        self._send(method, modern, params)
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())  # type: ignore[union-attr]
            if answer.get("id") == self._numbers:
                return answer

    def begin(self, method: str, **params: Any) -> None:
        """Ask, and do not wait."""
        self._send(method, True, params)

    def shake_hands(self, version: str = "2025-11-25") -> dict[str, Any]:
        about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.ask("initialize", False, **about)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def end(self) -> str:
        """Close its input, and give what it said on standard error."""
        _, said = self.process.communicate(timeout=ENDS_S)
        return said

    def _send(self, method: str, modern: bool, params: dict[str, Any]) -> None:
        self._numbers += 1
        told = {**params, "_meta": MODERN_META} if modern else params
        self._write({"jsonrpc": "2.0", "id": self._numbers, "method": method, "params": told})

    def _write(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]


def is_gone(pid: int) -> bool:
    """Within the time that a server has to end."""
    until = time.monotonic() + ENDS_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        os.sched_yield()
    return False


def test_a_stateless_client_lists_and_calls(served: Served) -> None:
    licet = Process(served.project)
    listed = licet.ask("tools/list")["result"]
    called = licet.ask("tools/call", name="up__echo", arguments={"nonce": "n1"})["result"]
    assert licet.end() == ""
    assert [tool["name"] for tool in listed["tools"]] == ["up__echo", "up__hang"]
    assert (listed["ttlMs"], listed["cacheScope"], listed["resultType"]) == (0, "private", "complete")
    assert (called["content"], called["isError"]) == ([{"type": "text", "text": "n1"}], False)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_that_shakes_hands_lists_and_calls(version: str, served: Served) -> None:
    licet = Process(served.project)
    hello = licet.shake_hands(version)["result"]
    listed = licet.ask("tools/list", False)["result"]
    called = licet.ask("tools/call", False, name="up__echo", arguments={"nonce": "n2"})["result"]
    licet.end()
    assert (hello["protocolVersion"], hello["capabilities"]) == (version, {"tools": {"listChanged": True}})
    assert {"ttlMs", "resultType"}.isdisjoint(listed)
    assert called["content"] == [{"type": "text", "text": "n2"}]


def test_before_its_handshake_a_client_gets_nothing(served: Served) -> None:
    licet = Process(served.project)
    assert licet.ask("tools/list", False)["error"]["code"] == -32602
    assert licet.ask("tools/call", False, name="up__echo", arguments={})["error"]["code"] == -32602
    licet.end()
    assert served.noted == []


def test_listing_starts_no_server_and_refusals_reach_none(served: Served) -> None:
    licet = Process(served.project)
    licet.ask("tools/list")
    unknown = licet.ask("tools/call", name="up__write", arguments={})["error"]
    wrong = licet.ask("tools/call", name="up__echo", arguments={"nonce": 1})["result"]
    said = licet.end()
    assert (unknown["code"], unknown["message"]) == (-32602, "Unknown tool: up__write")
    assert wrong["content"][0]["text"].startswith("invalid_arguments: ")
    assert served.noted == []
    first, second = said.splitlines()
    config = f"--agent coder --config {served.project.folder}/licet.yaml"
    assert first.endswith(f"licet why mcp/up.write {config}")
    assert second.endswith(f"licet why mcp/up.echo '{{\"nonce\":1}}' {config}")


def test_the_command_that_a_refusal_names_explains_it(served: Served) -> None:
    licet = Process(served.project)
    licet.ask("tools/call", name="up__echo", arguments={"nonce": 1})
    command = licet.end().rpartition("explained by: ")[2]
    told = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        capture_output=True,
        text=True,
        cwd=served.project.folder.parent,
        env=dict(served.project.environment),
    )
    assert told.returncode == 3, told.stderr
    assert "/nonce" in told.stdout
    assert served.noted == []


def test_keys_that_stand_twice_are_refused_before_any_parser_chose_one(served: Served) -> None:
    licet = Process(served.project)
    licet.ask("tools/list")
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "up__echo", "arguments": {"nonce": "a"}, "_meta": MODERN_META},
        }
    )
    licet.process.stdin.write(line.replace('{"nonce": "a"}', '{"nonce": "a", "nonce": "b"}') + "\n")  # type: ignore[union-attr]
    licet.process.stdin.flush()  # type: ignore[union-attr]
    answer = json.loads(licet.process.stdout.readline())  # type: ignore[union-attr]
    licet.end()
    assert answer["result"]["content"][0]["text"].startswith("invalid_arguments: ")
    assert served.noted == []


def test_what_is_no_message_is_answered_and_costs_nothing(served: Served) -> None:
    licet = Process(served.project)
    for broken in ("not json", "[]", '{"jsonrpc": "2.0"}', "\ufffd" * 10):
        licet.process.stdin.write(broken + "\n")  # type: ignore[union-attr]
        licet.process.stdin.flush()  # type: ignore[union-attr]
        answer = json.loads(licet.process.stdout.readline())  # type: ignore[union-attr]
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert licet.ask("tools/list")["result"]["tools"]
    licet.end()


def test_requests_from_a_file_are_all_answered(served: Served, tmp_path: Path) -> None:
    requests = tmp_path / "requests"
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN_META}}
    calling = {"name": "up__echo", "arguments": {"nonce": "x"}, "_meta": MODERN_META}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": calling}
    requests.write_text(json.dumps(listing) + "\n" + json.dumps(call) + "\n")
    with open(requests) as asked, open(tmp_path / "answers", "w") as answers:
        subprocess.run(
            served.project.command, stdin=asked, stdout=answers, env=dict(served.project.environment), check=True
        )
    lines = (tmp_path / "answers").read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == [1, 2]


@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_it_ends_with_its_servers(how: str, served: Served) -> None:
    licet = Process(served.project)
    licet.ask("tools/call", name="up__echo", arguments={"nonce": "x"})
    licet.begin("tools/call", name="up__hang", arguments={})
    while "call hang " not in served.noted:
        os.sched_yield()
    if how == "SIGTERM":
        licet.process.send_signal(signal.SIGTERM)
        licet.process.wait(ENDS_S)  # with its input still open
    said = licet.end()
    assert licet.process.returncode == 0
    assert "Traceback" not in said
    assert is_gone(int(served.noted[0].split()[1]))


def test_one_server_is_governed_without_a_file_and_only_what_it_calls_read_only(tmp_path: Path, served: Served) -> None:
    log = tmp_path / "log"
    serve = (sys.executable, "-m", "licet", "serve", "--", sys.executable, UPSTREAM, str(log))
    licet = Process(served.project, *serve)
    listed = licet.ask("tools/list")["result"]["tools"]
    called = licet.ask("tools/call", name="command__echo", arguments={"nonce": "n"})["result"]
    refused = licet.ask("tools/call", name="command__write", arguments={})["error"]
    said = licet.end()
    assert [tool["name"] for tool in listed] == ["command__echo", "command__hang"]
    assert (called["content"][0]["text"], refused["message"]) == ("n", "Unknown tool: command__write")
    assert "call write" not in log.read_text()
    assert "mcp/command is first use" in said
    assert "licet why --refused " in said


# --- what does not even begin ---


def test_licet_does_not_serve_licet(served: Served) -> None:
    done = refused(served.project, *served.project.command, LICET_DEPTH="1")
    assert "licet does not serve licet" in done


def test_which_of_several_agents_has_to_be_said(tmp_path: Path, served: Served) -> None:
    both = {"agents": {"coder": {}, "reviewer": {}}}
    (tmp_path / "licet.yaml").write_text(json.dumps(both))
    command = (sys.executable, "-m", "licet")
    config = ("--config", str(tmp_path / "licet.yaml"))
    assert "licet trust" in refused(served.project, *command, "serve", *config)
    subprocess.run([*command, "trust", "--yes", *config], env=dict(served.project.environment), check=True)
    assert "has coder, reviewer" in refused(served.project, *command, "serve", *config)
    assert "no agent 'x'" in refused(served.project, *command, "serve", "--agent", "x", *config)


def test_without_a_lock_first_use_has_to_be_trusted(tmp_path: Path, served: Served) -> None:
    log = tmp_path / "log"
    file = tmp_path / "licet.yaml"
    file.write_text(json.dumps({"mcpServers": {"up": entry(log)}, "agents": {"coder": {"tools": ["mcp/up.echo"]}}}))
    command = (sys.executable, "-m", "licet")
    subprocess.run(
        [*command, "trust", "--yes", "--config", str(file)], env=dict(served.project.environment), check=True
    )
    serve = (*command, "serve", "--config", str(file))
    assert "nothing is pinned yet" in refused(served.project, *serve)
    assert not log.exists()
    licet = Process(served.project, *serve, "--trust-first-use")
    assert licet.ask("tools/list")["result"]["tools"] == []  # nobody vouches for it, and the mode is read_only
    assert "mcp/up is first use" in licet.end()


def refused(project: Project, *command: str, **environ: str) -> str:
    done = subprocess.run(
        command,
        env={**project.environment, **environ},
        cwd=project.folder.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr
