"""``licet ledger diff``: two stories are the same, or differ in one event first, which is told in words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from said import Licet

from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft

Event = tuple[str, str, Any]
ONE: Event = ("oracle.spoke", "teller", {"omen": "rain", "turn": 1})
TWO: Event = ("world.observed", "whisperer", {"text": "wet"})


@pytest.fixture
def ledger(tmp_path: Path, home: Path) -> Callable[..., Path]:
    """Writes a ledger of runs, each with its events among entries of licet's own that differ from run to run."""

    def written(name: str, **runs: list[Event]) -> Path:
        path = tmp_path / name
        book = SqliteLedger(path)
        for number, (run_id, events) in enumerate(runs.items()):
            for kind, actor, payload in [("scenario.opened", "play", {"n": number, "name": name}), *events]:
                trace = b'{"at_us":%d}' % number
                book.append(Draft(run_id, kind, actor, orjson.dumps(payload), trace), durable=False)
            book.append(Draft(run_id, "tool.refused", "teller", b'{"call":"%d"}' % number, b"{}"), durable=False)
        book.append(Draft("", "mcp.connected", "licet", b'{"name":"x"}', b"{}"), durable=False)
        book.close()
        return path

    return written


def test_two_ledgers_and_two_runs_with_the_same_events_are_the_same(licet: Licet, ledger: Callable[..., Path]) -> None:
    a, b = ledger("a.db", one=[ONE, TWO]), ledger("b.db", other=[ONE], more=[TWO])
    said = licet("ledger", "diff", str(a), str(b))
    assert (said.code, said.out) == (0, f"the same  2 events of {a} and {b}\n")
    assert licet("ledger", "diff", f"{a}:one", f"{a}:last").code == 0
    assert licet("ledger", "diff", f"{b}:oth", f"{b}:other", "--json").document == {
        "same": True,
        "events": 1,
        "difference": None,
        "a": {"ledger": str(b), "run": "other", "event": None},
        "b": {"ledger": str(b), "run": "other", "event": None},
    }


@pytest.mark.parametrize(
    ("other", "same", "how"),
    [
        ([ONE], 1, "B ends there, and A goes on"),
        ([ONE, TWO, TWO], 2, "A ends there, and B goes on"),
        ([TWO, ONE], 0, "the kinds differ"),
        ([ONE, ("world.observed", "other", {"text": "wet"})], 1, "the agents differ"),
        (
            [("oracle.spoke", "teller", {"omen": "snow", "more": 1, "turn": 1}), TWO],
            0,
            "the payloads differ in more, omen",
        ),
        ([("oracle.spoke", "teller", ["omen"]), TWO], 0, "the payloads differ"),
        ([("oracle.spoke", "teller", {"turn": 1, "omen": "rain"}), TWO], 0, "the payloads are written differently"),
        ([], 0, "B ends there, and A goes on"),
    ],
)
def test_the_first_difference_is_told_in_words_and_is_exit_1(
    licet: Licet, ledger: Callable[..., Path], other: list[Event], same: int, how: str
) -> None:
    a, b = ledger("a.db", one=[ONE, TWO]), ledger("b.db", one=other)
    told = licet("ledger", "diff", str(a), str(b), "--json")
    assert (told.code, told.document["same"], told.document["events"], told.document["difference"]) == (
        1,
        False,
        same,
        how,
    )
    said = licet("ledger", "diff", str(a), str(b))
    assert said.code == 1
    first, *rest = said.out.splitlines()
    assert first.startswith("different  after ")
    assert first.endswith(how)
    assert [line[0] for line in rest if line[0] != " "] == ["A", "B"]


def test_a_digest_is_computed_and_not_believed(licet: Licet, ledger: Callable[..., Path]) -> None:
    import sqlite3

    a, b = ledger("a.db", one=[ONE]), ledger("b.db", one=[ONE])
    with sqlite3.connect(b) as forging:
        forging.execute("DROP TRIGGER entry_unchanged")
        forging.execute("UPDATE entry SET body = replace(body, 'rain', 'snow')")
        sql = (
            "CREATE TRIGGER entry_unchanged BEFORE UPDATE ON entry"
            " BEGIN SELECT RAISE(ABORT, 'no entry of a ledger is ever changed'); END"
        )
        forging.execute(sql)
    forging.close()
    assert licet("ledger", "diff", str(a), str(b)).code == 1


def test_odd_text_in_an_event_does_not_act_on_the_terminal(licet: Licet, ledger: Callable[..., Path]) -> None:
    a = ledger("a.db", one=[("oracle.spoke", "te\x1b[31mller", {"\x1b]0;t\x07": "\u202e"})])
    b = ledger("b.db", one=[ONE])
    for more in ([], ["--json"]):
        said = licet("ledger", "diff", str(a), str(b), *more)
        assert said.code == 1
        assert "\x1b" not in said.out
        assert "\u202e" not in said.out


def test_what_is_not_there_is_said(licet: Licet, ledger: Callable[..., Path], tmp_path: Path) -> None:
    a = ledger("a.db", one=[ONE], empty=[])
    assert licet("ledger", "diff", str(a), str(tmp_path / "none.db")).code == 4
    assert licet("ledger", "diff", f"{a}:nobody", str(a)).code == 2
    assert licet("ledger", "diff", f"{a}:empty", f"{a}:empty").code == 2
    assert licet("ledger", "diff", str(a)).code == 2
