"""``licet init`` makes a licet.yaml that holds no secret, and starts and believes nothing that nobody said yes to."""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from fake_servers import FakeServers, put_in_place, tool
from said import Licet

from licet.cli import ask
from licet.errors import ServerUnavailableError
from licet.project.config import load
from licet.project.lock import Lock, read
from licet.project.trust import is_trusted

CANARIES = [f"canary{number:02}Zq" for number in range(50)]

SOURCE: dict[str, Any] = {
    "mcpServers": {
        "eye": {
            "command": "uvx",
            "args": ["mcp-eye==1.2.0", "."],
            "env": {"EYE_TOKEN": CANARIES[0], "MODE": CANARIES[1]},
        },
        "ear": {"command": "npx", "args": ["-y", "@x/ear"], "type": "stdio", "autoApprove": ["listen"]},
    }
}


@pytest.fixture
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LICET_DEPTH", raising=False)
    monkeypatch.setattr(ask, "somebody", lambda: False)
    monkeypatch.setattr(ask, "ask", lambda text: None)
    return project


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> FakeServers:
    listed = [
        tool("look"),
        tool("gaze", annotations={"readOnlyHint": True}),
        tool("poke", annotations={"readOnlyHint": False}),
        tool("burn", annotations={"readOnlyHint": True, "destructiveHint": True}),
        tool("mumble", annotations={}),
        tool("veil", description="Looks.\u202e\U000e0041"),
        tool("résumé"),
    ]
    return put_in_place(FakeServers({"eye": listed, "ear": [tool("listen"), tool("GAZE")]}), monkeypatch)


def source(folder: Path, said: Any = SOURCE, name: str = ".mcp.json") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(said if isinstance(said, str) else json.dumps(said))


def answering(monkeypatch: pytest.MonkeyPatch, **answers: bool) -> list[str]:
    """Somebody at a terminal, who says yes where a question holds a word of ``answers`` that is true."""
    asked: list[str] = []

    def answer(text: str) -> bool:
        asked.append(text)
        return next((said for word, said in answers.items() if word in text), False)

    monkeypatch.setattr(ask, "somebody", lambda: True)
    monkeypatch.setattr(ask, "ask", answer)
    return asked


def written(folder: Path) -> str:
    return (folder / "licet.yaml").read_text()


def active(folder: Path) -> list[str]:
    """The lines of the file that are more than comments."""
    return [line for line in written(folder).split("\n") if line.strip() and not line.lstrip().startswith("#")]


# --- without a terminal ---


def test_without_a_terminal_nothing_is_started_believed_or_granted(
    folder: Path, home: Path, servers: FakeServers, licet: Licet
) -> None:
    source(folder)
    said = licet("init")
    assert said.code == 0
    assert servers.asked == []
    assert active(folder) == [
        "mcpServers:",
        "  eye:",
        "    command: uvx",
        '    args: [mcp-eye==1.2.0, "."]',
        "    env:",
        '      EYE_TOKEN: "${EYE_TOKEN}"',
        '      MODE: "${MODE}"',
        "  ear:",
        "    command: npx",
        '    args: [-y, "@x/ear"]',
        "tools:",
        "agents:",
        "  coder:",
        "    mode: read_only  # or workspace_write, for grants that write",
        "    tools:",
    ]
    assert "  # mcp/eye.*: {read_only: hinted}\n" in written(folder)
    assert read(folder / "licet.lock") == Lock()
    assert "nobody is at a terminal: no server was started" in said.err


def test_what_it_writes_is_trusted_and_nothing_beside_it(folder: Path, home: Path, licet: Licet) -> None:
    source(folder)
    licet("init")
    assert is_trusted(folder / "licet.yaml", home)
    (folder / "licet.yaml").unlink()
    (folder / "licet.lock").unlink()
    (folder / "config").mkdir()
    (folder / "config" / "agents.yaml").write_text("theirs")
    licet("init")
    assert not is_trusted(folder / "licet.yaml", home)


def test_what_to_set_is_listed_and_no_value_is_in_any_output(folder: Path, home: Path, licet: Licet) -> None:
    entries = {}
    for number, canary in enumerate(CANARIES[:-8]):
        entries[f"s{number}"] = {"command": "a", "env": {"TOKEN": canary}}
    entries["args"] = {
        "command": "docker",
        "args": ["-e", f"API_KEY={CANARIES[-1]}", "--token", CANARIES[-2], f"--password={CANARIES[-3]}"],
    }
    entries["more"] = {"command": "a", "args": [f"postgres://me:{CANARIES[-4]}@host/db", f"x{CANARIES[-3]}y"]}
    entries["web"] = {
        "url": f"https://me:{CANARIES[-5]}@example.com/mcp?api_key={CANARIES[-6]}",
        "headers": {"X-Key": CANARIES[-7]},
    }
    entries["bearer"] = {"url": "https://example.com", "headers": {"Authorization": f"Bearer {CANARIES[-8]}"}}
    source(folder, {"mcpServers": entries})
    said = [licet("init", "--dry-run"), licet("init", "--dry-run", "--json"), licet("init")]
    everything = "".join(one.out + one.err for one in said) + written(folder) + (folder / "licet.lock").read_text()
    for path in home.rglob("*"):
        everything += path.read_text() if path.is_file() else ""
    assert [canary for canary in CANARIES if canary in everything] == []
    assert "  TOKEN  (s0: env TOKEN)\n" in said[-1].out
    assert "  S1_TOKEN  (s1: env TOKEN)\n" in said[-1].out
    text = written(folder)
    assert 'Authorization: "Bearer ${BEARER_TOKEN}"' in text
    assert 'url: "https://example.com/mcp?api_key=${WEB_API_KEY}"' in text
    assert 'Authorization: "Basic ${WEB_TOKEN}"' in text
    assert '"postgres://me:${MORE_PASSWORD}@host/db"' in text
    check = licet("check")
    assert "secret" not in check.out


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        (["--key-file", "/etc/key"], ["--key-file", "/etc/key"]),
        (["--author", "somebody"], ["--author", "somebody"]),
        (["/srv/licet", "sub-folder"], ["/srv/licet", "sub-folder"]),
        (["@x/y@1.2.3", "--verbose=true"], ["@x/y@1.2.3", "--verbose=true"]),
        (["--token", "${HELD}"], ["--token", "${HELD}"]),
        (["ghp_abcdefghijklmnopqrstuvwx"], ["${A_TOKEN}"]),
        (["--header", "X-Api-Key: abc"], ["--header", "X-Api-Key: ${A_X_API_KEY}"]),
        (["https://x/?a=1&access_token=abc#top"], ["https://x/?a=1&access_token=${A_ACCESS_TOKEN}#top"]),
        (["sh", "-c", "TOKEN=abc"], ["sh", "-c", "TOKEN=${TOKEN}"]),
        (["sh", "-c", "run --token abc now"], ["sh", "-c", "run --token ${A_TOKEN} now"]),
        (['{"password": "abc"}'], ['{"password": "${A_PASSWORD}"}']),
        (["${unclosed"], ["$${unclosed"]),
        (["--key", "${input:the-key}"], ["--key", "${THE_KEY}"]),
        (["${userHome}/x", "${workspaceFolder}"], ["${HOME}/x", "${workspaceFolder}"]),
    ],
)
def test_secrets_in_arguments_become_variables_and_the_rest_stays(
    args: list[str], kept: list[str], folder: Path, licet: Licet
) -> None:
    source(folder, {"mcpServers": {"a": {"command": "a", "args": args}}})
    assert licet("init").code == 0
    (server,) = load(folder / "licet.yaml").servers
    assert [*server.args] == kept


def test_a_dry_run_writes_and_starts_nothing(
    folder: Path, home: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    asked = answering(monkeypatch, start=True)
    before = sorted(os.listdir(folder))
    said = licet("init", "--dry-run")
    assert said.code == 0
    assert "mcpServers:\n  eye:\n" in said.out
    assert (servers.asked, asked) == ([], [])
    assert sorted(os.listdir(folder)) == before
    assert not home.exists()


# --- at a terminal ---


def test_each_server_is_asked_about_before_it_is_started_and_before_it_is_believed(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    asked = answering(monkeypatch, **{"start eye?": True, "eye says": True})
    said = licet("init")
    assert said.code == 0
    assert ["start eye" in asked[0], "start ear" in asked[1], "eye says" in asked[2]] == [True, True, True]
    assert len(asked) == 3
    assert "it runs:      uvx mcp-eye==1.2.0 .\n  it is given:  EYE_TOKEN, MODE\n" in asked[0]
    assert "unversioned:  @x/ear" in asked[1]
    assert [spec.id for spec in servers.asked] == ["eye"]
    assert servers.asked[0].env == {"EYE_TOKEN": CANARIES[0], "MODE": CANARIES[1]}
    assert "eye says that 2 tools of 6 only read:\n  gaze, look\n" in asked[2]
    assert active(folder)[-8:] == [
        "tools:",
        "  mcp/eye.*: {read_only: hinted}",
        "agents:",
        "  coder:",
        "    mode: read_only  # or workspace_write, for grants that write",
        "    tools:",
        "      - mcp/eye.gaze",
        "      - mcp/eye.look",
    ]
    for comment in (
        "# - mcp/eye.burn  # says that it destroys",
        "# - mcp/eye.mumble  # says nothing of what it does",
        "# - mcp/eye.poke  # says that it writes",
        "# - mcp/eye.veil  # holds hidden characters",
        "# - mcp/ear.NAME  # licet lock shows its names",
    ):
        assert f"      {comment}\n" in written(folder)
    assert "licet lock pins the tools of ear" in said.err


def test_what_is_shown_counts_what_a_person_should_look_at(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    answering(monkeypatch, start=True)
    rows = [line.split() for line in licet("init").out.split("\n")]
    assert rows[1] == ["eye", "6", "1", "1", "1", "1", "1", "-"]
    assert rows[2] == ["ear", "2", "1", "0", "0", "1", "0", "@x/ear"]


def test_what_was_listed_is_locked_under_its_launch_as_written(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    answering(monkeypatch, start=True)
    licet("init")
    lock = read(folder / "licet.lock")
    assert lock is not None
    assert sorted(lock.servers["mcp/eye"].tools) == ["burn", "gaze", "look", "mumble", "poke", "veil"]
    assert lock.servers["mcp/eye"].launch["env"] == ["EYE_TOKEN", "MODE"]
    monkeypatch.setenv("EYE_TOKEN", "another")
    monkeypatch.setenv("MODE", "another")
    assert licet("lock", "--check").code == 0
    assert "mcp/eye.look" not in "\n".join(active(folder))


def test_a_server_that_does_not_answer_is_written_and_not_locked(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    servers.tools["ear"] = ServerUnavailableError("mcp/ear: it ended at once", reason="exited")
    answering(monkeypatch, start=True)
    said = licet("init")
    assert said.code == 0
    assert "ear: not listed: mcp/ear: it ended at once" in said.out
    lock = read(folder / "licet.lock")
    assert lock is not None
    assert [*lock.servers] == ["mcp/eye"]


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
