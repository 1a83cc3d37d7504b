"""``licet check`` and ``licet trust`` with profiles and a contract file beside the configuration."""

import json
from pathlib import Path

import pytest

from licet.cli import main
from licet.cli.trust import agent_lines
from licet.profiles.terms import FILE, text
from licet.project.config import load

ENGINE = "mcpServers:\n  algenta: {command: x}\nagents:\n  a:\n    profile: "


def checked(folder: Path, yaml: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    (folder / "licet.yaml").write_text(yaml)
    code = main(["check", "--config", str(folder / "licet.yaml")])
    return code, capsys.readouterr().out.splitlines()


def test_full_is_something_to_look_at_and_observe_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = checked(tmp_path, ENGINE + "full\n", capsys)
    assert code == 1
    assert any(":5: fails_open: the profile full grants whatever" in line for line in told)
    assert [line for line in checked(tmp_path, ENGINE + "observe\n", capsys)[1] if "unpinned" not in line] == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (text(), None),
        (text().replace(b'"*"', b'["get_contract"]'), "1: contract: /profiles/full/tools: full is everything"),
        (text().replace(b'"govern": {', b'"x": 1, "govern": {'), "1: contract: /profiles/x: there is no such key"),
        (b"{", "1: contract: /: not JSON"),
        (text().replace(b"algenta_", b"other_"), "1: contract: it is not the contract in force"),
    ],
    ids=["as it is", "full is a list", "an unknown key", "no JSON", "another prefix"],
)
def test_a_contract_beside_the_configuration_is_looked_at(
    content: bytes, problem: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / FILE).write_bytes(content)
    code, told = checked(tmp_path, "agents: {}\n", capsys)
    found = [line for line in told if FILE in line]
    assert (code, len(found)) == ((0, 0) if problem is None else (1, 1))
    assert problem is None or f"{FILE}:{problem}" in found[0]


def test_the_document_of_check_names_the_contract_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / FILE).write_bytes(text())
    (tmp_path / "licet.yaml").write_text("agents: {}\n")
    assert main(["check", "--json", "--config", str(tmp_path / "licet.yaml")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [Path(one["file"]).name for one in told["config"]] == [FILE]


def test_whoever_trusts_a_file_is_shown_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "licet.yaml"
    path.write_text(ENGINE + "{name: execute, server: mcp/algenta}\n")
    (agent,) = load(path).agents.values()
    assert list(agent_lines(agent)) == ["a: workspace_write, no folder", "  the profile execute on mcp/algenta"]
