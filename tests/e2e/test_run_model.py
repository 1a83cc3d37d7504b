"""Agents of a scenario whose models are a provider's: played, replayed, and gone on with in another process."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from process import licet

from loopback import Call, Loopback, Said, Status, openai_chat
from loopback.models import KEY

SCENARIO = """\
name: office
goal: Find out what the file is called, and write it down.
default_seed: one
cast: [clerk, scribe]
genesis_text: A morning in the office.
governor: {max_turns: 4, max_calls_per_turn: 10, max_total_calls: 20, max_total_tokens: 1000000}
"""
CLERK = """\
name: clerk
handler: worker
model: openai:m
tools: [ls, read, ask_participant]
roots: [.]
may_emit: [notes.written]
schedule: {max_consecutive: 1}
"""
SCRIBE = """\
name: scribe
model: openai:n
tools: [read]
roots: [.]
subscribes_to: [notes.written]
may_emit: [scribe.wrote]
schedule: {tick_every: 1, max_consecutive: 1}
"""
READ_A = Call("read", '{"path": "a.txt"}', "call_0")
ASK = Call("ask_participant", '{"participant_id": "operator", "question": "Which name?", "options": []}', "call_1")
LOOKS = Said("I look, and ask.", (READ_A, ASK, Call("wipe", '{"path": "."}', "call_2")))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    folder = tmp_path / "office"
    for name, text in (("scenarios/office", SCENARIO), ("agents/clerk", CLERK), ("agents/scribe", SCRIBE)):
        path = folder / "config" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "licet.yaml").write_text("agents: {}\n")
    (folder / "a.txt").write_text("eggs\n")
    assert licet(folder, "trust", "--yes").returncode == 0
    return folder


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(openai_chat, Status(400)) as running:
        yield running


def said(server: Loopback, folder: Path, *words: str) -> Any:
    """A command of its own process, whose provider is the server."""
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}
    done = licet(folder, *words, env=env)
    assert KEY not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def entries(folder: Path) -> list[dict[str, Any]]:
    return json.loads(licet(folder, "ledger", "show", "--json").stdout)  # type: ignore[no-any-return]


def test_a_cast_of_models_plays_asks_goes_on_in_another_process_and_is_told_again(
    office: Path, server: Loopback
) -> None:
    server.replies = [LOOKS, Status(400)]
    asked = said(server, office, "run", "office", "--json")
    assert asked.returncode == 0, asked.stderr
    told = json.loads(asked.stdout)
    assert (told["stop"], told["tokens"], len(server.asked)) == ("input_required", 18, 1)
    run_id = told["run"]
    replayed = said(server, office, "replay", "last")
    assert replayed.returncode == 0
    assert "clerk: 1 answer of openai:m, 1 digest compared" in replayed.stdout

    again = Said("Once more.", (READ_A,))
    server.replies = [again, Said("It is Spam."), Said("I read it.", (READ_A,)), Said("Written."), Status(400)]
    server.asked.clear()
    answered = said(server, office, "resume", "last", "Spam", "--json")
    assert answered.returncode == 0, answered.stderr
    assert [(event["kind"], event["payload"]["text"]) for event in json.loads(answered.stdout)["events"]] == [
        ("notes.written", "It is Spam."),
        ("scribe.wrote", "Written."),
    ]
    assert len(server.asked) == 4, "and nothing was asked again that was asked before"
    assert "Spam" in str(server.asked[0].body)
    assert "It is Spam." in str(server.asked[2].body)
    found = entries(office)
    ran = [entry["body"]["call"] for entry in found if entry["kind"] == "tool.requested"]
    assert ran == [
        f"{run_id}.1:1:call_0", f"{run_id}.1:1:call_1", f"{run_id}.1:2:call_0", f"{run_id}.2:1:call_0",
    ]  # fmt: skip
    assert [entry["body"]["tool"] for entry in found if entry["kind"] == "tool.refused"] == ["not offered: wipe"]
    assert KEY not in json.dumps(found)

    document = json.loads(said(server, office, "replay", "last", "--json").stdout)
    assert document["same"] is True
    assert {agent: (one["name"], one["answers"], one["stop"]) for agent, one in document["models"].items()} == {
        "clerk": ("openai:m", 3, "done"),
        "scribe": ("openai:n", 2, "done"),
    }
    assert len(server.asked) == 4, "a replay asks nobody"
    over = said(server, office, "resume", "last", "Ham")
    assert over.returncode == 3
    assert len(server.asked) == 4


def test_a_cast_whose_provider_fails_ends_with_its_words_and_exit_code(office: Path, server: Loopback) -> None:
    failed = said(server, office, "run", "office", "--json")
    assert failed.returncode == 4
    assert "openai:m gave no answer: HTTP 400" in str(json.loads(failed.stdout)["failed"])
    replayed = said(server, office, "replay", "last", "--json")
    assert replayed.returncode == 0
    assert {one["answers"] for one in json.loads(replayed.stdout)["models"].values()} == {0}


def test_a_cast_without_a_key_is_refused_before_anything_begins(office: Path) -> None:
    refused = licet(office, "run", "office")
    assert refused.returncode == 2
    assert "OPENAI_API_KEY" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert [entry["kind"] for entry in entries(office) if entry["kind"].startswith(("model.", "tool."))] == []
