"""``licet replay``: the state again from the ledger alone, every digest compared; no model and no tool is reached."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from said import Licet
from tests.workflows import Desk, steps

from licet.ledger.sqlite import SqliteLedger

WATCHED = """
import sys
seen = []
REACHES = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn")
sys.addaudithook(lambda event, args: seen.append(event) if event.startswith(REACHES) else None)
from licet.cli import main
code = main(sys.argv[1:])
CALLS = ("licet.runtime.corridor", "licet.runtime.dispatch", "licet.sources", "licet.agents.cast", "licet.agents.loop")
loaded = [name for name in sys.modules if name.startswith(CALLS)]
print(code, seen, loaded)
"""


@pytest.fixture
def worked(tmp_path: Path, home: Path) -> Path:
    """A ledger with one run whose workflow made a plan and finished a step of it."""
    path = tmp_path / "ledger.db"

    async def work() -> None:
        book = SqliteLedger(path)
        desk = Desk(book).begin()
        await desk.turn(("create_plan", steps(("look", []), ("write", ["look"]))))
        await desk.turn(("complete_step", {"step": "look", "output": "seen"}))
        desk.runtime.close()
        book.close()

    import asyncio

    asyncio.run(work())
    return path


@pytest.mark.requirement("own.replay-dispatches-nothing")
def test_the_state_is_the_same_again_and_every_digest_was_compared(licet: Licet, worked: Path) -> None:
    told = licet("replay", "last", "--ledger", str(worked), "--json").document
    assert (told["run"], told["same"], told["commands"], told["compared"]) == ("run-1", True, 2, 2)
    assert [step["output"] for step in told["state"]["plan"]] == ["seen", None]
    said = licet("replay", "run-1", "--ledger", str(worked))
    assert said.code == 0
    assert said.out.splitlines()[0] == "the same  run run-1: 2 commands, 2 digests compared"
    assert told["digest"] in said.out


@pytest.mark.requirement("own.replay-dispatches-nothing")
def test_a_replay_opens_no_socket_starts_no_process_and_loads_no_corridor(worked: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "replay", "last", "--ledger", str(worked)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "0 [] []"


CHANGES: list[Callable[[sqlite3.Connection], object]] = [
    lambda book: book.execute("UPDATE entry SET body = replace(body, 'seen', 'sown') WHERE kind = 'tool.completed'"),
    lambda book: book.execute(
        "UPDATE entry SET body = replace(body, 'sha256:', 'sha255:') WHERE kind LIKE 'workflow.a%'"
    ),
    lambda book: book.execute("UPDATE entry SET actor = 'other' WHERE seq = 3"),
]


@pytest.mark.requirement("own.replay-dispatches-nothing")
@pytest.mark.parametrize("change", CHANGES)
def test_the_first_difference_is_exit_1_and_names_its_entry(
    licet: Licet, worked: Path, change: Callable[[sqlite3.Connection], object]
) -> None:
    with sqlite3.connect(worked) as book:
        (sql,) = book.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_unchanged'").fetchone()
        book.execute("DROP TRIGGER entry_unchanged")
        change(book)
        book.execute(sql)
    book.close()
    said = licet("replay", "last", "--ledger", str(worked))
    assert said.code == 1
    assert said.out.startswith("different  entry ")
    assert licet("replay", "last", "--ledger", str(worked), "--json").document["same"] is False


def test_a_run_without_a_workflow_is_exit_2(licet: Licet) -> None:
    assert licet("run", "oracle-grove").code == 0
    said = licet("replay", "last")
    assert (said.code, said.out) == (2, "")
    assert "no workflow began in the run" in said.err
