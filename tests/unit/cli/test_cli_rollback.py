"""``licet rollback``, and how ``licet runs`` tells of it."""

import os
from pathlib import Path

import pytest
from said import Licet

RUN = "run-1"
WRITING = ("--mode", "workspace-write", "--root", ".", "--grant", "group:editing_builtins", "--run", RUN)


@pytest.fixture
def ran(project: Path, licet: Licet) -> Path:
    """A run that wrote two files, one of them new."""
    for words in (
        ("call", "write", '{"path": "a.txt", "content": "changed"}', *WRITING),
        ("call", "write", '{"path": "d/new.txt", "content": "new"}', *WRITING),
        ("call", "read", '{"path": "a.txt"}', "--root", ".", "--grant", "read", "--run", RUN),
    ):
        assert licet(*words).code == 0
    return project


def test_a_run_is_undone_and_told_file_by_file(ran: Path, licet: Licet) -> None:
    said = licet("rollback", "last")
    assert said.code == 0
    assert said.out.splitlines()[:2] == [f"removed   {ran}/d/new.txt", f"put back  {ran}/a.txt"]
    assert "rolled back 2 calls of run run-1, by " in said.out
    assert "stay as they are: read (1)" in said.err
    assert (ran / "a.txt").read_text() == "one\ntwo\n"
    assert not (ran / "d").exists()
    again = licet("rollback", RUN)
    assert again.code == 0
    assert "was rolled back before, by " in again.out


def test_the_document_says_what_was_done_by_whom(ran: Path, licet: Licet) -> None:
    first = licet("rollback", "run", "--json").document
    assert (first["run"], first["already"], len(first["calls"])) == (RUN, False, 2)
    assert first["files"] == [
        {"path": f"{ran}/d/new.txt", "existed": False},
        {"path": f"{ran}/a.txt", "existed": True},
    ]
    assert first["actor"]
    again = licet("rollback", "run", "--json").document
    assert (again["already"], again["calls"], again["files"], again["seq"]) == (True, [], [], first["seq"])


def test_runs_shows_what_was_rolled_back(ran: Path, licet: Licet) -> None:
    assert "rolled back" not in licet("runs").out
    assert [call["undone"] for call in licet("runs", RUN, "--json").document["calls"]] == [False, False, False]
    licet("rollback", RUN)
    assert "rolled back" in licet("runs").out
    assert "rolled back since" in licet("runs", RUN).out
    assert licet("runs", RUN).out.count("completed, undone") == 2
    assert [call["undone"] for call in licet("runs", RUN, "--json").document["calls"]] == [True, True, False]
    assert [run["rolled_back"] for run in licet("runs", "--json").document] == [True]
    licet("call", "write", '{"path": "a.txt", "content": "again"}', *WRITING)
    assert [run["rolled_back"] for run in licet("runs", "--json").document] == [False]


def test_a_refusal_is_exit_4_and_changes_nothing(ran: Path, licet: Licet) -> None:
    (ran / "a.txt").write_text("mine")
    before = licet("ledger", "verify", "--json").document["entries"]
    said = licet("rollback", RUN)
    assert (said.code, said.out) == (4, "")
    assert f"nothing was undone: 1 of 2 files are not as the run left them: '{ran}/a.txt'" in said.err
    assert (ran / "d" / "new.txt").exists()
    assert licet("ledger", "verify", "--json").document["entries"] == before


def test_only_the_folders_that_are_named_are_touched(ran: Path, licet: Licet, tmp_path: Path) -> None:
    assert licet("rollback", RUN, "--root", "d").code == 4
    assert licet("rollback", RUN, "--root", str(tmp_path)).code == 0
    assert (ran / "a.txt").read_text() == "one\ntwo\n"


def test_a_run_without_writes_has_nothing_to_undo(project: Path, licet: Licet) -> None:
    licet("call", "read", '{"path": "a.txt"}', "--root", ".", "--grant", "read", "--run", RUN)
    said = licet("rollback", RUN)
    assert said.code == 0
    assert "has written nothing that can be undone" in said.out
    assert licet("rollback", RUN, "--json").document["seq"] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nope",), "no run on this ledger"),
        (("",), "no run on this ledger"),
        (("\udcff",), "no run on this ledger"),
        (("run-1", "--root", "gone"), "no such folder"),
        (("run-1", "--root", "a.txt"), "no such folder"),
        (("run-1", "--root", ""), "no such folder"),
        (("run-1", "--root", "\0"), "no such folder"),
        ((), "required: RUN"),
    ],
)
def test_bad_input_is_a_usage_error(words: tuple[str, ...], told: str, ran: Path, licet: Licet) -> None:
    said = licet("rollback", *words)
    assert said.code == 2
    assert told in said.err
    assert (ran / "a.txt").read_text() == "changed"


def test_a_broken_ledger_is_exit_1_and_undoes_nothing(ran: Path, licet: Licet, home: Path) -> None:
    book = home / "ledger.db"
    book.write_bytes(book.read_bytes().replace(b'"existed":true', b'"existed":tRUE', 1))
    said = licet("rollback", RUN)
    assert (said.code, said.out) == (1, "")
    assert "is broken" in said.err
    assert (ran / "a.txt").read_text() == "changed"


def test_what_is_kept_lies_beside_the_ledger_and_only_its_owner_reads_it(ran: Path, licet: Licet, home: Path) -> None:
    folder = home / "ledger.db.blobs"
    assert os.stat(folder).st_mode & 0o777 == 0o700
    (blob,) = folder.iterdir()
    assert (blob.read_text(), blob.stat().st_mode & 0o777) == ("one\ntwo\n", 0o600)
    licet("rollback", RUN)
    assert blob.exists(), "nothing removes it"
