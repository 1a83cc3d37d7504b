"""``licet runs RUN`` draws a workflow: plan, people, questions, sub-tasks; in plain text, and as JSON."""

import asyncio
from pathlib import Path

import pytest
from said import Licet

from licet.ledger.sqlite import SqliteLedger
from tampering import tamper
from workflows import ASKED, PART, Desk, steps


@pytest.fixture
def worked(tmp_path: Path, home: Path) -> Path:
    """A ledger with one run that has a plan, a sub-task and a question."""
    path = tmp_path / "ledger.db"

    async def work() -> None:
        book = SqliteLedger(path)
        desk = Desk(book).begin()
        await desk.turn(("create_plan", steps(("look", []), ("write", ["look"]), ("send", ["write"]))))
        await desk.turn(("complete_step", {"step": "look", "output": "seen\x1b[31m"}))
        await desk.turn(("spawn_subtask", PART), ("ask_participant", ASKED))
        desk.runtime.close()
        book.close()

    asyncio.run(work())
    return path


def test_plan_people_questions_and_sub_tasks_stand_there_in_plain_lines(licet: Licet, worked: Path) -> None:
    said = licet("runs", "last", "--ledger", str(worked))
    assert said.code == 0
    assert "\x1b" not in said.out
    for line in (
        "n  input required",
        "  done   look   seen\\u001b[31m",
        "  open   write  d",
        "  waits  send   for write",
        "  ada    admin, person",
        "  bob  Which one?  no answer yet",
        "  open  part  the same agent",
    ):
        assert line in said.out.splitlines(), said.out


def test_a_document_holds_the_whole_state_and_its_digest(licet: Licet, worked: Path) -> None:
    told = licet("runs", "last", "--ledger", str(worked), "--json").document
    assert [step["name"] for step in told["workflow"]["plan"]] == ["look", "write", "send"]
    assert told["workflow"]["digest"] == licet("replay", "last", "--ledger", str(worked), "--json").document["digest"]


def test_a_workflow_that_does_not_replay_is_said_to_be_one_and_its_calls_are_shown(licet: Licet, worked: Path) -> None:
    body = "json_set(CAST(body AS TEXT), '$.applied', 99)"
    tamper(worked, f"UPDATE entry SET body = {body} WHERE kind = 'workflow.advanced'")
    said = licet("runs", "last", "--ledger", str(worked))
    assert said.code == 0
    assert "its workflow does not replay  entry " in said.out
    assert "create_plan" in said.out
    told = licet("runs", "last", "--ledger", str(worked), "--json").document
    assert set(told["workflow"]) == {"problem"}


def test_a_run_without_a_workflow_has_none(licet: Licet, project: Path) -> None:
    assert licet("call", "ls", "{}", "--grant", "ls", "--root", ".").code == 0
    assert licet("runs", "last", "--json").document["workflow"] is None
