"""Verification: what it finds, and what it says that it cannot."""

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from chained import completed, draft, linked, requested
from licet.errors import LedgerUnavailableError
from licet.ledger.chain import START, Place, digest_of, head_of
from licet.ledger.memory import MemoryLedger
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import NOT_EXCLUDED, verify, verify_file
from licet.model.entry import GENESIS
from tampering import COLUMNS, LAST, STORY, rewrite_from, tamper, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "ledger.db")


# --- what is sound ---


def test_a_whole_ledger_is_sound(path: Path) -> None:
    found = verify_file(path)
    assert found.ok
    assert (found.count, found.head, found.seq, found.problem) == (LAST, linked(*STORY)[-1].head, None, None)
    assert found.unknown == ("c4",)


def test_an_empty_ledger_is_sound(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "ledger.db").close()
    found = verify_file(tmp_path / "ledger.db")
    assert (found.ok, found.count, found.head) == (True, 0, GENESIS)


def test_the_result_says_what_it_does_not_prove(path: Path) -> None:
    text = verify_file(path).text
    assert NOT_EXCLUDED in text
    assert "missing at the end" in text
    assert "older copy" in text
    assert linked(*STORY)[-1].head.hex() in text
    assert "Calls without an end: 'c4'" in text


def test_a_broken_ledger_is_not_called_sound(path: Path) -> None:
    tamper(path, "UPDATE entry SET actor = 'nobody' WHERE seq = 3")
    text = verify_file(path).text
    assert text.startswith("Broken at entry 3:")
    assert NOT_EXCLUDED in text


def test_call_ids_are_told_escaped(tmp_path: Path) -> None:
    found = verify(linked(requested("\x1b[2Jc\u202e1")))
    assert "\x1b" not in found.text
    assert "\u202e" not in found.text


def test_what_stands_in_the_write_ahead_log_counts(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    for each in STORY:
        ledger.append(each, durable=False)
    ledger.flush()
    assert (tmp_path / "ledger.db-wal").stat().st_size > 0
    assert verify_file(tmp_path / "ledger.db").count == LAST
    ledger.append(requested("c9"), durable=False)
    ledger.flush()
    assert verify_file(tmp_path / "ledger.db").count == LAST + 1
    ledger.close()


def test_verification_writes_nothing_into_the_file(path: Path) -> None:
    before = path.read_bytes()
    verify_file(path)
    assert path.read_bytes() == before


def test_the_tail_of_a_bounded_ledger_verifies_from_its_anchor() -> None:
    ledger = MemoryLedger(limit_entries=4)
    for each in STORY:
        ledger.append(each, durable=False)
    assert ledger.anchor.seq == LAST - 4
    found = verify(ledger.entries(), start=ledger.anchor)
    assert (found.ok, found.count, found.head) == (True, 4, linked(*STORY)[-1].head)
    assert not verify(ledger.entries()).ok
    assert not verify(ledger.entries(), start=Place(ledger.anchor.seq, GENESIS)).ok


# --- every column ---


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("seq", [1, 3, LAST])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_of_any_column_is_found(path: Path, column: str, seq: int) -> None:
    tamper(path, COLUMNS[column].format(seq=seq))
    found = verify_file(path)
    if column == "all of it" and seq == LAST:
        assert (found.ok, found.count) == (True, LAST - 1), "a bare chain cannot show that its end is gone,"
        assert "missing at the end" in found.text, "and says so"
        return
    assert not found.ok
    assert found.problem
    assert found.seq == (1 if column == "seq of zero" else seq)
    assert found.count == found.seq - 1
    if found.count:
        assert found.head == linked(*STORY)[found.count - 1].head


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE entry SET seq = 100 WHERE seq = 3", "its number is 4"),
        ("UPDATE entry SET kind = 'a.b' WHERE seq = 3", "its kind, actor or body is not what its digest says"),
        ("UPDATE entry SET actor = 'x' WHERE seq = 3", "its kind, actor or body is not what its digest says"),
        ("UPDATE entry SET trace = '{}' WHERE seq = 3", "its run, trace or head does not follow from the entry before"),
        ("UPDATE entry SET head = zeroblob(32) WHERE seq = 3", "its run, trace or head does not follow from the entry"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(path: Path, statement: str, problem: str) -> None:
    tamper(path, statement)
    found = verify_file(path)
    assert found.problem is not None
    assert found.problem.startswith(problem)
    assert found.seq == 3


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize(
    ("change", "seq"),
    [
        ("swap two entries", 3),
        ("put one in", 4),
        ("move the last to the front", 1),
        ("put an old one at the end again", LAST + 1),
        ("leave one out and close the gap", 3),
    ],
)
def test_a_change_of_the_order_is_found(path: Path, change: str, seq: int) -> None:
    rows = [(entry.run_id, entry.kind, entry.actor, entry.body.decode(), entry.trace.decode(), entry.digest, entry.head)
            for entry in linked(*STORY)]  # fmt: skip
    if change == "swap two entries":
        rows[2], rows[3] = rows[3], rows[2]
    elif change == "put one in":
        rows.insert(3, rows[2])
    elif change == "move the last to the front":
        rows.insert(0, rows.pop())
    elif change == "put an old one at the end again":
        rows.append(rows[0])
    else:
        del rows[2]

    def rewrite(raw: sqlite3.Connection) -> None:
        raw.execute("DELETE FROM entry")
        for number, row in enumerate(rows, 1):
            call = next(e for e in linked(*STORY) if e.head == row[-1]).body
            named = call.split(b'"call":"')[-1].split(b'"')[0].decode() if row[1].startswith("tool.") else None
            raw.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (number, *row, named))

    tamper(path, change=rewrite)
    found = verify_file(path)
    assert (found.ok, found.seq) == (False, seq)


def test_a_body_of_another_type_is_found(path: Path) -> None:
    """A strict table takes none, but a hand in the schema can make it an ordinary one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        strict = raw.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry'").fetchone()[0]
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("PRAGMA writable_schema = ON")
        loose = strict.removesuffix(" STRICT")
        raw.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'entry'", (loose,))
        raw.execute("PRAGMA writable_schema = RESET")
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("UPDATE entry SET body = CAST(body AS BLOB) WHERE seq = 3")
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'entry'", (strict,))
        raw.execute("PRAGMA writable_schema = RESET")
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        for _, sql in triggers:
            raw.execute(sql)
        assert raw.execute("SELECT typeof(body) FROM entry WHERE seq = 3").fetchone() == ("blob",)
    found = verify_file(path)
    assert not found.ok
    assert found.problem
    assert "damaged" in found.problem


def test_text_that_is_not_utf8_is_found(path: Path) -> None:
    tamper(path, "UPDATE entry SET trace = CAST(X'7b7dff' AS TEXT) WHERE seq = 4")
    assert verify_file(path).seq == 4
    tamper(path, "UPDATE entry SET kind = CAST(X'61ff' AS TEXT) WHERE seq = 2")
    found = verify_file(path)
    assert (found.ok, found.seq) == (False, 2)


def test_honest_digests_over_text_that_is_not_utf8_do_not_help(path: Path) -> None:
    before = linked(*STORY)[LAST - 2]
    body, trace = b'{"a":"\xff"}', b"{}"
    digest = digest_of("a.b", "x", body)
    head = head_of(before.head, LAST, "r", digest, trace)

    def forge(raw: sqlite3.Connection) -> None:
        raw.execute(
            "UPDATE entry SET run_id = 'r', kind = 'a.b', actor = 'x', body = CAST(? AS TEXT), trace = '{}',"
            " digest = ?, head = ?, call = NULL WHERE seq = ?",
            (body, digest, head, LAST),
        )

    tamper(path, change=forge)
    found = verify_file(path)
    assert (found.ok, found.seq) == (False, LAST)


@pytest.mark.parametrize("column", ["name", "tbl_name", "type"])
def test_a_schema_that_only_looks_like_a_ledgers_is_refused(path: Path, column: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute(f"UPDATE sqlite_schema SET {column} = replace({column}, 'e', 'E') WHERE name = 'entry_kept'")
    with pytest.raises(LedgerUnavailableError, match=r"schema|malformed"):
        verify_file(path)


@pytest.mark.parametrize("kind", ["tool.approved", "tool.checkpointed", "pin.first_use"])
@pytest.mark.parametrize("fields", [{}, {"tool": "local/oracle"}])
def test_a_call_id_beside_an_entry_that_neither_begins_nor_ends_a_call_is_found(
    tmp_path: Path, kind: str, fields: dict[str, str]
) -> None:
    """Its body names the call, but its column for it is empty: it is none of the two entries that ``find`` gives."""
    path = written(tmp_path / "ledger.db", [requested("c1"), draft(kind, "c1", **fields), completed("c1")])
    assert verify_file(path).ok
    tamper(path, "UPDATE entry SET call = 'c1' WHERE seq = 2")
    assert verify_file(path).seq == 2


def test_an_index_that_leaves_an_entry_out_is_found(path: Path) -> None:
    """``find`` trusts the index: an entry that it does not show could be run twice."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        index = raw.execute("SELECT sql FROM sqlite_schema WHERE name = 'entry_by_call'").fetchone()[0]
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("DROP INDEX entry_by_call")
        raw.execute(index.replace("IS NOT NULL", "IS NOT NULL AND seq <> 7"))
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'entry_by_call'", (index,))
        raw.execute("PRAGMA writable_schema = RESET")
        for _, sql in triggers:
            raw.execute(sql)
    with closing(SqliteLedger(path)) as ledger:
        assert ledger.find("c4").opened is None, "the trick works"
    found = verify_file(path)
    assert not found.ok
    assert found.problem
    assert "entry_by_call" in found.problem


# --- what a bare chain cannot show ---


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("cut", [1, 4, LAST])
def test_a_tail_that_was_made_anew_is_not_excluded(path: Path, cut: int) -> None:
    honest = verify_file(path).head
    rewrite_from(path, cut, *(draft("a.b", number=number) for number in range(LAST - cut + 1)))
    found = verify_file(path)
    assert (found.ok, found.count) == (True, LAST), "no bare chain can show this,"
    assert "the chain was made anew" in found.text, "and the result says so:"
    assert found.head != honest, "only a head kept elsewhere does"


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("kept", [0, 1, LAST - 1])
def test_a_missing_end_is_not_excluded(path: Path, kept: int) -> None:
    tamper(path, f"DELETE FROM entry WHERE seq > {kept}")
    found = verify_file(path)
    assert (found.ok, found.count) == (True, kept)
    assert "missing at the end" in found.text


@pytest.mark.requirement("own.ledger-tamper-evidence")
def test_an_older_copy_is_not_excluded(path: Path, tmp_path: Path) -> None:
    old = path.read_bytes()
    with closing(SqliteLedger(path)) as ledger:
        ledger.append(requested("c9"), durable=False)
    path.write_bytes(old)
    found = verify_file(path)
    assert (found.ok, found.count) == (True, LAST)
    assert "older copy" in found.text


# --- no ledger at all ---


@pytest.mark.parametrize("content", [None, b"", b"no database at all", b"SQLite format 3\0" + b"\0" * 4080])
def test_what_is_no_ledger_is_an_error_and_no_empty_success(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ledger.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LedgerUnavailableError, match=r"ledger\.db"):
        verify_file(path)
    assert path.exists() == (content is not None)


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailableError, match="regular file"):
        verify_file(tmp_path)


# --- the pure function ---


def test_errors_of_a_ledger_that_is_read_go_through(tmp_path: Path) -> None:
    def broken() -> object:
        yield linked(*STORY)[0]
        raise LedgerUnavailableError("it went away")

    with pytest.raises(LedgerUnavailableError, match="went away"):
        verify(broken())  # type: ignore[arg-type]


def test_every_prefix_is_sound_and_every_gap_is_not() -> None:
    entries = linked(*STORY)
    for length in range(LAST + 1):
        assert verify(entries[:length]).ok
    for first, _ in pairwise(range(1, LAST + 1)):
        assert not verify(entries[first:]).ok
    assert START.head == GENESIS
