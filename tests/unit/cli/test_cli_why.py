"""``licet why``: every check with its verdict and remedy; and what a run's refusals would have needed."""

import shlex
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from said import Licet

from doubles import Says
from licet.cli import principal
from licet.cli.refused import needs_of
from licet.cli.story import Told
from licet.model.tool import ToolCapability, ToolSpec

OURS = ("--from", "ours:tools")


def test_every_check_is_told_in_order_also_those_after_a_no(home: Path, licet: Licet) -> None:
    said = licet("why", "write", '{"path": "x"}', "--json")
    assert said.code == 3
    verdicts = [(check["check"], check["verdict"]) for check in said.document["checks"]]
    assert verdicts == [
        ("grant", "deny"),
        ("lookup", "permit"),
        ("source", "permit"),
        ("mode", "deny"),
        ("arguments", "deny"),
        ("paths", "deny"),
        ("approval", "permit"),
    ]
    remedies = [check["remedy"] for check in said.document["checks"] if check["remedy"]]
    assert remedies[0] == "add --grant write"
    assert remedies[1] == "add --mode workspace-write"
    assert remedies[-1].startswith("add --root DIR")
    assert not home.exists()


def test_the_remedies_let_the_call_through(project: Path, licet: Licet) -> None:
    arguments = '{"path": "b", "content": "x"}'
    options: list[str] = []
    for _ in range(4):
        said = licet("why", "write", arguments, *options, "--json")
        if said.code == 0:
            break
        first = next(check["remedy"] for check in said.document["checks"] if check["remedy"])
        options += shlex.split(first.removeprefix("add ").partition(",")[0].replace("DIR", "."))
    assert options == ["--grant", "write", "--mode", "workspace-write", "--root", "."]
    assert licet("call", "write", arguments, *options).code == 0


def test_without_arguments_it_says_whether_the_tool_is_listed(licet: Licet, project: Path) -> None:
    said = licet("why", "read", "--grant", "read", "--root", ".")
    assert said.code == 0
    assert said.out.endswith("read is listed\n")
    assert licet("why", "read", "{}", "--grant", "read", "--root", ".").code == 3


def test_a_tool_that_asks_would_run_only_where_somebody_can_answer(
    project: Path, licet: Licet, seen: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("why", "launch", '{"what": "x"}', *OURS, "--grant", "launch", "--mode", "workspace-write")
    assert licet(*words).code == 3
    monkeypatch.setattr(principal, "terminal_approver", lambda: Says(True))
    said = licet(*words)
    assert said.code == 0
    assert said.out.endswith("launch would run, once a person says yes\n")
    assert seen() == []


def test_an_unknown_tool_is_denied_at_the_lookup(licet: Licet) -> None:
    said = licet("why", "nothere", "--grant", "nothere", "--json")
    assert said.code == 3
    assert [check["verdict"] for check in said.document["checks"]] == ["permit", "deny"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a tool"),
        (("a b",), "not a tool's name"),
        (("\x1b[31m",), "not a tool's name"),
        (("read", "nope"), "not JSON"),
        (("read", "--refused"), "drop one of the two"),
        (("read", "--refused", "last"), "drop one of the two"),
        (("read", "--ledger", "x.db"), "goes with --refused"),
    ],
)
def test_bad_usage_is_exit_2(words: tuple[str, ...], told: str, home: Path, licet: Licet) -> None:
    said = licet("why", *words)
    assert said.code == 2
    assert told in said.err
    assert "\x1b" not in said.err
    assert not home.exists()


def test_the_reason_of_a_check_cannot_act_on_a_terminal(licet: Licet) -> None:
    said = licet("why", "read", '{"path": "\\u001b[31m\\n", "x\\u202e": 1}', "--grant", "read")
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


# --- why --refused ---


def test_the_options_that_the_refusals_of_a_run_needed_let_it_through(project: Path, licet: Licet) -> None:
    write = ("call", "write", '{"path": "b", "content": "x"}', "--root", ".", "--run", "mine")
    for words in (write, (*write, "--grant", "write"), ("call", "read", '{"path": "a.txt"}', "--run", "mine")):
        assert licet(*words).code == 3
    said = licet("why", "--refused", "mine")
    assert said.code == 0
    assert said.out == "--grant read --grant write --mode workspace-write\n"
    assert "nothing was applied" in said.err
    assert licet(*write).code == 3
    assert licet(*write, *said.out.split()).code == 0


def test_refusals_that_no_grant_changes_are_told_apart(project: Path, licet: Licet) -> None:
    for _ in range(2):
        licet("call", "read", '{"path": "../x"}', "--grant", "read", "--root", ".", "--run", "mine")
    said = licet("why", "--refused")
    assert said.out == ""
    assert "read was refused 2 times for path_outside_root, which no grant changes" in said.err
    told = licet("why", "--refused", "mine", "--json").document
    assert (told["grants"], told["mode"]) == ([], None)
    assert told["others"] == [{"tool": "read", "reason": "path_outside_root", "times": 2}]


def test_a_tool_that_is_not_registered_here_is_said_to_be_unknown(project: Path, licet: Licet) -> None:
    licet("call", "plain", '{"a": 1}', *OURS)
    assert "plain is not registered here" in licet("why", "--refused").err
    said = licet("why", "--refused", *OURS)
    assert said.out == "--grant plain --mode workspace-write\n"
    assert "not registered" not in said.err


def test_a_run_without_refusals_needs_nothing(project: Path, licet: Licet) -> None:
    licet("call", "ls", "--grant", "ls", "--root", ".")
    said = licet("why", "--refused")
    assert (said.code, said.out) == (0, "")
    assert "0 refused" in said.err


@pytest.mark.parametrize(("run", "code"), [("last", 2), ("nothere", 2)])
def test_a_run_that_is_not_there_is_a_usage_error(run: str, code: int, project: Path, licet: Licet) -> None:
    assert licet("why", "--refused", run).code == 4, "no ledger yet"
    licet("call", "ls", "--grant", "ls", "--root", ".")
    assert licet("why", "--refused", "nothere").code == 2


def test_names_on_a_ledger_that_are_no_tools_names_become_no_option() -> None:
    def refused(tool: str, code: str) -> Told:
        return Told("c", tool, {}, "refused", code, "", None, None, "")

    specs = [
        ToolSpec(name="reads", capabilities=ToolCapability(read_only=True)),
        ToolSpec(name="hands", tool_type="intrinsic", source="builtin"),
        ToolSpec(name="flagless"),
    ]
    calls = [refused("local/reads", "not_granted"), refused("local/hands", "not_granted")]
    assert needs_of(calls, specs).options == ["--grant hands", "--grant reads"]
    assert needs_of([refused("local/flagless", "not_granted")], specs).mode == "workspace-write"
    hostile = needs_of([refused("x; rm -rf /", "not_granted"), refused("--mode", "not_granted")], specs)
    assert hostile.options == []
    assert len(hostile.others) == 2


def test_only_refused_calls_count() -> None:
    told = SimpleNamespace(outcome="failed", tool="local/t", code="not_granted", reason="")
    assert needs_of([told], []).options == []  # type: ignore[list-item]
