"""``licet install`` shows the change to a client's file, and writes it only after a yes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from licet.cli import ask as asking
from licet.cli import main
from licet.project.trust import trust

Install = Callable[..., tuple[int, str, str]]
FILE = {
    "mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"TOKEN": "${TOKEN}"}}},
    "agents": {"coder": {"tools": ["mcp/git.git_log"]}},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted configuration, with the home and the state of somebody else."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "licet.yaml").write_text(json.dumps(FILE))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LICET_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    trust(folder / "licet.yaml", tmp_path / "state")
    return folder


@pytest.fixture
def install(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Install:
    """Runs it with somebody at a terminal who says one thing, or with nobody there: None."""

    def run(*words: str, says: bool | None = True) -> tuple[int, str, str]:
        monkeypatch.setattr(asking, "ask", lambda text, device=None: says)
        code = main(["install", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_yes_writes_the_entry_and_keeps_what_was_there(project: Path, tmp_path: Path, install: Install) -> None:
    before = '{\n  "mcpServers": {"git": {"command": "uvx"}}\n}\n'
    (project / ".mcp.json").write_text(before)
    code, _, said = install("claude")
    assert code == 0
    servers = json.loads((project / ".mcp.json").read_text())["mcpServers"]
    assert servers["git"] == {"command": "uvx"}
    assert servers["licet"]["args"][-4:] == ["--agent", "coder", "--config", str(project / "licet.yaml")]
    assert servers["licet"]["env"] == {"TOKEN": "${TOKEN}", "LICET_HOME": str(tmp_path / "state")}
    assert (project / ".mcp.json.before-licet").read_text() == before
    assert "goes on starting git by itself, past licet" in said


@pytest.mark.parametrize(("says", "words"), [(False, ()), (None, ()), (True, ("--print",))])
def test_without_a_yes_nothing_is_written(
    says: bool | None, words: tuple[str, ...], project: Path, install: Install
) -> None:
    code, out, _ = install("claude", *words, says=says)
    assert code == (3 if says is False else 0)
    assert ('+    "licet": {' in out) is (says is not False)
    assert not (project / ".mcp.json").exists()


def test_an_entry_that_is_there_already_is_left_as_it_is(project: Path, install: Install) -> None:
    install("claude")
    written = (project / ".mcp.json").read_bytes()
    code, out, said = install("claude")
    assert (code, out) == (0, "")
    assert "already" in said
    assert (project / ".mcp.json").read_bytes() == written
    assert not list(project.glob(".mcp.json.before*"))


def test_each_clients_own_file_is_made_where_there_is_none(project: Path, tmp_path: Path, install: Install) -> None:
    for client in ("cursor", "vscode", "codex"):
        assert install(client)[0] == 0
    assert json.loads((tmp_path / "home" / ".cursor" / "mcp.json").read_text())["mcpServers"]["licet"]
    assert json.loads((project / ".vscode" / "mcp.json").read_text())["servers"]["licet"]["type"] == "stdio"
    assert "[mcp_servers.licet]" in (tmp_path / "home" / ".codex" / "config.toml").read_text()


def test_an_earlier_copy_is_not_overwritten(project: Path, install: Install) -> None:
    (project / ".mcp.json").write_text("{}")
    (project / ".mcp.json.before-licet").write_text("the first")
    install("claude")
    assert (project / ".mcp.json.before-licet").read_text() == "the first"
    assert (project / ".mcp.json.before-licet-2").read_text() == "{}"


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b'{"mcpServers": []}'])
def test_a_file_that_is_not_understood_stays_as_it_is(content: bytes, project: Path, install: Install) -> None:
    (project / ".mcp.json").write_bytes(content)
    code, _, said = install("claude")
    assert (code, (project / ".mcp.json").read_bytes()) == (2, content)
    assert ".mcp.json" in said


def test_a_link_is_not_followed(project: Path, tmp_path: Path, install: Install) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    (project / ".mcp.json").symlink_to(tmp_path / "elsewhere")
    assert install("claude")[0] == 2
    assert (tmp_path / "elsewhere").read_text() == "{}"


def test_of_several_agents_one_has_to_be_named_and_names_its_entry(
    project: Path, tmp_path: Path, install: Install
) -> None:
    (project / "licet.yaml").write_text(json.dumps({"agents": {"coder": {}, "reviewer": {}}}))
    trust(project / "licet.yaml", tmp_path / "state")
    assert install("claude")[0] == 2
    assert install("claude", "--agent", "reviewer")[0] == 0
    assert "licet-reviewer" in (project / ".mcp.json").read_text()


def test_what_is_not_trusted_is_not_installed(project: Path, install: Install) -> None:
    (project / "licet.yaml").write_text(json.dumps({**FILE, "plugin": "other"}))
    code, _, said = install("claude")
    assert code == 2
    assert "licet trust" in said
    assert not (project / ".mcp.json").exists()
