"""``licet check``: one line a finding, on any file, trusted or not, and nothing is started."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from said import Licet

FOUND = """\
mcpServers:
  git: {command: uvx, args: [mcp-server-git]}
agents:
  coder: {mode: danger_full_access} # licet: allow danger_full_access
  helper: {tools: [mcp/git.git_status, rade]}
"""


def test_each_finding_is_a_line_with_file_line_and_code(licet: Licet, project: Path) -> None:
    (project / "licet.yaml").write_text(FOUND)
    said = licet("check")
    assert said.code == 1
    assert [line.rpartition(": ")[0].split(": ")[:2] for line in said.out.splitlines()] == [
        ["licet.yaml:1", "unpinned"],
        ["licet.yaml:2", "unversioned"],
        ["licet.yaml:5", "unclassified"],
        ["licet.yaml:5", "unknown_grant"],
    ]
    assert said.err == "licet: 4 to look at in licet.yaml, 1 accepted by its comments\n"


def test_json_is_one_document(licet: Licet, project: Path) -> None:
    (project / "licet.yaml").write_text(FOUND)
    said = licet("check", "--json")
    told = json.loads(said.out)
    assert said.code == 1
    assert (told["file"], len(told["findings"])) == ("licet.yaml", 4)
    assert [finding["code"] for finding in told["accepted"]] == ["danger_full_access"]


def test_nothing_to_find_is_exit_0(licet: Licet, project: Path) -> None:
    (project / "licet.yaml").write_text("agents: {a: {tools: [read], roots: [.]}}\n")
    said = licet("check")
    assert (said.code, said.out, said.err) == (0, "", "licet: nothing to look at in licet.yaml\n")


def test_a_file_is_named_or_found_above(licet: Licet, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "licet.yaml").write_text("[]\n")
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    assert licet("check").out.startswith(f"{project}/licet.yaml:1: configuration: ")
    assert licet("check", "--config", "../licet.yaml").code == 1
    assert licet("check", "--config", "none.yaml").code == 2
    assert licet("check", "--config", "").code == 2


def test_without_a_file_there_is_nothing_to_check(licet: Licet, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(project))
    said = licet("check")
    assert said.code == 2
    assert "there is no licet.yaml here or above" in said.err


def test_another_user_s_file_can_be_checked(licet: Licet, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "licet.yaml").write_text("[]\n")
    if os.geteuid() == 0:
        os.chown(project / "licet.yaml", 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert licet("check").code == 1


def test_a_check_starts_nothing_and_leaves_nothing(
    licet: Licet, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object, **options: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(subprocess, "Popen", never)
    monkeypatch.setattr(os, "posix_spawn", never)
    monkeypatch.setattr(os, "fork", never)
    (project / "licet.yaml").write_text(FOUND)
    before = sorted(project.rglob("*"))
    assert licet("check").code == 1
    assert sorted(project.rglob("*")) == before
    assert not home.exists()


def test_nothing_of_a_file_acts_on_a_terminal(licet: Licet, project: Path) -> None:
    (project / "licet.yaml").write_text(
        'agents: {a: {tools: ["\\e[2J\\n", "\\u202e"], groups: ["\\e[2J"]}}\n"\\e[1m": 1\n'
    )
    said = licet("check")
    assert said.code == 1
    assert said.out.isascii()
    assert "\x1b" not in said.out + said.err
    assert all(line.startswith("licet.yaml:") for line in said.out.splitlines())
