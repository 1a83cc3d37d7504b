"""What ``licet init`` takes over, what it skips, and that it overwrites nothing and writes nothing by halves."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from fake_servers import FakeServers
from other_client import SOURCE, answering, source, written
from said import Licet

from licet.project.config import load

# --- what it takes over ---


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".cursor/mcp.json", SOURCE),
        (".vscode/mcp.json", {"servers": SOURCE["mcpServers"], "inputs": []}),
        (
            ".vscode/mcp.json",
            '{\n// ours\n"servers": {"eye": {"command": "a" /* it */, "args": ["//x", "/*y*/",],},},}',
        ),
    ],
)
def test_the_usual_places_and_spellings_are_known(name: str, said: Any, folder: Path, licet: Licet) -> None:
    source(folder, said, name)
    assert licet("init").code == 0
    assert load(folder / "licet.yaml").servers[0].id == "eye"


def test_a_named_file_is_read_from_anywhere(folder: Path, tmp_path: Path, licet: Licet) -> None:
    source(tmp_path, SOURCE, "claude_desktop_config.json")
    assert licet("init", "--from", str(tmp_path / "claude_desktop_config.json")).code == 0
    assert str(tmp_path) not in written(folder)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "licet", "args": ["serve"]},
        {"command": "/opt/bin/licet", "args": ["serve"]},
        {"command": "python3", "args": ["-m", "licet", "serve"]},
        {"command": "uvx", "args": ["--from", "licet[mcp]", "licet", "serve"]},
        {"command": "uvx", "args": ["licet@0.1", "serve"]},
        {"command": "sh", "args": ["-c", "exec licet serve --agent a"]},
    ],
)
def test_an_entry_that_starts_licet_is_skipped(entry: dict[str, Any], folder: Path, licet: Licet) -> None:
    source(folder, {"mcpServers": {"ours": entry, "eye": {"command": "a"}}})
    said = licet("init")
    assert "ours is skipped: it starts licet itself" in said.err
    assert [server.id for server in load(folder / "licet.yaml").servers] == ["eye"]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"type": "sse", "url": "https://x"}, "its transport 'sse' is not spoken here"),
        ({"command": "a", "disabled": True}, "it is disabled there"),
        ({"command": "${HOME}/a"}, "variables never expand in a command"),
        ({"command": "a", "cwd": "${HOME}"}, "its cwd names a variable"),
        ({"command": "a", "args": "b"}, "its args is not what it has to be"),
        ({"command": "a", "env": {"A": 1}}, "its env is not what it has to be"),
        ({"command": "a", "url": "https://x"}, "it has neither a command nor a url, or both"),
        ({"url": "ftp://x"}, "the url is http:// or https://"),
        ({"url": "https://x", "headers": {"a b": "c"}}, "the header 'a b'"),
        ({"command": "a", "args": ["b\0c"]}, "a command, its arguments and its folder hold no NUL"),
        ([], "it is no object"),
    ],
)
def test_an_entry_that_cannot_be_used_is_skipped_and_costs_no_other(
    entry: Any, why: str, folder: Path, licet: Licet
) -> None:
    source(folder, {"mcpServers": {"bad": entry, "eye": {"command": "a"}}})
    said = licet("init")
    assert said.code == 0
    assert f"bad is skipped: {why}" in said.err
    assert [server.id for server in load(folder / "licet.yaml").servers] == ["eye"]


def test_a_variable_that_would_load_other_code_is_left_out(folder: Path, licet: Licet) -> None:
    source(folder, {"mcpServers": {"eye": {"command": "a", "env": {"LD_PRELOAD": "/x", "PYTHONPATH": "/y", "A": "1"}}}})
    said = licet("init")
    assert "LD_PRELOAD makes a program load other code" in said.err
    (server,) = load(folder / "licet.yaml").servers
    assert dict(server.env) == {"A": "${A}"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": {"a": 1, "a": 2}}', "[" * 200_000]
)
def test_what_is_no_such_file_is_refused_and_nothing_is_written(text: str, folder: Path, licet: Licet) -> None:
    source(folder, text)
    said = licet("init")
    assert said.code == 2
    assert ".mcp.json" in said.err
    assert not (folder / "licet.yaml").exists()


@pytest.mark.parametrize("text", ["/*" * 120_000, '"' * 250_001, ",\n" * 120_000, '{"mcpServers": {' + "//" * 100_000])
def test_a_file_full_of_signs_is_refused_at_once(text: str, folder: Path, licet: Licet) -> None:
    source(folder, text)
    assert licet("init").code == 2


# --- nothing is overwritten, nothing is half-written ---


@pytest.mark.parametrize("name", ["licet.yaml", "licet.lock"])
def test_nothing_is_overwritten(name: str, folder: Path, servers: FakeServers, licet: Licet) -> None:
    source(folder)
    (folder / name).write_text("mine")
    said = licet("init")
    assert said.code == 2
    assert f"{name} exists, and nothing is overwritten" in said.err
    assert (folder / name).read_text() == "mine"
    assert {"licet.yaml", "licet.lock"}.intersection(os.listdir(folder)) == {name}
    assert servers.asked == []


def test_a_link_that_leads_nowhere_is_not_written_through(folder: Path, tmp_path: Path, licet: Licet) -> None:
    source(folder)
    (folder / "licet.yaml").symlink_to(tmp_path / "elsewhere")
    assert licet("init").code == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("fails_at", [1, 2])
def test_a_full_disk_leaves_neither_file(
    fails_at: int, folder: Path, home: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    before = sorted(os.listdir(folder))
    synced = 0
    fsync = os.fsync

    def full(handle: int) -> None:
        nonlocal synced
        if stat.S_ISREG(os.fstat(handle).st_mode):
            synced += 1
            if synced == fails_at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    said = licet("init")
    assert said.code == 4
    assert "No space left" in said.err
    assert sorted(os.listdir(folder)) == before
    assert not home.exists()


def test_what_cannot_be_trusted_is_not_written_either(
    folder: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    before = sorted(os.listdir(folder))
    monkeypatch.setenv("LICET_HOME", str(folder / ".mcp.json" / "state"))
    said = licet("init")
    assert said.code == 2
    assert "LICET_HOME" in said.err
    assert sorted(os.listdir(folder)) == before


def test_a_server_that_licet_started_does_not_begin_another(
    folder: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    monkeypatch.setenv("LICET_DEPTH", "1")
    said = licet("init")
    assert said.code == 2
    assert "LICET_DEPTH" in said.err
    assert not (folder / "licet.yaml").exists()


def test_a_document_says_it_all(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    answering(monkeypatch, start=True)
    document = licet("init", "--json").document
    assert [Path(path).name for path in document["written"]] == ["licet.yaml", "licet.lock"]
    assert document["servers"][0]["only_read"] == ["look"]
    assert document["servers"][0]["colliding"] == ["gaze"]
    assert [need["name"] for need in document["variables"]] == ["EYE_TOKEN", "MODE"]
