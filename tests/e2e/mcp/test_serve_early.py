"""``licet serve`` while the SDK is still being imported: here that waits until the test lets it go on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peers.serving import Project, made

UPSTREAM = str(Path(__file__).parent / "upstream.py")
ENDS_S = 10.0
HELD = """
import os, sys

class Held:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp.server":
            sys.meta_path.remove(self)
            with open(os.environ["IMPORTING"], "w") as told:
                told.write("importing")
            with open(os.environ["GO_ON"]) as gate:
                gate.read()

sys.meta_path.insert(0, Held())
"""
ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO = {"jsonrpc": "2.0", "id": "one", "method": "initialize", "params": ABOUT}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LISTING = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
CALL = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "up__echo", "arguments": {"nonce": "n"}},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("early")
    entry = {"command": sys.executable, "args": [UPSTREAM, str(folder / "log")]}
    return made(folder / "project", {"up": entry}, ("mcp/up.echo",))


class Serving:
    """One ``licet serve`` whose import of the SDK is held."""

    def __init__(self, project: Project, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(HELD)
        self._importing, self._gate = folder / "importing", folder / "gate"
        for fifo in (self._importing, self._gate):
            os.mkfifo(fifo)
        held = {"PYTHONPATH": str(folder), "IMPORTING": str(self._importing), "GO_ON": str(self._gate)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            project.command, env={**project.environment, **held}, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def say(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def is_importing(self) -> None:
        """Waits for it."""
        assert self._importing.read_text() == "importing"

    def go_on(self) -> None:
        self._gate.write_text("")

    def ends(self) -> list[dict[str, Any]]:
        """What it still answered; closes its input."""
        out, said = self.process.communicate(timeout=ENDS_S)
        assert (self.process.returncode, said) == (0, "")
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def serving(project: Project, tmp_path: Path) -> Iterator[Serving]:
    found = Serving(project, tmp_path)
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.communicate()


def test_a_client_is_answered_while_the_sdk_is_imported_and_called_for_afterwards(serving: Serving) -> None:
    serving.say(HELLO)
    assert serving.answer()["result"]["protocolVersion"] == "2025-11-25"
    serving.is_importing()
    serving.say(INITIALIZED, LISTING)
    assert [tool["name"] for tool in serving.answer()["result"]["tools"]] == ["up__echo"]
    serving.say(CALL)
    serving.go_on()
    called = serving.answer()
    assert (called["id"], called["result"]["content"][0]["text"]) == (3, "n")
    serving.say({**LISTING, "id": "2"}, LISTING)  # the SDK answers, also under an id that was answered before it came
    assert sorted(str(serving.answer()["id"]) for _ in range(2)) == ["2", "2"]
    assert serving.ends() == []


def test_a_client_that_calls_at_once_is_answered_once_for_each_request_and_in_order(serving: Serving) -> None:
    serving.say(HELLO, INITIALIZED, LISTING, CALL)
    assert [serving.answer()["id"] for _ in range(2)] == ["one", 2]
    serving.is_importing()
    serving.go_on()
    assert serving.answer()["id"] == 3
    assert serving.ends() == []


def test_a_client_that_goes_in_mid_import_ends_it(serving: Serving) -> None:
    serving.say(HELLO)
    serving.answer()
    serving.is_importing()
    assert serving.process.stdin is not None
    serving.process.stdin.close()
    serving.process.stdin = None
    serving.go_on()
    assert serving.ends() == []


@pytest.mark.parametrize("pending", [(), (CALL,)], ids=["nothing", "a call"])
def test_sigterm_in_mid_import_ends_it_and_what_waits_never_runs(
    pending: tuple[dict[str, Any], ...], serving: Serving, project: Project
) -> None:
    log = project.folder.parent / "log"
    log.unlink(missing_ok=True)
    serving.say(HELLO, INITIALIZED, *pending)
    serving.answer()
    serving.is_importing()
    serving.process.send_signal(signal.SIGTERM)
    serving.go_on()
    serving.process.wait(ENDS_S)  # with its input still open
    assert serving.ends() == []
    assert not log.exists()


def test_a_client_that_only_looks_never_waits_for_the_sdk(project: Project) -> None:
    asked = "".join(json.dumps(message) + "\n" for message in (HELLO, INITIALIZED, LISTING))
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *project.command[1:]],
        env=dict(project.environment),
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["one", 2]
    imported = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "licet.gateway.early" in imported
    assert not {name for name in imported if name.partition(".")[0] in {"mcp", "mcp_types", "anyio", "pydantic"}}
