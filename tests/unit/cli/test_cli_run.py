"""``licet run``: a story, told as it comes; its run's id; an exit code that says what came to nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from said import Licet

from licet.ledger.verify import verify_file

SCENARIO = """\
name: mine
title: Mine
goal: A goal.
default_seed: one
cast: [{cast}]
genesis_text: It begins.
governor: {{max_turns: 2, max_calls_per_turn: 1, max_total_calls: {calls}, max_total_tokens: {tokens}}}
"""


@pytest.fixture
def write(project: Path, licet: Licet) -> Callable[..., None]:
    """Writes ``config/scenarios/mine.yaml`` and manifests, and trusts them."""

    def written(cast: str, *, calls: int = 9, tokens: int = 90_000, **manifests: str) -> None:
        for folder in ("scenarios", "agents"):
            (project / "config" / folder).mkdir(parents=True, exist_ok=True)
        (project / "licet.yaml").write_text("agents: {}\n")
        text = SCENARIO.format(cast=cast, calls=calls, tokens=tokens)
        (project / "config" / "scenarios" / "mine.yaml").write_text(text)
        for name, rest in manifests.items():
            (project / "config" / "agents" / f"{name}.yaml").write_text(f"name: {name}\n{rest}")
        assert licet("trust", "--yes").code == 0

    return written


def test_a_scenario_is_told_as_it_comes_and_its_run_stands_on_the_ledger(licet: Licet, home: Path) -> None:
    said = licet("run", "oracle-grove", "--seed", "red")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "The oracle's grove  seed red"
    assert lines[2] == 'fortune-teller   oracle {"seed":"red 1"}'
    assert lines[3].split() == ["oracle.spoke"]
    assert lines[-1].startswith("8 turns, 8 events, 4 calls, ")
    assert "\x1b" not in said.out + said.err
    run_id = said.err.removeprefix("run ").strip()
    assert licet("runs", "--json").document[0]["run_id"] == run_id
    assert [call["tool"] for call in licet("runs", "last", "--json").document["calls"]] == ["oracle"] * 4
    assert verify_file(home / "ledger.db").ok


def test_json_is_one_document_with_the_events_and_their_digests(licet: Licet, home: Path) -> None:
    said = licet("run", "oracle-grove", "--json")
    told = said.document
    assert (told["scenario"], told["seed"], told["stop"], told["turns"]) == (
        "oracle-grove",
        "midsummer",
        "max_turns",
        8,
    )
    assert [event["kind"] for event in told["events"]] == ["oracle.spoke", "world.observed"] * 4
    assert all(event["digest"].startswith("sha256:") for event in told["events"])
    assert told["ledger"] == str(home / "ledger.db")
    assert said.err == f"run {told['run']}\n"


def test_the_same_seed_gives_the_same_events_in_every_run_and_another_seed_gives_others(licet: Licet) -> None:
    one, again, other = (licet("run", "oracle-grove", "--json", "--seed", seed).document for seed in ("a", "a", "b"))
    assert one["events"] == again["events"] != other["events"]
    assert len({one["run"], again["run"], other["run"]}) == 3
    assert licet("ledger", "diff", one["run"], again["run"]).code == 0
    assert licet("ledger", "diff", one["run"], other["run"]).code == 1


def test_a_scenario_of_the_project_is_played_by_name_and_by_file(
    licet: Licet, write: Callable[..., None], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("helper", helper="may_emit: [helper.said]\n")
    for name in ("mine", "config/scenarios/mine.yaml", str(project / "config/scenarios/mine.yaml")):
        assert licet("run", name, "--json").document["events"][0]["kind"] == "helper.said"
    monkeypatch.chdir(project.parent)
    assert licet("run", "project/config/scenarios/mine.yaml").code == 0
    assert licet("run", "mine").code == 2


@pytest.mark.requirement("own.configuration-trust")
def test_without_trust_nothing_is_played_and_no_ledger_is_begun(
    licet: Licet, write: Callable[..., None], project: Path, home: Path
) -> None:
    write("helper", helper="may_emit: [helper.said]\n")
    (project / "config" / "agents" / "helper.yaml").write_text("name: helper\ntools: [write]\n")
    said = licet("run", "mine")
    assert (said.code, said.out) == (2, "")
    assert "licet trust" in said.err
    assert not (home / "ledger.db").exists()
    assert licet("run", "oracle-grove").code == 0, "what comes with licet needs nobody's trust"


@pytest.mark.requirement("grove.whisperer-has-no-grant")
def test_a_refused_call_is_told_and_is_exit_3(licet: Licet, write: Callable[..., None]) -> None:
    write("thief", thief="handler: fortune-teller\nmay_emit: [oracle.spoke]\n")
    said = licet("run", "mine", "--json")
    assert (said.code, said.document["failed"][0]["code"], said.document["events"]) == (3, "not_granted", [])
    shown = licet("run", "mine")
    assert "refused (not_granted)" in shown.out
    assert "licet: not_granted: " in shown.err
    assert {call["outcome"] for call in licet("runs", "last", "--json").document["calls"]} == {"refused"}


def test_a_limit_of_the_governor_is_exit_3_and_named(licet: Licet, write: Callable[..., None]) -> None:
    write("teller", calls=1, teller="handler: fortune-teller\ntools: [oracle]\nmay_emit: [oracle.spoke]\n")
    said = licet("run", "mine", "--json")
    assert (said.code, said.document["stop"], len(said.document["events"])) == (3, "max_total_calls", 1)
    assert said.document["failed"][0]["reason"] == "max_total_calls"
    write("helper", tokens=5, helper="may_emit: [helper.said]\n")
    assert licet("run", "mine", "--json").document["stop"] == "max_total_tokens"


def test_file_tools_are_there_for_whom_they_are_granted(licet: Licet, write: Callable[..., None]) -> None:
    write("reader", reader="tools: [read]\nroots: [.]\nmay_emit: [reader.said]\n")
    assert licet("run", "mine").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["oracle-grov"], "did you mean oracle-grove?"),
        (["none.yaml"], "there is no such file"),
        (["../etc/passwd"], "there is no such file"),
        (["oracle-grove", "--mcp", "smoke"], "invalid choice"),
        (["oracle-grove", "--seed", "x" * 10_001], "the seed has 10001 characters"),
        (["oracle-grove", "--ledger", ""], "names no file"),
        (["explore", "--mcp"], "drop --mcp"),
        ([], "required: NAME|FILE"),
    ],
)
def test_what_cannot_be_played_is_exit_2_with_what_instead(
    licet: Licet, project: Path, words: list[str], told: str
) -> None:
    said = licet("run", *words)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_what_the_environment_says_wrongly_is_exit_2(licet: Licet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_SERVERS", "::")
    assert licet("run", "oracle-grove").code == 2


def test_a_server_that_does_not_start_is_a_typed_refusal_on_the_ledger(
    licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_SERVERS", "licet-no-such-server")
    said = licet("run", "oracle-grove", "--json")
    assert (said.code, said.document["failed"][0]["code"]) == (3, "server_unavailable")
    assert [event["kind"] for event in said.document["events"]] == ["world.observed"], "who needs no tool goes on"


def test_explore_is_short_for_the_scenario_of_that_name(licet: Licet, project: Path) -> None:
    short, long = licet("explore", "--json"), licet("run", "explore", "--json")
    assert (short.code, long.code) == (0, 0)
    assert short.document["findings"] == long.document["findings"]
    assert licet("run", "explore", "--seed", str(project), "--json").document["root"] == str(project)
    runs = [run["run_id"] for run in licet("runs", "--json").document]
    assert licet("ledger", "diff", runs[0], runs[1]).code == 0
    kinds = [entry["kind"] for entry in json.loads(licet("ledger", "show", "--run", "last", "--json").out)]
    assert (kinds[0], kinds[-3], kinds[-2:]) == (
        "grant.expanded",
        "tool.completed",
        ["project.explored", "scenario.ended"],
    )


def test_a_projects_own_explore_is_played_like_any_other(
    licet: Licet, write: Callable[..., None], project: Path
) -> None:
    write("explorer")
    (project / "config" / "scenarios" / "mine.yaml").rename(project / "config" / "scenarios" / "explore.yaml")
    text = (project / "config" / "scenarios" / "explore.yaml").read_text()
    (project / "config" / "scenarios" / "explore.yaml").write_text(text.replace("name: mine", "name: explore"))
    assert licet("run", "explore").code == 2, "it is not trusted"
    assert licet("explore", "--json").code == 0, "what licet explore reads has no say in it"
