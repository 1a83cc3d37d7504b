"""``licet tools --dialect``: the wire of a provider, what is lost on it, and nothing that was not granted."""

import json
from pathlib import Path

import pytest

from licet.cli import main
from licet.cli.wire import DIALECTS
from licet.dialects import anthropic

YAML = """
agents:
  coder: {mode: workspace_write, tools: [read, write], roots: [.], names: {read: look}}
"""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["tools", *words])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_document_holds_the_wire_of_what_is_granted_and_its_losses(
    dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--grant", "read", "--grant", "write", "--root", str(tmp_path), "--dialect", dialect, "--json")
    code, out, _ = run(capsys, *words)
    told = json.loads(out)
    assert (code, told["dialect"], told["names"]) == (0, dialect, {"read": "read"}), "a reader is offered no write"
    assert "Read lines of a text file" in json.dumps(told["tools"])
    assert "Write" not in json.dumps(told["tools"])
    assert told["refused"] == {}
    for loss in told["losses"]:
        assert loss.keys() == {"tool", "path", "keyword", "became"}
        assert loss["tool"] == "read"
    assert bool(told["losses"]) is (dialect in ("bedrock", "gemini", "ollama"))


def test_as_text_the_wire_comes_first_and_the_losses_are_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--grant", "read", "--root", str(tmp_path), "--dialect", "ollama")
    wire, _, table = out.partition("\n]\n")
    assert code == 0
    assert json.loads(wire + "]")[0]["function"]["name"] == "read"
    assert table.splitlines()[1].split() == ["tool", "where", "keyword", "became"]
    assert "read  /properties/path" in table
    assert "1 tool in the dialect ollama; 1 with a schema that goes over otherwise" in err


def test_without_a_grant_it_is_every_registered_tool_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--dialect", "anthropic")
    assert code == 0
    assert [tool["name"] for tool in json.loads(out)] == ["ls", "find", "grep", "read", "write", "edit"]
    assert "every schema goes over as it is registered" in err
    assert "licet: nothing is granted" in err


@pytest.mark.parametrize("dialect", ["", "OpenAI", "openai", "../x", "offer", "names"])
def test_a_dialect_that_there_is_not_is_a_typed_error_with_those_that_there_are(
    dialect: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--dialect", dialect)
    assert (code, out) == (2, "")
    assert err == f"licet: --dialect {dialect!r} is none; use one of {', '.join(DIALECTS)}\n"


def test_an_agent_shows_its_tools_and_its_own_names_to_who_is_served_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "licet.yaml").write_text(YAML)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LICET_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert main(["trust", "--yes"]) == 0
    code, out, _ = run(capsys, "--agent", "coder", "--dialect", "mcp", "--json")
    told = json.loads(out)
    assert (code, told["agent"], told["servers"]) == (0, "coder", [])
    assert told["names"] == {"look": "read", "write": "write"}
    code, out, _ = run(capsys, "--agent", "coder", "--dialect", "anthropic", "--json")
    assert json.loads(out)["names"] == {"read": "read", "write": "write"}


def test_a_strict_tool_is_strict_on_the_wire(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
from licet import ToolSpec
closed = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
tools = [ToolSpec(name="t", input_schema=closed, strict=True, handler=lambda a: {})]
"""
    (tmp_path / "wire_tools.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    _, out, _ = run(capsys, "--from", "wire_tools:tools", "--dialect", "openai_responses", "--json")
    assert [tool["strict"] for tool in json.loads(out)["tools"]] == [True]


def test_every_dialect_of_the_command_is_one(tmp_path: Path) -> None:
    """And the other way round: what has ``compile`` and is a provider's wire is asked for by its name."""
    folder = Path(anthropic.__file__).parent
    made = {file.stem for file in folder.glob("*.py") if "\ndef compile(" in file.read_text("utf-8")}
    assert made - {"grammar", "mcp_offer"} == set(DIALECTS) - {"mcp"}
