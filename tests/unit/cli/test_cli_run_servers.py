"""``licet run`` in a project with servers: those that the cast was granted, as pinned, and its ledger beside it."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said

from licet.cli import main, principal
from licet.ports import ApprovalRequest

SERVER = """
import json, os, sys
open(sys.argv[1], "a").write(f"start {os.getpid()}\\n")
TOOL = {"name": "git_log", "description": sys.argv[2], "inputSchema": {"type": "object", "properties": {
    "repo_path": {"type": "string"}, "max_count": {"type": "integer"}}}, "annotations": {"readOnlyHint": True}}
TEXT = "Commit: b\\nMessage: Fix the eggs\\n\\nCommit: a\\nMessage: Add spam\\n"
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        about = {"name": "log", "version": "1"}
        told = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
    elif method == "tools/list":
        told = {"tools": [TOOL]}
    elif method == "tools/call":
        open(sys.argv[1], "a").write(f"{method}\\n")
        told = {"content": [{"type": "text", "text": TEXT}]}
    else:
        told = None
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    answer |= {"error": {"code": -32601, "message": "no"}} if told is None else {"result": told}
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""
YAML = """\
mcpServers:
  log: {{command: {python}, args: [{script}, {asked}, {description}]}}
  other: {{command: {python}, args: [{script}, {asked}.other, never]}}
  dead: {{command: /nonexistent/licet-test-server}}
tools:
  mcp/log.git_log: {{read_only: true}}
agents: {{}}
"""
WRITER = """\
name: release-notes
handler: worker
model: release-notes
mode: read_only
groups: [read_only_builtins]
roots: [.]
may_emit: [notes.written]
tools: [{tools}, create_plan, complete_step, ask_participant, load_skill, load_skill_resource]
"""
TALKER = "name: talker\nmay_emit: [talker.said]\ntools: [mcp/dead.x]\n"
TALK = """\
name: talk
goal: A goal.
default_seed: one
cast: [{cast}]
genesis_text: It begins.
governor: {{max_turns: 2, max_calls_per_turn: 50, max_total_calls: 90, max_total_tokens: 900000}}
"""

Run = Callable[..., Said]


class Project:
    """A folder with a configuration and agents of its own; the user's state lies elsewhere."""

    def __init__(self, folder: Path, say: Run) -> None:
        self.folder = folder
        self.say = say
        self.asked = folder.parent / "asked"
        (folder / ".git").mkdir(parents=True)
        for kind in ("agents", "scenarios"):
            (folder / "config" / kind).mkdir(parents=True)

    def write(self, tools: str = "mcp/log.git_log", *, description: str = "The log.", trust: bool = True) -> None:
        script = self.folder.parent / "server.py"
        script.write_text(SERVER)
        given = {"python": sys.executable, "script": script, "asked": self.asked, "description": f'"{description}"'}
        (self.folder / "licet.yaml").write_text(YAML.format(**given))
        (self.folder / "config" / "agents" / "release-notes.yaml").write_text(WRITER.format(tools=tools))
        (self.folder / "config" / "agents" / "talker.yaml").write_text(TALKER)
        for name, cast in (("talk", "talker"), ("both", "talker, release-notes")):
            text = TALK.format(cast=cast).replace("name: talk", f"name: {name}")
            (self.folder / "config" / "scenarios" / f"{name}.yaml").write_text(text)
        if trust:
            assert self.say("trust", "--yes").code == 0

    @property
    def told(self) -> list[str]:
        """What reached the server: that it was started, and each call."""
        return self.asked.read_text().splitlines() if self.asked.exists() else []

    @property
    def never(self) -> bool:
        """Whether the server that nobody was granted was never started."""
        return not self.asked.with_name("asked.other").exists()

    @property
    def ledger(self) -> Path:
        return self.folder / ".licet" / "ledger.db"

    def entries(self, kind: str) -> list[dict[str, object]]:
        return [one for one in json.loads(self.say("ledger", "show", "--json").out) if one["kind"] == kind]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    def say(*words: str) -> Said:
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Said(code, said.out, said.err)

    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(principal, "terminal_approver", lambda: None)
    for name in ("LICET_HOME", "XDG_STATE_HOME", "MCP_SERVERS", "MCP_ORACLE"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path / "project", say)


def is_gone(process: str) -> bool:
    """Whether a process that said ``start PID`` has ended."""
    try:
        os.kill(int(process.split()[1]), 0)
    except ProcessLookupError:
        return True
    return False


def test_a_granted_tool_of_a_trusted_configuration_is_called_and_its_server_ends_with_the_run(project: Project) -> None:
    project.write()
    said = project.say("run", "release-notes")
    assert said.code == 0, said.err
    assert "mcp/log is pinned for this run only" in said.err
    started, *calls = project.told
    assert calls == ["tools/call"]
    assert is_gone(started)
    assert project.never
    (done,) = [one for one in project.entries("tool.requested") if one["body"]["tool"] == "mcp/log.git_log"]  # type: ignore[index]
    assert done["actor"] == "release-notes"
    assert "Fix the eggs" in project.say("runs", "last", "--json").out


@pytest.mark.requirement("own.configuration-trust")
def test_from_an_untrusted_configuration_nothing_is_started_and_no_ledger_is_begun(
    project: Project, tmp_path: Path
) -> None:
    project.write()
    with open(project.folder / "licet.yaml", "a") as file:
        file.write("# changed since\n")
    for scenario in ("release-notes", "talk"):
        said = project.say("run", scenario)
        assert (said.code, said.out) == (2, "")
        assert "licet trust" in said.err
    assert (project.told, project.never) == ([], True)
    assert not project.ledger.exists()
    assert not (tmp_path / "home" / ".local" / "state" / "licet" / "ledger.db").exists()


def test_a_grant_of_licets_own_agent_that_no_server_of_an_untrusted_configuration_is_about_needs_no_yes(
    project: Project, tmp_path: Path
) -> None:
    project.write(trust=False)
    for folder in ("agents", "scenarios"):
        for file in (project.folder / "config" / folder).iterdir():
            file.unlink()
    assert project.say("run", "oracle-grove").code == 0
    assert (tmp_path / "home" / ".local" / "state" / "licet" / "ledger.db").exists()
    assert not project.ledger.exists()


def test_with_a_lock_a_server_is_started_by_the_first_call_and_not_before(project: Project) -> None:
    project.write()
    assert project.say("lock").code in (0, 3), "the dead server is not listed"
    before = len(project.told)
    talked = project.say("run", "both", "--json")
    assert [event["kind"] for event in talked.document["events"]] == ["talker.said"]
    assert [line.split()[0] for line in project.told[before:]] == ["start", "tools/call"]
    assert project.entries("pin.first_use") == []
    before = len(project.told)
    assert project.say("run", "talk").code == 0
    assert project.told[before:] == [], "who needs none starts none"


def test_a_tool_that_is_not_pinned_is_told_and_refused_and_the_others_go_on(project: Project) -> None:
    (project.folder / "licet.lock").write_text('{\n  "servers": {},\n  "version": 1\n}\n')
    project.write()
    said = project.say("run", "release-notes")
    assert said.code == 0, said.err
    assert "licet: mcp/log is not pinned" in said.err
    assert project.told == []
    assert project.entries("tool.requested"), "the file tools stood in"


def test_a_tool_that_its_server_does_not_have_pinned_is_told_by_name(project: Project) -> None:
    project.write()
    project.say("lock")
    project.write(tools="mcp/log.git_show")
    before = len(project.told)
    said = project.say("run", "release-notes")
    assert said.code == 0, said.err
    assert "licet: mcp/log.git_show is not pinned" in said.err
    assert project.told[before:] == []


def test_a_definition_that_changed_since_it_was_pinned_is_not_called(project: Project) -> None:
    project.write()
    project.say("lock")
    assert "The log." in (project.folder / "licet.lock").read_text()
    script = project.folder.parent / "server.py"
    before = len(project.told)
    script.write_text(SERVER.replace('"description": sys.argv[2]', '"description": "Another log."'))
    said = project.say("run", "release-notes")
    assert said.code == 0, said.err
    assert "tools/call" not in project.told[before:]
    calls = {call["tool"]: call["code"] for call in project.say("runs", "last", "--json").document["calls"]}
    assert calls["mcp/log.git_log"] == "schema_changed"


@pytest.mark.parametrize("grant", ["tools: [mcp/dead.x]", "globs: [mcp/dead.*]", "groups: [mcp/dead]"])
def test_a_dead_server_is_a_line_and_ends_nobodys_run(project: Project, grant: str) -> None:
    project.write(trust=False)
    (project.folder / "config" / "agents" / "talker.yaml").write_text(
        f"name: talker\nmay_emit: [talker.said]\n{grant}\n"
    )
    project.say("trust", "--yes")
    said = project.say("run", "talk", "--json")
    assert "licet: mcp/dead is unavailable" in said.err
    assert (said.code, [event["kind"] for event in said.document["events"]]) == (0, ["talker.said"] * 2)


def test_the_ledger_of_a_trusted_project_is_found_by_every_command(project: Project, tmp_path: Path) -> None:
    project.write()
    said = project.say("run", "release-notes", "--json")
    run_id = said.document["run"]
    assert said.document["ledger"] == str(project.ledger)
    assert oct(project.ledger.parent.stat().st_mode)[-3:] == "700"
    assert not (tmp_path / "home" / ".local" / "state" / "licet" / "ledger.db").exists()
    assert [one["run_id"] for one in project.say("runs", "--json").document] == [run_id]
    assert project.say("replay", run_id).code == 0
    assert project.say("resume", "last", "0.1.0").code == 0
    assert project.say("ledger", "diff", run_id, "last").code == 0
    assert project.say("ledger", "verify").code == 0
    assert project.say("call", "ls", "{}", "--grant", "ls", "--root", ".").code == 0
    assert len(project.say("runs", "--json").document) == 2
    explored = project.say("explore", "--json")
    assert (tmp_path / "home" / ".local" / "state" / "licet" / "ledger.db").exists(), "explore writes to the user's"
    assert len(project.say("runs", "--json").document) == 2
    theirs = explored.document["account"]["run_id"]
    assert project.say("runs", theirs, "--json").document["run_id"] == theirs, "and is found by its id"
    assert project.say("ledger", "diff", theirs, run_id).code == 1
    assert project.say("runs", "zzz").code == 2


def test_below_the_project_the_same_ledger_is_found(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write()
    (project.folder / "deep").mkdir()
    monkeypatch.chdir(project.folder / "deep")
    run_id = project.say("run", "talk", "--json").document["run"]
    assert project.say("runs", run_id[:6], "--json").document["run_id"] == run_id
    assert project.ledger.exists()


def test_once_it_is_not_trusted_any_more_its_ledger_is_not_used_and_that_is_said(project: Project) -> None:
    project.write()
    assert project.say("run", "talk").code == 0
    (project.folder / "licet.yaml").write_text("agents: {}\n")
    said = project.say("runs")
    assert said.code == 4
    assert "is not trusted as it is now, so the ledger beside it is not used" in said.err


@pytest.mark.parametrize("word", [True, None])
def test_a_tool_that_needs_a_person_asks_whoever_sits_at_the_terminal(
    project: Project, monkeypatch: pytest.MonkeyPatch, word: bool | None
) -> None:
    asked: list[str] = []

    class Person:
        name = "ada"

        async def approve(self, request: ApprovalRequest, /) -> bool:
            asked.append(request.tool)
            return True

    monkeypatch.setattr(principal, "terminal_approver", lambda: Person() if word else None)
    project.write()
    text = (project.folder / "licet.yaml").read_text()
    (project.folder / "licet.yaml").write_text(text.replace("{read_only: true}", "{read_only: true, approval: ask}"))
    project.say("trust", "--yes")
    assert project.say("run", "release-notes").code == 0
    calls = [call["tool"] for call in project.say("runs", "last", "--json").document["calls"]]
    assert (asked, "mcp/log.git_log" in calls) == ((["mcp/log.git_log"], True) if word else ([], False))
    assert ("tools/call" in project.told) is bool(word)


def test_as_long_as_a_project_has_no_ledger_the_users_own_is_read(project: Project) -> None:
    project.write()
    assert project.say("runs").code == 4
    assert project.say("explore").code == 0
    assert [run["actor"] for run in project.say("runs", "--json").document] == ["explorer"]
    assert not project.ledger.exists()
