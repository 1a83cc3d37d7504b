"""``licet check`` and ``licet trust`` on manifests and scenarios: what is wrong, with its line; what they would let."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from said import Licet

from licet.project.yaml_file import Document, read

GOOD = """\
name: play
goal: A goal.
default_seed: one
cast: [helper, fortune-teller]
genesis_text: It begins.
governor: {max_turns: 2, max_calls_per_turn: 1, max_total_calls: 2, max_total_tokens: 9000}
"""


@pytest.fixture
def config(project: Path) -> Path:
    folder = project / "config"
    (folder / "agents").mkdir(parents=True)
    (folder / "scenarios").mkdir()
    (folder / "agents" / "helper.yaml").write_text("name: helper\ntools: [read, oracle, create_plan]\nroots: [.]\n")
    (folder / "scenarios" / "play.yaml").write_text(GOOD)
    return folder


def test_manifests_and_scenarios_are_looked_at_with_and_without_a_licet_yaml(
    licet: Licet, project: Path, config: Path
) -> None:
    said = licet("check")
    assert (said.code, said.out) == (0, "")
    assert said.err == "licet: nothing to look at in config/agents/helper.yaml and 1 more file\n"
    (project / "licet.yaml").write_text("agents: {}\n")
    said = licet("check")
    assert (said.code, said.err) == (0, "licet: nothing to look at in licet.yaml and 2 more files\n")


@pytest.mark.requirement("grove.from-files")
def test_each_problem_is_a_line_with_file_line_and_code(licet: Licet, project: Path, config: Path) -> None:
    (project / "licet.yaml").write_text("agents: {taken: {}}\n")
    for name, text in {
        "agents/taken.yaml": "name: taken\n",
        "agents/self.yaml": 'name: self\nglobs: ["*"]\n',
        "agents/wide.yaml": "name: wide\nglobs: [mcp/git.*]\ntools: [rade, zzz]\n",
        "agents/lost.yaml": "name: lost\nhandler: nobody\nroots: [nowhere]\nmay_emit: [tool.completed]\n",
        "agents/bomb.yaml": "a: &a [x]\nb: [*a, *a]\n",
        "scenarios/play.yaml": GOOD.replace("helper", "helpr").replace("goal", "gaol"),
        "scenarios/hidden.yaml": GOOD.replace("name: play", "name: hidden\u200b"),
    }.items():
        (config / name).write_text(text)
    said = licet("check")
    assert said.code == 1
    found = [line.split(": ", 2) for line in said.out.splitlines()]
    assert sorted((place.removeprefix("config/"), code) for place, code, _ in found) == [
        ("agents/bomb.yaml:1", "configuration"),
        ("agents/lost.yaml:2", "configuration"),
        ("agents/lost.yaml:4", "configuration"),
        ("agents/self.yaml:2", "configuration"),
        ("agents/taken.yaml:1", "configuration"),
        ("agents/wide.yaml:2", "fails_open"),
        ("agents/wide.yaml:3", "unknown_grant"),
        ("agents/wide.yaml:3", "unknown_grant"),
        ("scenarios/hidden.yaml:1", "configuration"),
        ("scenarios/hidden.yaml:1", "hidden_characters"),
        ("scenarios/play.yaml:1", "configuration"),
        ("scenarios/play.yaml:2", "configuration"),
    ]
    assert '"rade"; did you mean read?' in said.out
    assert "unless a server of MCP_SERVERS has one" in said.out


def test_a_comment_on_its_line_accepts_a_finding_there_too(licet: Licet, project: Path, config: Path) -> None:
    (config / "agents" / "helper.yaml").write_text("name: helper\ntools: [theirs] # licet: allow unknown_grant\n")
    said = licet("check", "--json")
    assert said.code == 0
    assert [finding["code"] for one in [said.document, *said.document["config"]] for finding in one["accepted"]] == [
        "unknown_grant"
    ]


def test_json_is_one_document_for_all_files(licet: Licet, project: Path, config: Path) -> None:
    (project / "licet.yaml").write_text("agents: {}\n")
    told = json.loads(licet("check", "--json").out)
    assert (told["file"], [one["file"] for one in told["config"]]) == (
        "licet.yaml",
        ["config/agents/helper.yaml", "config/scenarios/play.yaml"],
    )


def test_a_file_that_cannot_be_read_is_told(licet: Licet, config: Path) -> None:
    (config / "agents" / "link.yaml").symlink_to("helper.yaml")
    said = licet("check")
    assert said.code == 2
    assert "it is a link" in said.err


@pytest.mark.requirement("own.configuration-trust")
def test_whoever_trusts_is_shown_what_each_manifest_would_let(licet: Licet, project: Path, config: Path) -> None:
    (project / "licet.yaml").write_text("agents: {}\n")
    (config / "agents" / "odd.yaml").write_text("name: odd\ntols: [write]\n")
    (config / "agents" / "helper.yaml").write_text(
        "name: helper\ntools: [{read: {path: {under: docs}}}]\nroots: [.]\nmay_emit: [helper.said]\n"
    )
    said = licet("trust", "--yes")
    assert said.code == 0
    assert "    helper: workspace_write, .\n" in said.out
    assert '      read where /path under: "docs"\n      emits helper.said\n' in said.out
    assert "    nothing: config/agents/odd.yaml:2: tols: there is no such key; did you mean tools?\n" in said.out


def test_the_configuration_is_read_once_however_many_files_stand_beside_it(
    licet: Licet, project: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "licet.yaml").write_text("agents: {taken: {}}\n")
    (config / "agents" / "taken.yaml").write_text("name: taken\n")
    names: list[str] = []

    def noted(content: bytes, name: str) -> Document:
        names.append(name)
        return read(content, name)

    for module in ("config", "manifest_file", "scenario"):
        monkeypatch.setattr(f"licet.project.{module}.read", noted)
    assert "taken" in licet("check").out
    assert sorted(names) == ["helper.yaml", "licet.yaml", "play.yaml", "taken.yaml"]


def test_without_a_cast_nothing_that_acts_one_is_imported(licet: Licet, project: Path, home: Path) -> None:
    (project / "licet.yaml").write_text("agents: {coder: {}}\n")
    code = (
        "import sys; from licet.cli import main; main(['check']); "
        "print([name for name in sys.modules if name.startswith(('licet.agents', 'licet.doors', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stderr


def test_grants_of_a_manifest_are_held_against_the_servers_of_the_configuration(
    licet: Licet, project: Path, config: Path
) -> None:
    (config / "agents" / "helper.yaml").write_text("name: helper\ntools: [mcp/log.git_log, mcp/lg.x, mcp/server1.x]\n")
    (project / "licet.yaml").write_text("mcpServers:\n  log: {command: x}\n  idle: {command: x}\nagents: {}\n")
    found = [line.split(": ", 2)[:2] for line in licet("check").out.splitlines()]
    assert ["licet.yaml:3", "unused_server"] in found, "and not the one that the manifest is granted a tool of"
    assert [one for one in found if one[0].startswith("config")] == [
        ["config/agents/helper.yaml:2", "unclassified"],
        ["config/agents/helper.yaml:2", "unknown_grant"],
    ]
    assert ["licet.yaml:2", "unused_server"] not in found


IDLE = [
    ("name: helper\nmodel: offline\nhandler: worker\ntools: [read]\nroots: [.]\n", "helper.yaml:3", "no intrinsic"),
    (
        "name: helper\ngroups: [intrinsics]\n",
        "other.yaml:2",
        'the task goes to "helper", the first of the cast with intrinsics',
    ),
]


@pytest.mark.parametrize(("helper", "where", "why"), IDLE)
def test_a_worker_that_would_have_no_task_is_found_and_not_begun(
    licet: Licet, project: Path, config: Path, helper: str, where: str, why: str
) -> None:
    (config / "agents" / "helper.yaml").write_text(helper)
    (config / "agents" / "other.yaml").write_text("name: other\nhandler: worker\ntools: [complete_step]\n")
    other = "other" if where.startswith("other") else "fortune-teller"
    (config / "scenarios" / "play.yaml").write_text(GOOD.replace("fortune-teller", other))
    said = licet("check")
    (line,) = said.out.splitlines()
    assert line.startswith(f"config/agents/{where}: idle_worker: handler: in play, ")
    assert why in line
    (project / "licet.yaml").write_text("agents: {}\n")
    licet("trust", "--yes")
    said = licet("run", "play", "--ledger", "runs.db")
    assert (said.code, said.out) == (2, "")
    assert f"{where}: handler: " in said.err
    assert why in said.err
    assert not (project / "runs.db").exists(), "nothing has begun"


def test_a_worker_of_sub_tasks_alone_needs_no_intrinsic(licet: Licet, project: Path, config: Path) -> None:
    (config / "agents" / "part.yaml").write_text("name: part\nhandler: worker\ntools: [read]\nroots: [.]\n")
    assert licet("check").code == 0


def test_a_manifest_in_place_of_licets_own_is_looked_at_in_licets_scenarios(
    licet: Licet, project: Path, config: Path
) -> None:
    (config / "agents" / "release-notes.yaml").write_text("name: release-notes\nhandler: worker\n")
    said = licet("check")
    assert said.out.startswith("config/agents/release-notes.yaml:2: idle_worker: handler: in release-notes, ")
