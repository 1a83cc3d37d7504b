"""``licet runs`` and ``licet ledger``: what stands on a ledger, told without changing it."""

import json
import sqlite3
from pathlib import Path

import pytest
from said import Licet

from licet.cli.records import opened
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft

HOSTILE = "r\x1b[31m\n\u202e"
READERS = (
    ("runs",),
    ("runs", "last"),
    ("ledger", "show"),
    ("ledger", "verify"),
    ("ledger", "settle", "c", "done", "--note", "n"),
    ("why", "--refused"),
    ("rollback", "last"),
)


def packed(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.fixture
def book(home: Path) -> Path:
    """A ledger with two runs: one sound, one that crashed, in words that would act on a terminal."""
    home.mkdir()
    ledger = SqliteLedger(home / "ledger.db")
    lines = [
        ("run-1", "tool.requested", {"arguments": {"n": 1}, "call": "c1", "tool": "local/add"}, {"at_us": 10}),
        ("run-1", "tool.completed", {"call": "c1", "output": 2}, {"at_us": 1500, "duration_us": 1490}),
        ("run-1", "tool.refused", {"arguments": {}, "call": "c2", "code": "not_granted", "tool": "local/rm"}, {}),
        ("", "pin.first_use", {"tool": "local/add"}, {}),
        ("run-2", "tool.requested", {"arguments": {HOSTILE: HOSTILE}, "call": "c3", "tool": HOSTILE}, {"at_us": 20}),
        ("run-2", "tool.requested", {"arguments": {}, "call": "c4", "tool": "local/add"}, {"at_us": 30}),
        ("run-2", "tool.failed", {"call": "c4", "code": "timeout", "effect": "unknown"}, {"duration_us": 5}),
    ]
    for run_id, kind, body, trace in lines:
        ledger.append(
            Draft(run_id, kind, HOSTILE if run_id == "run-2" else "alice", packed(body), packed(trace)), durable=True
        )
    ledger.close()
    return home / "ledger.db"


def test_runs_are_listed_with_what_became_of_their_calls(book: Path, licet: Licet) -> None:
    first, second = licet("runs", "--json").document
    assert (first["run_id"], first["actor"], first["calls"], first["refused"], first["unknown"]) == (
        "run-1",
        "alice",
        2,
        1,
        0,
    )
    assert (second["calls"], second["failed"], second["unknown"]) == (2, 1, 1)
    assert len(licet("runs").out.splitlines()) == 3
    assert licet("runs", "--limit", "1").out.splitlines()[1].startswith("run-2")


@pytest.mark.parametrize("named", ["last", "run-2"])
def test_a_run_is_told_call_by_call(named: str, book: Path, licet: Licet) -> None:
    told = licet("runs", named, "--json").document
    assert told["run_id"] == "run-2"
    assert [(call["call"], call["outcome"], call["code"]) for call in told["calls"]] == [
        ("c3", "unknown", None),
        ("c4", "failed", "timeout"),
    ]
    said = licet("runs", named)
    assert len(said.out.splitlines()) == 4
    assert "no end" not in said.out
    assert "without an end" in said.err


def test_durations_and_reasons_are_told(book: Path, licet: Licet) -> None:
    done, refused = licet("runs", "run-1", "--json").document["calls"]
    assert (done["outcome"], done["duration_us"], done["arguments"], done["tool"]) == (
        "completed",
        1490,
        {"n": 1},
        "add",
    )
    assert (refused["outcome"], refused["code"], refused["duration_us"]) == ("refused", "not_granted", None)


@pytest.mark.parametrize("named", ["run", "r", "run-"])
def test_an_ambiguous_beginning_names_the_candidates(named: str, book: Path, licet: Licet) -> None:
    for words in (("runs", named), ("ledger", "show", "--run", named), ("why", "--refused", named)):
        said = licet(*words)
        assert said.code == 2
        assert "run-1, run-2" in said.err


@pytest.mark.parametrize("named", ["zzz", "", "run-11", "\x1b[31m", "\udcff", "%"])
def test_an_unknown_run_is_a_usage_error(named: str, book: Path, licet: Licet) -> None:
    said = licet("runs", named)
    assert said.code == 2
    assert "no run on this ledger" in said.err
    assert "\x1b" not in said.err


def test_nothing_of_a_ledger_acts_on_a_terminal(book: Path, licet: Licet) -> None:
    for words in (("runs",), ("runs", "last"), ("ledger", "show"), ("ledger", "verify"), ("why", "--refused", "last")):
        for form in ((), ("--json",)):
            said = licet(*words, *form)
            assert said.code == 0
            assert not any(c in said.out + said.err for c in "\x1b\u202e")


# --- show ---


def test_every_entry_is_shown_on_one_line(book: Path, licet: Licet) -> None:
    lines = licet("ledger", "show").out.splitlines()
    assert [line.split()[0] for line in lines] == list("1234567")
    assert "1970-01-01 00:00:00" in lines[0]


def test_shown_bodies_and_traces_are_objects_never_text(book: Path, licet: Licet) -> None:
    entries = licet("ledger", "show", "--json").document
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4, 5, 6, 7]
    assert entries[0]["body"] == {"arguments": {"n": 1}, "call": "c1", "tool": "local/add"}
    assert entries[0]["trace"] == {"at_us": 10}
    assert entries[4]["body"]["arguments"] == {HOSTILE: HOSTILE}
    assert entries[4]["actor"] == HOSTILE
    assert all(len(entry[digest]) == 64 for entry in entries for digest in ("digest", "head"))


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        (("--run", "run-1"), [1, 2, 3]),
        (("--run", "last"), [5, 6, 7]),
        (("--kind", "tool.requested"), [1, 5, 6]),
        (("--kind", "refused"), [3]),
        (("--kind", "nothing"), []),
        (("--unknown",), [5]),
        (("--unknown", "--run", "run-1"), []),
        (("--limit", "2"), [6, 7]),
        (("--limit", "999"), [1, 2, 3, 4, 5, 6, 7]),
        (("--kind", "requested", "--limit", "1"), [6]),
    ],
)
def test_entries_are_chosen_by_run_kind_end_and_number(
    filters: tuple[str, ...], shown: list[int], book: Path, licet: Licet
) -> None:
    assert [entry["seq"] for entry in licet("ledger", "show", *filters, "--json").document] == shown
    said = licet("ledger", "show", *filters)
    assert len(said.out.splitlines()) == len(shown)
    assert ("no such entry" in said.err) == (not shown)


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5", "", "²", "99999999999999999999"])
def test_a_limit_that_is_no_number_is_a_usage_error(limit: str, book: Path, licet: Licet) -> None:
    assert licet("ledger", "show", f"--limit={limit}").code == 2
    assert licet("runs", f"--limit={limit}").code == 2


# --- verify ---


def test_a_sound_ledger_is_told_with_what_is_not_excluded(book: Path, licet: Licet) -> None:
    told = licet("ledger", "verify", "--json").document
    assert (told["ok"], told["entries"], told["unknown"], told["problem"]) == (True, 7, ["c3"], None)
    said = licet("ledger", "verify", str(book))
    assert said.code == 0
    assert told["head"] in said.out
    assert "Not excluded" in said.out
    assert "c3 has no end" in said.out


def tampered(book: Path, change: str) -> None:
    """Change an entry as somebody would who knows about the triggers."""
    connection = sqlite3.connect(book)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(change)
    for _, sql in triggers:
        connection.execute(sql)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("change", "seq"),
    [
        ("UPDATE entry SET body = replace(body, '2', '3') WHERE seq = 2", 2),
        ("UPDATE entry SET actor = 'bob' WHERE seq = 1", 1),
        ("UPDATE entry SET trace = '{}' WHERE seq = 5", 5),
        ("UPDATE entry SET run_id = 'run-2' WHERE seq = 3", 3),
        ("DELETE FROM entry WHERE seq = 4", 4),
    ],
)
def test_a_broken_chain_is_exit_1_and_names_the_entry(change: str, seq: int, book: Path, licet: Licet) -> None:
    assert licet("ledger", "verify").code == 0
    tampered(book, change)
    said = licet("ledger", "verify")
    assert said.code == 1
    assert f"broken  at entry {seq} of" in said.out
    assert "Not excluded" in said.out
    told = licet("ledger", "verify", "--json")
    assert (told.code, told.document["ok"], told.document["seq"]) == (1, False, seq)


def test_a_missing_end_is_not_seen_and_that_is_said(book: Path, licet: Licet) -> None:
    tampered(book, "DELETE FROM entry WHERE seq = 7")
    said = licet("ledger", "verify")
    assert said.code == 0
    assert "Not excluded: that entries are missing at the end" in said.out


def test_a_body_that_is_no_object_is_shown_as_what_it_is(book: Path, licet: Licet) -> None:
    tampered(book, "UPDATE entry SET body = 'not json' WHERE seq = 2")
    tampered(book, "UPDATE entry SET trace = '[1]' WHERE seq = 1")
    entries = licet("ledger", "show", "--json").document
    assert entries[1]["body"] == {"not_json": "not json"}
    assert entries[0]["trace"] == {"not_json": "[1]"}
    assert licet("runs", "run-1").code == 0


# --- settle ---


def test_a_call_without_an_end_is_settled_by_a_person_once(book: Path, licet: Licet) -> None:
    words = ("ledger", "settle", "c3", "done", "--note", "the row is there \x1b[31m")
    told = licet(*words, "--json").document
    assert (told["call"], told["outcome"], told["run_id"], told["seq"]) == ("c3", "done", "run-2", 8)
    assert told["actor"]
    assert licet("ledger", "verify", "--json").document["unknown"] == []
    assert licet("runs", "run-2", "--json").document["calls"][0]["outcome"] == "settled done"
    again = licet(*words)
    assert again.code == 2
    assert "has an end: entry 8, tool.settled" in again.err
    assert licet("ledger", "verify", "--json").document["entries"] == 8


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("c9", "done", "--note", "x"), "no open call is 'c9'; open are c3"),
        (("c", "done", "--note", "x"), "open are c3"),
        (("", "done", "--note", "x"), "open are c3"),
        (("\udcff", "done", "--note", "x"), "open are c3"),
        (("c1", "done", "--note", "x"), "has an end: entry 2"),
        (("c2", "done", "--note", "x"), "has an end: entry 3"),
        (("c3", "done", "--note", "  "), "note"),
        (("c3", "done", "--note", "\udcff"), "UTF-8"),
        (("c3", "done"), "required: --note"),
        (("c3", "maybe", "--note", "x"), "invalid choice"),
        (("c3", "--note", "x"), "required: outcome"),
    ],
)
def test_what_cannot_be_settled_is_a_usage_error_and_adds_nothing(
    words: tuple[str, ...], told: str, book: Path, licet: Licet
) -> None:
    said = licet("ledger", "settle", *words)
    assert said.code == 2
    assert told in said.err
    assert licet("ledger", "verify", "--json").document["entries"] == 7


# --- no ledger ---


def named(words: tuple[str, ...], file: Path) -> tuple[str, ...]:
    """The command for this file, named as each command names it."""
    return (*words, str(file)) if words[1:2] in (("show",), ("verify",)) else (*words, "--ledger", str(file))


@pytest.mark.parametrize("words", READERS)
def test_a_reader_makes_no_ledger_and_says_that_there_is_none(words: tuple[str, ...], home: Path, licet: Licet) -> None:
    said = licet(*words)
    assert said.code == 4
    assert "there is no ledger at" in said.err
    assert not home.exists()


@pytest.mark.parametrize("words", READERS)
def test_what_is_no_ledger_is_exit_4_and_left_as_it_is(words: tuple[str, ...], tmp_path: Path, licet: Licet) -> None:
    def other() -> sqlite3.Connection:
        return sqlite3.connect(tmp_path / "other.db")

    with other() as connection:
        connection.execute("CREATE TABLE entry(seq)")
    connection.close()
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("no database\n" * 100)
    (tmp_path / "dangling.db").symlink_to("gone")
    before = {file.name: file.stat().st_size for file in tmp_path.iterdir() if file.exists()}
    for name in ("other.db", "folder.db", "empty.db", "text.db", "dangling.db", "missing.db", "text.db/x"):
        said = licet(*named(words, tmp_path / name))
        assert (name, said.code) == (name, 4)
        assert "ledger" in said.err
        assert said.out == ""
    assert {file.name: file.stat().st_size for file in tmp_path.iterdir() if file.exists()} == before


def test_a_damaged_page_is_exit_4_or_found_never_a_traceback(book: Path, licet: Licet) -> None:
    whole = book.read_bytes()
    for at in range(4096, len(whole), 1024):
        book.write_bytes(whole[:at] + b"\xff" * 64 + whole[at + 64 :])
        for words in READERS[:4]:
            assert licet(*words).code in (0, 1, 2, 4)
    book.write_bytes(whole[: len(whole) // 2])
    for words in READERS[:4]:
        assert licet(*words).code in (1, 4)


def test_a_reader_sees_one_moment_and_holds_nobody_up(book: Path, licet: Licet) -> None:
    ledger = SqliteLedger(book)
    with opened(book) as records:
        assert len(list(records.entries())) == 7
        ledger.append(Draft("run-3", "tool.refused", "alice", packed({"call": "c5"}), b"{}"), durable=True)
        ledger.flush()
        assert len(list(records.entries())) == 7
        assert len(records.runs()) == 2
    assert len(licet("ledger", "show", "--json").document) == 8
    ledger.close()
