"""The registry that the environment asks for: where its tools run, what servers see, what is told when one fails."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from grove import ORACLE, PATIENCE_S, children, other_server

from licet.doors.mcp import MCPResolver, default_tool_registry, mcp_resolver_from_env
from licet.errors import CapabilityViolation, QuarantinedError, ServerUnavailableError, UnknownToolError

OMEN = {"omen": "A rusted orchard outlives its maker between two rivers."}
THEIRS = {"text": "from another server"}
INHERITED = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
ORACLE_LINE = " ".join(ORACLE)


def granting(*tools: str, **more: Any) -> Any:
    return SimpleNamespace(tools=list(tools), **more)


def quoted(script: Path, *words: str) -> str:
    return f"{sys.executable} '{script}' {' '.join(words)}"


@pytest.mark.requirement("env.offline-default")
def test_with_neither_variable_the_oracle_is_in_process_and_nothing_is_started() -> None:
    before = children()
    with default_tool_registry({}) as registry:
        assert [spec.name for spec in registry.list_tools()] == ["local/oracle"]
        assert registry.call("x", granting("oracle"), "oracle", {"seed": "red"}) == OMEN
        via = json.loads(list(registry.runtime.ledger.entries())[-1].trace)["via"]
        assert (via, children() - before) == ("in_process", set())


@pytest.mark.requirement("env.mcp-oracle")
@pytest.mark.parametrize("mode", [None, "read_only"])
def test_the_shorthand_calls_the_oracle_over_mcp_and_registers_nothing(mode: Any) -> None:
    before = children()
    with default_tool_registry({"MCP_ORACLE": "1"}) as registry:
        assert (registry.list_tools(), registry.get("oracle")) == ([], None)
        assert children() == before, "nothing starts before a granted tool is asked for"
        assert registry.call("x", granting("oracle", mode=mode), "oracle", {"seed": "red"}) == OMEN
        assert children() - before
        trace = json.loads(list(registry.runtime.ledger.entries())[-1].trace)
        assert (trace["via"], trace["tool"]) == ("mcp_stdio", "mcp/server1.oracle")
        with pytest.raises(KeyError) as raised:
            registry.call("x", granting("other"), "other", {})
        assert isinstance(raised.value, UnknownToolError)
        kinds = [entry.kind for entry in registry.runtime.ledger.entries()]
        assert kinds.count("pin.first_use") == 1
        assert registry.list_tools() == []
    assert children() == before, "and nothing is left behind"


@pytest.mark.requirement("env.mcp-servers", "env.mcp-oracle")
def test_two_servers_with_quotes_answer_in_their_order_and_the_shorthand_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LICET_CANARY", "canary")
    script = other_server(tmp_path)
    environ = {"MCP_SERVERS": f"{ORACLE_LINE} :: {quoted(script)}", "MCP_ORACLE": "1"}
    with default_tool_registry(environ) as registry:
        assert registry.call("x", granting("oracle"), "oracle", {"seed": "red"}) == OMEN
        assert registry.call("x", granting("mcp/server2.oracle"), "mcp/server2.oracle") == {
            "text": "from another server"
        }
        seen = set(registry.call("x", granting("reader"), "reader")["text"].split())
        assert seen - INHERITED == {"LICET_DEPTH"} | (seen & {"LC_CTYPE"}), "six variables, and how deep it stands"
        assert registry.describe(["oracle", "reader"]) == {
            "oracle": "Draw a cryptic omen. Params: {seed: str}.",
            "reader": "reader of another server",
        }
    with default_tool_registry({"MCP_SERVERS": f"{quoted(script)} :: {ORACLE_LINE}"}) as registry:
        assert registry.call("x", granting("oracle"), "oracle", {}) == THEIRS


@pytest.mark.requirement("env.mcp-servers")
def test_a_dead_server_is_told_by_its_command_and_nobody_takes_its_place() -> None:
    environ = {"MCP_SERVERS": f"licet-no-such-server --token s3cret :: {ORACLE_LINE}"}
    with default_tool_registry(environ) as registry:
        with pytest.raises(ServerUnavailableError) as raised:
            registry.call("x", granting("oracle"), "oracle", {"seed": "red"})
        assert raised.value.reason == "spawn_failed"
        assert "licet-no-such-server" in str(raised.value)
        assert "s3cret" not in f"{raised.value!r} {raised.value.__cause__!r}"
        with pytest.raises(ServerUnavailableError):
            registry.describe(["oracle"])
        assert registry.call("x", granting("mcp/server2.oracle"), "mcp/server2.oracle", {"seed": "red"}) == OMEN
        entries = [entry.body for entry in registry.runtime.ledger.entries()]
        assert not any(b"s3cret" in body for body in entries)


def test_a_tool_whose_name_looks_like_anothers_is_quarantined_and_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "alike.py"
    script.write_text(other_server(tmp_path).read_text().replace('"unsaid": None', '"READER": True'))
    with default_tool_registry({"MCP_SERVERS": quoted(script)}) as registry:
        with pytest.raises(QuarantinedError):
            registry.call("x", granting("READER"), "READER", {})
        assert registry.call("x", granting("oracle"), "oracle") == THEIRS


# --- grants first ---

WATCHED = """
import sys
from types import SimpleNamespace
from licet.doors.mcp import default_tool_registry
from licet.errors import CapabilityViolation

registry = default_tool_registry({"MCP_ORACLE": "1"})
nobody = SimpleNamespace(tools=[])

def knock(name):
    try:
        registry.call("scene-whisperer", nobody, name, {"seed": "red"})
    except CapabilityViolation:
        return 1
    return 0

knock("oracle")  # what a first refusal imports is not what is measured
seen = []
WORDS = ("open", "os.", "socket.", "subprocess.", "ctypes.", "import")
sys.addaudithook(lambda event, args: seen.append(event) if event.startswith(WORDS) else None)
denied = sum(knock(name) for name in ("oracle", "mcp/server1.oracle") for _ in range(500))
noted = seen[:]
kinds = [entry.kind for entry in registry.runtime.ledger.entries()]
print(denied, noted, len(kinds), set(kinds))
"""


@pytest.mark.requirement("call.grant-before-transport")
def test_a_thousand_denied_calls_open_nothing_start_nothing_and_stand_on_the_ledger() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert done.stdout.strip() == "1000 [] 1001 {'tool.refused'}"


@pytest.mark.requirement("call.grant-before-transport")
def test_a_resolver_that_watches_sees_nothing_of_a_denied_call() -> None:
    resolver = mcp_resolver_from_env({"MCP_ORACLE": "1"})
    assert resolver is not None
    asked: list[str] = []

    class Watching:
        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return getattr(resolver, name)

    with default_tool_registry({"MCP_ORACLE": "0"}) as registry, resolver:
        registry.remove("oracle")
        registry.set_resolver(Watching())  # type: ignore[arg-type]
        asked.clear()
        for _ in range(1_000):
            with pytest.raises(CapabilityViolation):
                registry.call("x", granting("other"), "oracle", {"seed": "red"})
        assert asked == []
        assert registry.call("x", granting("oracle"), "oracle", {"seed": "red"}) == OMEN
        assert asked


# --- without the extra ---

WITHOUT = """
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "anyio", "uvicorn", "starlette", "pydantic", "httpx2"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuses())
"""

OFFLINE = f"""{WITHOUT}
from types import SimpleNamespace
from licet import default_tool_registry
from licet.errors import ServerUnavailableError

manifest = SimpleNamespace(tools=["oracle"])
print(default_tool_registry({{}}).call("x", manifest, "oracle", {{"seed": "red"}})["omen"])
try:
    default_tool_registry({{"MCP_ORACLE": "1"}}).call("x", manifest, "oracle", {{"seed": "red"}})
except ServerUnavailableError as exc:
    print(exc.reason, exc)
"""


def run(code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.requirement("mcp.optional-extra", "env.offline-default")
def test_without_the_extra_the_oracle_works_in_process_and_over_mcp_says_what_to_install() -> None:
    done = run(OFFLINE)
    assert (done.returncode, done.stderr) == (0, "")
    omen, refused = done.stdout.splitlines()
    assert omen == OMEN["omen"]
    assert refused.startswith("mcp_missing ")
    assert "licet[mcp]" in refused


@pytest.mark.requirement("mcp.optional-extra")
@pytest.mark.parametrize("words", [[], ["--http", "0"]])
def test_without_the_extra_the_oracles_server_says_what_to_install(words: list[str]) -> None:
    done = run(f"{WITHOUT}\nfrom licet.bundles.grove.server import main\nsys.exit(main(sys.argv[1:]))", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "licet[mcp]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["--http", "70000"], ["--http", "-1"], ["--http", "x"], ["more"]])
def test_the_oracles_server_refuses_what_is_no_port(words: list[str]) -> None:
    done = subprocess.run([*ORACLE, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_oracles_server_says_that_its_port_is_taken() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*ORACLE, "--http", port], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert port in done.stderr


def test_a_folder_that_pretends_to_be_licet_is_not_imported_by_the_oracles_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("licet", "mcp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('imported', 'w').close()\nraise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    with default_tool_registry({"MCP_ORACLE": "1"}) as registry:
        assert registry.call("x", granting("oracle"), "oracle", {"seed": "red"}) == OMEN
    assert not os.path.exists("imported")


def test_a_resolver_of_the_environment_is_closed_by_whoever_has_it() -> None:
    before = children()
    resolver = mcp_resolver_from_env({"MCP_ORACLE": "1"})
    assert isinstance(resolver, MCPResolver)
    with resolver:
        assert resolver.call("oracle", {"seed": "red"}) == OMEN
    assert children() == before
