"""Commands for an agent of the configuration: its grants, its ledger; and options that only narrow."""

import json
import os
from pathlib import Path

import pytest

from licet.cli import main

YAML = """
mcpServers:
  far: {command: /nonexistent/licet-test-server}
agents:
  coder: {mode: workspace_write, tools: [mcp/far.x, write], groups: [read_only_builtins], roots: [src]}
  reader: {tools: [read], roots: [.]}
  anywhere: {mode: danger_full_access, tools: [read], roots: [danger_full_access]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "a.txt").write_text("one\n")
    (folder / "licet.yaml").write_text(YAML)
    (folder / "licet.lock").write_text('{\n  "servers": {},\n  "version": 1\n}\n')
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LICET_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert main(["trust", "--yes"]) == 0
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(list(words))
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def test_an_agent_calls_with_its_own_grants_and_its_ledger_is_beside_the_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "call", "read", '{"path": "a.txt"}', "--agent", "coder", "--json")
    assert (code, json.loads(out)["output"]["text"]) == (0, "one\n")
    ledger = project / ".licet" / "ledger.db"
    assert ledger.exists()
    assert (project / ".licet" / ".gitignore").read_text() == "*\n"
    assert oct(ledger.parent.stat().st_mode)[-3:] == "700"
    code, out, _ = run(capsys, "runs", "--agent", "coder", "--json")
    assert [found["actor"] for found in json.loads(out)] == ["coder"]
    code, out, _ = run(capsys, "ledger", "show", "--config", "licet.yaml", "--json")
    assert {entry["kind"] for entry in json.loads(out)} == {"grant.expanded", "tool.requested", "tool.completed"}
    assert run(capsys, "ledger", "verify", "--agent", "coder")[0] == 0


def test_what_an_agent_was_not_granted_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "call", "write", '{"path": "b", "content": ""}', "--agent", "reader")
    assert (code, "not_granted" in err) == (3, True)
    assert not (project / "b").exists()


def test_a_server_that_is_not_pinned_is_a_line_of_every_command(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "tools", "--agent", "coder", "--json")
    told = json.loads(out)
    assert (code, told["agent"]) == (0, "coder")
    assert [(line["server"], line["state"]) for line in told["servers"]] == [("mcp/far", "not_pinned")]
    assert "licet: mcp/far is not pinned" in err
    code, _, err = run(capsys, "call", "mcp/far.x", "--agent", "coder")
    assert (code, "not_pinned" in err) == (3, True)
    code, out, _ = run(capsys, "why", "mcp/far.x", "--agent", "coder", "--json")
    assert code == 3
    assert [check["code"] for check in json.loads(out)["checks"] if check["verdict"] == "deny"] == ["not_pinned"]


@pytest.mark.parametrize(
    ("agent", "options", "left"),
    [
        ("coder", [], {"ls", "find", "grep", "read", "write"}),
        ("coder", ["--grant", "read"], {"read"}),
        ("coder", ["--grant", "full"], {"ls", "find", "grep", "read", "write"}),
        ("coder", ["--grant", "glob:*"], {"ls", "find", "grep", "read", "write"}),
        ("coder", ["--mode", "read-only"], {"ls", "find", "grep", "read"}),
        ("coder", ["--mode", "workspace-write", "--root", "src/deep"], {"ls", "find", "grep", "read", "write"}),
        ("anywhere", ["--root", "src"], {"read"}),
    ],
)
def test_options_narrow_what_an_agent_may_do(
    agent: str, options: list[str], left: set[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "tools", "--agent", agent, "--json", *options)
    assert code == 0
    assert {tool["name"] for tool in json.loads(out)["tools"] if tool["listed"]} == left


@pytest.mark.parametrize(
    ("agent", "options", "told"),
    [
        ("reader", ["--grant", "write"], "holds no grant for write"),
        ("reader", ["--grant", "nowhere"], "holds no grant for nowhere"),
        ("reader", ["--mode", "workspace-write"], "does not narrow"),
        ("coder", ["--mode", "danger-full-access"], "does not narrow"),
        ("coder", ["--mode", "writing"], "does not narrow"),
        ("coder", ["--root", "."], "in no root of the agent"),
        ("coder", ["--root", "src/../.."], "in no root of the agent"),
        ("reader", ["--root", "danger-full-access"], "may not go everywhere"),
        ("nobody", [], "has no agent 'nobody'"),
        ("coder", ["--from", "ours:tools"], "drop one of the two"),
        ("coder", ["--config", "other.yaml"], "other.yaml"),
    ],
)
def test_an_option_that_asks_for_more_is_refused_before_anything_runs(
    agent: str, options: list[str], told: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "tools", "--agent", agent, *options)
    assert (code, out) == (2, "")
    assert told in err


def test_a_link_out_of_a_root_is_no_narrower_root(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.symlink("/", project / "src" / "out")
    code, _, err = run(capsys, "tools", "--agent", "coder", "--root", "src/out")
    assert (code, "in no root of the agent" in err) == (2, True)


def test_without_an_agent_a_configuration_with_several_asks_which(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "tools", "--config", "licet.yaml")
    assert (code, "coder, reader, anywhere" in err) == (2, True)


def test_without_the_options_a_configuration_is_not_looked_at(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "licet.yaml").write_text("nonsense: [")
    code, out, _ = run(capsys, "tools", "--grant", "read", "--root", ".", "--json")
    assert code == 0
    assert isinstance(json.loads(out), list)
