"""A checkout of somebody else's starts nothing and reads nothing of mine, with any command, until I trust it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from process import PATIENCE_S, environment

from licet.cli import COMMANDS

CANARY = "canary-5b1e0f77"
"""Stands in a variable and in a file of the user's. Nothing that a command says or opens may hold it."""

WATCHED = """
import sys

seen = open(sys.argv[1], "a", encoding="utf-8", errors="replace")
def hook(event, arguments):
    if event.startswith(("subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "pty.", "socket.connect")):
        seen.write(f"START {event} {arguments!r}\\n")
    elif event == "open" and isinstance(arguments[0], (str, bytes)):
        seen.write(f"OPEN {arguments[0]!r}\\n")
sys.addaudithook(hook)
from licet.cli import main
code = main(sys.argv[2:])
seen.flush()
sys.exit(code)
"""

YAML = """
mcpServers:
  git: {{command: {python}, args: [{script}, "${{CANARY}}"], env: {{TOKEN: "${{CANARY}}"}}}}
  web: {{url: "http://127.0.0.1:9/${{CANARY}}", headers: {{Authorization: "Bearer ${{CANARY}}"}}}}
tools:
  mcp/*: {{read_only: true, approval: false}}
agents:
  coder: {{mode: danger_full_access, globs: [mcp/*], groups: [read_only_builtins], roots: [danger_full_access]}}
"""

ARGV: dict[str, list[list[str]]] = {
    "explore": [["explore", "."]],
    "probe": [["probe"], ["probe", "."]],
    "conformance": [
        ["conformance", "--list"],
        ["conformance", "--list", "--suite", "core"],
    ],  # a target is its user's word
    "tools": [["tools"], ["tools", "--agent", "coder"], ["tools", "--config", "licet.yaml", "--json"]],
    "call": [
        ["call", "mcp/git.status", "--agent", "coder"],
        ["call", "read", '{"path": "/canary"}', "--agent", "coder"],
        ["call", "mcp/git.status", "--config", "licet.yaml", "--grant", "mcp/git.status"],
    ],
    "why": [["why", "mcp/git.status", "--agent", "coder"], ["why", "--refused", "--agent", "coder"]],
    "runs": [["runs"], ["runs", "--agent", "coder"]],
    "rollback": [["rollback", "last", "--agent", "coder"]],
    "ledger": [["ledger", "show", "--agent", "coder"], ["ledger", "verify", "--config", "licet.yaml"]],
    "run": [["run", "evil"], ["run", "oracle-grove"], ["run", "config/scenarios/evil.yaml", "--mcp"]],
    "resume": [["resume", "last", "yes"]],
    "replay": [["replay", "last"]],
    "init": [["init"], ["init", "--from", ".mcp.json", "--dry-run"]],
    "trust": [["trust"]],
    "check": [["check"], ["check", "--json"]],
    "lock": [
        ["lock"],
        ["lock", "--check"],
        ["lock", "--accept", "git"],
        ["lock", "--accept", "git", "--digest", "sha256:" + "0" * 64],
    ],
    "profile": [["profile", "show"], ["profile", "diff", "observe", "full"]],
    "litellm": [
        ["litellm", "write", "--agent", "coder", "--url", "http://127.0.0.1:9/mcp"],
        ["litellm", "lint", "licet.yaml", "--url", "http://127.0.0.1:9/mcp"],
    ],
    "serve": [["serve"], ["serve", "--agent", "coder"], ["serve", "--http", "0", "--trust-first-use"]],
    "decisions": [
        ["decisions", "serve", "--config=licet.yaml"],
        ["decisions", "operator", "--config=licet.yaml", "keys"],
    ],
    "install": [["install", "claude", "--print"], ["install", "vscode"]],
}
STARTS_CHILDREN_OF_ITS_OWN = {"explore", "probe"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "config" / "agents").mkdir(parents=True)
    script = folder / "server.py"
    script.write_text(f"open({str(tmp_path / 'started')!r}, 'w').close()\n")
    (folder / "licet.yaml").write_text(YAML.format(python=sys.executable, script=script))
    servers = {"git": {"command": sys.executable, "args": [str(script)]}}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (folder / "config" / "agents" / "evil.yaml").write_text("tools: ['*']\n")
    (folder / "config" / "scenarios").mkdir()
    (folder / "config" / "scenarios" / "evil.yaml").write_text("name: evil\ncast: [evil]\n")
    (folder / "licet.lock").write_text('{"version": 1, "servers": {}}\n')
    (tmp_path / "canary.txt").write_text(CANARY)
    return folder


def run(folder: Path, seen: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    home = folder.parent
    return subprocess.run(
        [sys.executable, "-c", WATCHED, str(seen), *words],
        cwd=folder,
        env={**environment(folder), "HOME": str(home), "CANARY": CANARY},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        text=True,
        timeout=PATIENCE_S,
    )


@pytest.mark.requirement("own.configuration-trust")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_checkout_starts_nothing_before_it_is_trusted(command: str, checkout: Path, tmp_path: Path) -> None:
    for number, words in enumerate(ARGV[command]):
        seen = tmp_path / f"seen{number}"
        done = run(checkout, seen, *words)
        events = seen.read_text("utf-8")
        told = f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert not (tmp_path / "started").exists(), told
        assert "canary.txt" not in events, told
        assert CANARY not in done.stdout + done.stderr, told
        assert "Traceback" not in done.stderr, told
        if command not in STARTS_CHILDREN_OF_ITS_OWN:
            assert "START" not in events, events
        if "--agent" in words or "--config" in words or command in ("serve", "lock"):
            assert (done.returncode, "licet trust" in done.stderr) == (2, True), told


@pytest.mark.requirement("own.configuration-trust")
def test_the_control_a_trusted_checkout_starts_its_servers(checkout: Path, tmp_path: Path) -> None:
    (checkout / "licet.lock").unlink()
    assert run(checkout, tmp_path / "seen", "trust", "--yes").returncode == 0
    assert not (tmp_path / "started").exists(), "to trust is not to start"
    run(checkout, tmp_path / "seen", "tools", "--agent", "coder")
    assert (tmp_path / "started").exists()


@pytest.mark.requirement("own.configuration-trust")
@pytest.mark.parametrize("changed", ["licet.yaml", "licet.lock", "config/agents/evil.yaml", "config/agents/new.yaml"])
def test_a_change_of_any_trusted_file_takes_the_trust_away(changed: str, checkout: Path, tmp_path: Path) -> None:
    assert run(checkout, tmp_path / "seen", "trust", "--yes").returncode == 0
    assert "not trusted" not in run(checkout, tmp_path / "seen", "runs", "--agent", "coder").stderr
    with (checkout / changed).open("a") as file:
        file.write("\n")
    done = run(checkout, tmp_path / "seen", "tools", "--agent", "coder")
    assert (done.returncode, "licet trust" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "started").exists()
