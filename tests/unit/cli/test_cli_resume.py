"""``licet resume``: what a run asked is answered once, by whom it asked, and everything else says what instead."""

import json
import subprocess
from pathlib import Path

import pytest
from said import Licet

GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with a release and two commits after it."""
    folder = tmp_path / "spam"
    folder.mkdir()
    for number, subject in enumerate(("Add spam", "Fix the eggs", "Remove ham from breakfast")):
        (folder / "pyproject.toml").write_text('[project]\nname = "spam"\nversion = "1.2.0"\n')
        (folder / "a.txt").write_text(f"{number}\n")
        for words in ((["init", "-q"],) if not number else ()) + (["add", "-A"], ["commit", "-qm", subject]):
            subprocess.run([*GIT, *words], cwd=folder, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
        if not number:
            subprocess.run([*GIT, "tag", "v1.2.0"], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run_id(licet: Licet, repository: Path) -> str:
    """A run that waits for its version."""
    said = licet("run", "release-notes")
    assert said.code == 0, said.err
    run_id = said.err.split()[1]
    assert f"licet resume {run_id} 1.2.1" in said.out
    return run_id


def test_the_answer_finishes_the_notes_and_a_second_one_is_refused(licet: Licet, run_id: str) -> None:
    said = licet("resume", run_id, "1.3.0")
    assert said.code == 0, said.err
    assert "# Release 1.3.0\n\n2 changes since v1.2.0." in said.out
    assert "## Fixed\n\n- Fix the eggs\n\n## Removed\n\n- Remove ham from breakfast\n" in said.out
    again = licet("resume", run_id, "1.3.0")
    assert again.code == 3
    assert "task_ended" in again.err
    assert licet("replay", run_id).code == 0
    assert licet("ledger", "verify").code == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["9.9.9"], "not_an_option"),
        (["1.3.0", "--participant", "bob"], "not_asked"),
        (["1.3.0", "--question", "0000000000"], "unknown_question"),
        ([], "input_required"),
    ],
)
def test_what_is_no_answer_leaves_the_ledger_as_it_was(
    licet: Licet, run_id: str, words: list[str], reason: str
) -> None:
    before = licet("ledger", "show", "--json").out
    said = licet("resume", run_id, *words)
    assert said.code == 3
    assert f"refused ({reason}), nothing was resumed" in said.err
    assert licet("ledger", "show", "--json").out == before


def test_the_last_run_is_the_whole_one_and_not_its_sub_tasks(licet: Licet, run_id: str) -> None:
    said = licet("resume", "last", "1.3.0", "--json")
    assert (said.code, said.document["run"], said.document["waits"]) == (0, run_id, [])
    assert [event["kind"] for event in said.document["events"]] == ["notes.written"]


def test_a_program_reads_what_is_waited_for(licet: Licet, repository: Path) -> None:
    (waits,) = licet("run", "release-notes", "--json").document["waits"]
    assert (waits["participant"], waits["options"], waits["answer"]) == ("operator", ["1.2.1", "1.3.0", "2.0.0"], None)
    assert licet("resume", waits["run"], "1.2.1", "--question", waits["nonce"]).code == 0


def test_a_damaged_ledger_resumes_nothing(licet: Licet, run_id: str, home: Path) -> None:
    from tampering import tamper

    path = home / "ledger.db"
    tamper(path, "UPDATE entry SET body = '{}' WHERE seq = 2")
    said = licet("resume", run_id, "1.3.0")
    assert said.code == 1
    assert "nothing was resumed: entry 2" in said.err


def test_runs_that_no_scenario_began_say_what_goes_on_with_them(licet: Licet, repository: Path) -> None:
    assert licet("call", "ls", "{}", "--grant", "ls", "--root", ".").code == 0
    said = licet("resume", "last", "yes")
    assert said.code == 2
    assert "no scenario began" in said.err
    assert licet("resume", "nothing", "yes").code == 2


def test_an_answer_is_shown_in_json_as_it_was_given(licet: Licet, run_id: str) -> None:
    licet("resume", run_id, "2.0.0")
    entries = json.loads(licet("ledger", "show", "--json", "--kind", "workflow.replied").out)
    assert [(entry["actor"], entry["body"]["text"]) for entry in entries] == [("operator", "2.0.0")]


def test_a_skill_of_the_project_counts_before_licets_once_it_is_trusted(licet: Licet, repository: Path) -> None:
    skill = repository / "skills" / "release-notes"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: release-notes\ndescription: Ours\n---\nOne heading.\n")
    (skill / "references" / "headings.md").write_text("- Everything\n")
    (repository / "licet.yaml").write_text("agents: {}\n")
    untrusted = licet("run", "release-notes")
    assert untrusted.code == 2
    assert "licet trust" in untrusted.err
    assert licet("run", "oracle-grove").code == 0, "whoever loads no skill needs none"
    assert licet("trust", "--yes").code == 0
    assert licet("run", "release-notes").code == 0
    said = licet("resume", "last", "1.3.0")
    assert "## Everything\n\n- Fix the eggs\n- Remove ham from breakfast\n" in said.out


def test_the_tools_that_a_skill_names_are_offered_once_it_is_loaded(licet: Licet, repository: Path) -> None:
    skill = repository / "skills" / "release-notes"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: release-notes\ndescription: Ours\ntools: [ls, read]\n---\nLook.\n")
    (repository / "licet.yaml").write_text("agents: {}\n")
    licet("trust", "--yes")
    assert licet("run", "release-notes").code == 0
    (opened,) = json.loads(licet("ledger", "show", "--json", "--kind", "scenario.opened").out)
    assert opened["body"]["behind"] == ["local/ls", "local/read"]
    called = [
        entry["body"]["tool"] for entry in json.loads(licet("ledger", "show", "--json", "--kind", "tool.requested").out)
    ]
    assert called.index("local/load_skill") < called.index("local/ls")
    assert json.loads(licet("ledger", "show", "--json", "--kind", "tool.refused").out) == []
    assert licet("replay", "last").code == 0


def test_without_its_skill_a_tool_that_it_names_is_refused(licet: Licet, repository: Path) -> None:
    for name in ("release-notes", "other"):
        (repository / "skills" / name).mkdir(parents=True)
        tools = "tools: [ls]\n" if name == "other" else ""
        text = f"---\nname: {name}\ndescription: Ours\n{tools}---\nLook.\n"
        (repository / "skills" / name / "SKILL.md").write_text(text)
    (repository / "licet.yaml").write_text("agents: {}\n")
    licet("trust", "--yes")
    licet("run", "release-notes")
    refused = json.loads(licet("ledger", "show", "--json", "--kind", "tool.refused").out)
    assert {(entry["body"]["tool"], entry["body"]["code"]) for entry in refused} == {("local/ls", "not_granted")}
    failed = [
        entry["body"]["result"]
        for entry in json.loads(licet("ledger", "show", "--json", "--kind", "workflow.ended").out)
    ]
    assert any("'ls' waits for a skill that its parent has not loaded" in text for text in failed)


def test_a_skill_that_changes_while_a_run_stands_still_is_refused_for_the_rest_of_it(
    licet: Licet, repository: Path
) -> None:
    skill = repository / "skills" / "release-notes"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: release-notes\ndescription: Ours\n---\nOne heading.\n")
    (skill / "references" / "headings.md").write_text("- Everything\n")
    (repository / "licet.yaml").write_text("agents: {}\n")
    licet("trust", "--yes")
    assert licet("run", "release-notes").code == 0
    (opened,) = json.loads(licet("ledger", "show", "--json", "--kind", "scenario.opened").out)
    assert set(opened["body"]["skills"]) == {"release-notes"}
    assert "behind" not in opened["body"], "this skill names no tool"
    (skill / "references" / "headings.md").write_text("- Publish everything\n")
    licet("trust", "--yes")
    said = licet("resume", "last", "1.3.0")
    assert "Publish everything" not in said.out
    (failed,) = json.loads(licet("ledger", "show", "--json", "--kind", "tool.failed").out)
    assert failed["body"]["reason"] == "skill_changed"


def test_a_story_without_a_workflow_that_is_over_does_not_go_on(licet: Licet, repository: Path) -> None:
    assert licet("run", "oracle-grove").code == 0
    said = licet("resume", "last")
    assert (said.code, "refused (max_turns), nothing was resumed" in said.err) == (3, True)
    assert licet("resume", "last", "yes").code == 2
