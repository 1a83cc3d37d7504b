"""``licet init`` starts and believes nothing that nobody said yes to."""

import os
from pathlib import Path

import pytest
from fake_servers import FakeServers, tool
from other_client import CANARIES, active, answering, source, written
from said import Licet

from licet.errors import ServerUnavailableError
from licet.project.lock import Lock, read
from licet.project.trust import is_trusted

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


def test_of_very_many_tools_only_so_many_are_granted_as_a_person_was_shown(
    folder: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(folder)
    servers.tools["eye"] = [tool(f"look_{number:04}") for number in range(1500)]
    asked = answering(monkeypatch, **{"start eye?": True, "eye says": True})
    assert licet("init").code == 0
    granted = [line.strip("- ") for line in active(folder) if line.startswith("      - ")]
    assert len(granted) == 200
    assert all(name.removeprefix("mcp/eye.") in asked[2] for name in granted)
    assert "# and 1100 more of eye, which licet.lock names" in written(folder)


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
