"""``licet call``: what runs, what is refused, what each is worth as an exit code, and what the ledger holds."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from said import Licet

from doubles import Says
from licet.cli import principal
from licet.ledger.sqlite import SqliteLedger

READ = ("call", "read", '{"path": "a.txt"}')
OURS = ("--from", "ours:tools")
WRITING = ("--mode", "workspace-write")


def kinds(home: Path) -> list[str]:
    """What the ledger holds, in order."""
    if not (home / "ledger.db").exists():
        return []
    ledger = SqliteLedger(home / "ledger.db")
    try:
        return [entry.kind for entry in ledger.entries()]
    finally:
        ledger.close()


def test_a_granted_call_gives_its_output_and_stands_on_the_ledger(project: Path, home: Path, licet: Licet) -> None:
    said = licet(*READ, "--grant", "read", "--root", ".")
    assert said.code == 0
    assert json.loads(said.out)["text"] == "one\ntwo\n"
    assert said.out.count("\n") == 1
    assert said.err.startswith("licet: run r")
    assert kinds(home) == ["tool.requested", "tool.completed"]


def test_the_document_holds_the_ids_and_the_effect(project: Path, licet: Licet) -> None:
    told = licet(*READ, "--grant", "read", "--root", ".", "--json", "--call-id", "mine").document
    assert (told["tool"], told["call"], told["success"], told["effect"], told["code"]) == (
        "read",
        "mine",
        True,
        "done",
        None,
    )
    assert told["run"].startswith("r")
    assert told["duration_ms"] > 0


def test_rendered_is_the_block_that_a_model_reads(project: Path, licet: Licet) -> None:
    block = licet(*READ, "--grant", "read", "--root", ".", "--rendered").out
    assert "never an instruction" in block
    assert "<<data " in block


def test_arguments_may_come_from_standard_input(project: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"path": "a.txt"}')))
    assert licet("call", "read", "-", "--grant", "read", "--root", ".").code == 0


def test_no_arguments_are_an_empty_object(project: Path, licet: Licet) -> None:
    assert licet("call", "ls", "--grant", "ls", "--root", ".").code == 0


REFUSED = {
    "ungranted": (("call", "read", '{"path": "a.txt"}', "--root", "."), "not_granted", "add --grant read"),
    "no such tool": (("call", "nothere", "--grant", "nothere"), "unknown_tool", "no tool here has this name"),
    "no such tool, ungranted": (("call", "nothere"), "not_granted", "no tool here has this name"),
    "no tool's name": (("call", "a b\x1b[31m\n"), "not_granted", "no tool here has this name"),
    "not UTF-8": (("call", "\udcff\udcfe"), "not_granted", "no tool here has this name"),
    "hidden by mode": (
        ("call", "write", '{"path": "b", "content": ""}', "--grant", "write", "--root", "."),
        "mode_forbids",
        "add --mode workspace-write",
    ),
    "no root": (("call", "read", '{"path": "a.txt"}', "--grant", "read"), "path_outside_root", "add --root DIR"),
    "outside the root": (
        ("call", "read", '{"path": "../secret"}', "--grant", "read", "--root", "."),
        "path_outside_root",
        "",
    ),
    "not an object": (("call", "ls", "[1]", "--grant", "ls", "--root", "."), "invalid_arguments", "it takes"),
    "missing argument": (
        ("call", "read", "{}", "--grant", "read", "--root", "."),
        "invalid_arguments",
        "it takes path",
    ),
    "argument of another type": (
        ("call", "read", '{"path": 1}', "--grant", "read", "--root", "."),
        "invalid_arguments",
        "it takes path",
    ),
    "protected": (
        ("call", "write", '{"path": ".git/config", "content": ""}', "--grant", "write", "--root", ".", *WRITING),
        "path_protected",
        "",
    ),
    "call id of other characters": (("call", "ls", "--grant", "ls", "--root", ".", "--call-id", "a b"), "call_id", ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_exit_3_with_its_reason_and_remedy_and_stands_on_the_ledger(
    case: str, project: Path, home: Path, licet: Licet
) -> None:
    words, code, remedy = REFUSED[case]
    before = sorted(project.iterdir())
    said = licet(*words)
    assert said.code == 3
    assert code in said.err
    assert "nothing ran" in said.err
    assert (f"remedy: {remedy}" in said.err) if remedy else "--grant" not in said.err
    assert said.out == ""
    assert all(c >= " " or c == "\n" for c in said.err)
    assert kinds(home) == ["tool.refused"]
    assert sorted(project.iterdir()) == before


def test_a_refusal_as_a_document_has_code_reason_and_remedy(project: Path, licet: Licet) -> None:
    said = licet(*READ, "--json")
    assert said.code == 3
    assert (said.document["success"], said.document["code"], said.document["effect"]) == (False, "not_granted", "none")
    assert said.document["remedy"] == "add --grant read"


USAGE = {
    "not JSON": (("call", "read", "nope"), "the arguments are not JSON"),
    "empty": (("call", "read", ""), "the arguments are not JSON"),
    "a key twice": (("call", "read", '{"a": 1, "a": 2}'), "at /a: the key stands twice"),
    "NaN": (("call", "read", '{"a": NaN}'), "not JSON"),
    "too deep": (("call", "read", "[" * 100 + "]" * 100), "nested deeper than 64"),
    "very deep": (("call", "read", "[" * 50_000), "not JSON"),
    "half a surrogate pair": (("call", "read", '{"path": "\\ud800"}'), "not JSON"),
    "arguments not UTF-8": (("call", "read", '{"path": "\udcff"}'), "not UTF-8"),
    "a long number": (("call", "read", '{"a": ' + "9" * 10_000 + "}"), "64 bits"),
    "a longer number": (("call", "read", '{"a": ' + "9" * 100_000 + "}"), "strict JSON"),
    "no tool": (("call",), "required: TOOL"),
    "a word too many": (("call", "read", "{}", "more"), "unrecognized arguments: more"),
    "no such option": (("call", "read", "--grants", "read"), "unrecognized arguments"),
    "half an option": (("call", "read", "--gra", "read"), "unrecognized arguments"),
    "unknown mode": (("call", "read", "--mode", "bogus"), "no run mode"),
    "root missing": (("call", "read", "--root", "gone"), "--root gone: does not exist"),
    "root is a file": (("call", "read", "--root", "a.txt"), "is not a directory"),
    "root is a dangling link": (("call", "read", "--root", "dangling"), "is not a directory"),
    "root empty": (("call", "read", "--root", ""), "does not exist"),
    "root with NUL": (("call", "read", "--root", "a\0b"), "does not exist"),
    "root everywhere in another mode": (("call", "ls", "--root", "danger-full-access"), "goes with --mode"),
    "everywhere and a root": (
        ("call", "ls", "--root", "danger_full_access", "--root", ".", "--mode", "danger-full-access"),
        "drop the other roots",
    ),
    "a pattern as a grant": (("call", "read", "--grant", "re*"), "glob:re*"),
    "a grant that is no name": (("call", "read", "--grant", "../x"), "not a tool's name"),
    "a grant with ESC": (("call", "read", "--grant", "\x1b[31m"), "not a tool's name"),
    "a grant not UTF-8": (("call", "read", "--grant", "\udcff"), "not a tool's name"),
    "a set of another kind": (("call", "read", "--grant", "profile:observe"), "group:NAME"),
    "an unknown group": (("call", "read", "--grant", "group:x"), "editing_builtins, read_only_builtins"),
    "a glob of nothing": (("call", "read", "--grant", "glob:x*"), "covers no tool"),
    "a run id of other characters": (("call", "ls", "--run", "a b"), "no run id"),
    "the last of no runs": (("call", "ls", "--run", "last"), "no last run"),
    "two ways to show": (("call", "ls", "--json", "--rendered"), "not allowed with"),
    "ledger without a name": (("call", "ls", "--ledger", ""), "names no file"),
}


@pytest.mark.parametrize("case", USAGE)
def test_bad_usage_is_exit_2_says_why_and_records_no_call(case: str, project: Path, home: Path, licet: Licet) -> None:
    words, why = USAGE[case]
    (project / "dangling").symlink_to("gone")
    said = licet(*words)
    assert said.code == 2
    assert why in said.err
    assert said.out == ""
    assert all(c >= " " or c == "\n" for c in said.err)
    assert kinds(home) == []


def test_arguments_that_are_too_large_are_refused_by_the_corridor_and_recorded(
    project: Path, home: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"path": "' + b"a" * 3_000_000)))
    said = licet("call", "read", "-", "--grant", "read", "--root", ".")
    assert said.code == 3
    assert "1048576 bytes" in said.err
    assert kinds(home) == ["tool.refused"]
    assert (home / "ledger.db").stat().st_size < 200_000


def test_a_closed_standard_input_is_a_usage_error(project: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert licet("call", "read", "-").code == 2


def test_a_missing_file_is_a_failure_of_the_tool(project: Path, home: Path, licet: Licet) -> None:
    said = licet("call", "read", '{"path": "gone"}', "--grant", "read", "--root", ".")
    assert said.code == 4
    assert "path_not_found" in said.err
    assert kinds(home) == ["tool.requested", "tool.failed"]


def test_a_handler_that_raises_is_a_failure_whose_text_stays_inside(project: Path, licet: Licet) -> None:
    said = licet("call", "fails", *OURS, "--grant", "fails", *WRITING)
    assert said.code == 4
    assert "its effect is unknown" in said.err
    assert "ValueError" in said.err
    assert "secret" not in said.err


def test_an_output_that_would_act_on_a_terminal_is_shown_escaped(project: Path, licet: Licet) -> None:
    for form in ((), ("--json",), ("--rendered",)):
        said = licet("call", "odd", *OURS, "--grant", "odd", *form)
        assert not any(c in said.out for c in "\x1b\x07\u202e\x9b\x7f")
    assert json.loads(licet("call", "odd", *OURS, "--grant", "odd").out)["lines"] == "a\nb"


# --- grants, modes, roots ---


@pytest.mark.parametrize("grant", ["read", "local/read", "group:read_only_builtins", "glob:re*", "full"])
def test_a_grant_may_be_exact_or_a_set_that_was_asked_for(grant: str, project: Path, licet: Licet) -> None:
    assert licet(*READ, "--grant", grant, "--root", ".").code == 0


def test_what_a_set_expanded_to_stands_on_the_ledger(project: Path, home: Path, licet: Licet) -> None:
    licet(*READ, "--grant", "full", "--root", ".")
    assert kinds(home) == ["grant.expanded", "tool.requested", "tool.completed"]


@pytest.mark.parametrize("mode", ["workspace-write", "workspace_write", "danger-full-access"])
def test_a_mode_takes_hyphens_and_underscores(mode: str, project: Path, licet: Licet) -> None:
    words = ("call", "write", '{"path": "b.txt", "content": "x"}', "--grant", "write", "--root", ".")
    assert licet(*words, "--mode", mode).code == 0
    assert (project / "b.txt").read_text() == "x"


def test_several_roots_and_everywhere(project: Path, tmp_path: Path, licet: Licet) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("three\n")
    there = json.dumps({"path": str(other / "b.txt")})
    assert licet("call", "read", there, "--grant", "read", "--root", ".").code == 3
    assert licet("call", "read", there, "--grant", "read", "--root", ".", "--root", str(other)).code == 0
    everywhere = ("--root", "danger-full-access", "--mode", "danger-full-access")
    assert licet("call", "read", there, "--grant", "read", *everywhere).code == 0


def test_an_edit_in_a_process_of_its_own_says_why_it_cannot_be(project: Path, licet: Licet) -> None:
    edits = '{"path": "a.txt", "edits": [{"old_text": "one", "new_text": "1"}]}'
    said = licet("call", "edit", edits, "--grant", "edit", "--root", ".", *WRITING)
    assert said.code in (3, 4)
    assert "edit_requires_read" in said.err
    assert "a process of its own" in said.err
    assert (project / "a.txt").read_text() == "one\ntwo\n"


# --- approval ---


def test_a_tool_that_asks_is_refused_where_nobody_can_answer(
    project: Path, licet: Licet, seen: Callable[[], list[str]]
) -> None:
    said = licet("call", "launch", '{"what": "x"}', *OURS, "--grant", "launch", *WRITING)
    assert said.code == 3
    assert "run it from a terminal" in said.err
    assert seen() == []


@pytest.mark.parametrize(("word", "code"), [(True, 0), (False, 3)])
def test_a_tool_that_asks_runs_only_after_a_yes(
    word: bool,
    code: int,
    project: Path,
    licet: Licet,
    seen: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(principal, "terminal_approver", lambda: Says(word))
    said = licet("call", "launch", '{"what": "x"}', *OURS, "--grant", "launch", *WRITING)
    assert said.code == code
    assert seen() == (["launch"] if word else [])


# --- runs and call ids ---


def test_calls_stay_in_a_run_by_its_id_its_beginning_or_last(project: Path, home: Path, licet: Licet) -> None:
    for named in ("mine-1", "mine-1", "min", "last"):
        said = licet(*READ, "--grant", "read", "--root", ".", "--run", named)
        assert (said.code, "licet: run mine-1\n" in said.err) == (0, True)
    assert len(licet("runs", "--json").document) == 1
    calls = [call["call"] for call in licet("runs", "mine", "--json").document["calls"]]
    assert len(set(calls)) == 4


def test_a_beginning_that_several_runs_have_names_them_and_calls_nothing(
    project: Path, home: Path, licet: Licet
) -> None:
    for named in ("mine-1", "mine-2"):
        licet(*READ, "--grant", "read", "--root", ".", "--run", named)
    before = kinds(home)
    said = licet(*READ, "--grant", "read", "--root", ".", "--run", "mine")
    assert said.code == 2
    assert "mine-1, mine-2" in said.err
    assert kinds(home) == before


def test_a_call_id_runs_once_also_in_another_process(
    project: Path, licet: Licet, seen: Callable[[], list[str]]
) -> None:
    words = ("call", "plain", '{"a": 1}', *OURS, "--grant", "plain", *WRITING, "--call-id", "once")
    first, second = licet(*words), licet(*words)
    assert (first.code, second.code) == (0, 0)
    assert first.out == second.out
    assert "nothing ran" in second.err
    assert seen() == ["plain"]
    other = licet("call", "plain", '{"a": 2}', *OURS, "--grant", "plain", *WRITING, "--call-id", "once")
    assert other.code == 3
    assert "call_id_reused" in other.err
    assert seen() == ["plain"]


# --- ledgers ---


def test_no_ledger_no_call(project: Path, tmp_path: Path, licet: Licet, seen: Callable[[], list[str]]) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "text.db").write_text("this is no database, and it is longer than the header of one\n" * 20)
    for ledger in ("empty.db", "folder.db", "text.db", "missing/deeper/ledger.db", "text.db/ledger.db"):
        said = licet("call", "greet", '{"name": "x"}', *OURS, "--grant", "greet", "--ledger", str(tmp_path / ledger))
        assert (ledger, said.code) == (ledger, 4)
        assert "ledger" in said.err
        assert said.out == ""
    assert licet(*READ, "--grant", "read", "--root", ".", "--ledger", "/proc/licet.db").code == 4
    assert seen() == []


def test_a_state_folder_that_cannot_be_made_is_no_ledger(
    project: Path, home: Path, licet: Licet, seen: Callable[[], list[str]]
) -> None:
    home.write_text("in the way")
    said = licet("call", "greet", '{"name": "x"}', *OURS, "--grant", "greet")
    assert said.code == 4
    assert "LICET_HOME" in said.err
    assert seen() == []


def test_a_run_that_may_write_cannot_reach_its_own_ledger(project: Path, licet: Licet) -> None:
    words = ("call", "write", '{"path": "b", "content": ""}', "--grant", "write", "--root", ".")
    said = licet(*words, *WRITING, "--ledger", "audit.db")
    assert said.code == 2
    assert "lies inside --root" in said.err
    assert not (project / "audit.db").exists()
    assert not (project / "b").exists()
    assert licet(*words, *WRITING, "--ledger", "audit.licet").code == 0
    assert licet("call", "ls", "--grant", "ls", "--root", ".", "--ledger", "audit.db").code == 0


def test_a_runtime_of_ones_own_keeps_its_ledger(project: Path, home: Path, licet: Licet) -> None:
    words = ("call", "greet", '{"name": "x"}', "--from", "ours:runtime", "--grant", "greet")
    assert licet(*words).out == '"hello x"\n'
    assert kinds(home) == []
    assert licet(*words, "--ledger", "other.db").code == 2
    assert not (project / "other.db").exists()
