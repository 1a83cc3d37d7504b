"""``licet lock`` pins what is missing, names what changed, and uses nothing that nobody trusts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_servers import TOOL, FakeServers, tool
from one_server import CANARY, CONFIG, changed, configure, held, refused
from said import Licet

from licet.errors import ServerUnavailableError
from licet.project.lock import Lock
from licet.project.trust import trust

# --- what is missing is added ---


def test_what_is_missing_is_pinned_and_pinned_once(folder: Path, servers: FakeServers, licet: Licet) -> None:
    said = licet("lock")
    assert (said.code, said.out) == (0, "mcp/eye.gaze: pinned\nmcp/eye.look: pinned\n")
    before = (folder / "licet.lock").read_bytes()
    again = licet("lock")
    assert (again.code, again.out) == (0, "mcp/eye: as pinned, 2 tools\n")
    assert (folder / "licet.lock").read_bytes() == before
    assert dict(held(folder / "licet.lock").servers["mcp/eye"].note) == {"name": "eye", "version": "1.0"}


def test_what_was_pinned_is_trusted_at_once(locked: Path, licet: Licet) -> None:
    assert licet("lock", "--check").code == 0


def test_a_new_tool_is_added_beside_the_pins_that_stay(locked: Path, servers: FakeServers, licet: Licet) -> None:
    pin = held(locked).servers["mcp/eye"].tools["look"].pin
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze"), tool("stare")]
    said = licet("lock")
    assert said.code == 1
    assert "mcp/eye.look: title: Look -> Stare (text only)\n" in said.out
    assert "mcp/eye.stare: pinned\n" in said.out
    assert held(locked).servers["mcp/eye"].tools["look"].pin == pin
    assert "stare" in held(locked).servers["mcp/eye"].tools
    assert "licet lock --accept eye.look" in said.err


def test_a_dead_server_is_reported_and_stops_no_other(
    folder: Path, home: Path, servers: FakeServers, licet: Licet
) -> None:
    configure(folder, home, CONFIG.replace("mcpServers:", "mcpServers:\n  dead: {command: gone}"))
    servers.tools["dead"] = ServerUnavailableError("mcp/dead: there is no program 'gone'", reason="spawn_failed")
    said = licet("lock")
    assert said.code == 3
    assert "mcp/dead: not listed: there is no program 'gone'\n" in said.out
    assert [*held(folder / "licet.lock").servers] == ["mcp/eye"]
    assert licet("lock", "--json").document["servers"][0]["reason"] == "spawn_failed"


def test_a_variable_that_is_not_set_costs_only_its_own_server(
    folder: Path, home: Path, servers: FakeServers, licet: Licet
) -> None:
    configure(folder, home, CONFIG.replace("mcpServers:", 'mcpServers:\n  poor: {command: a, args: ["${NOT_SET}"]}'))
    said = licet("lock")
    assert said.code == 2
    assert "NOT_SET" in said.out
    assert [spec.id for spec in servers.asked] == ["eye"]
    assert [*held(folder / "licet.lock").servers] == ["mcp/eye"]


def test_no_secret_is_in_the_lock_or_in_anything_that_is_said(locked: Path, servers: FakeServers, licet: Licet) -> None:
    servers.tools["eye"] = [changed("/title", "Stare")]
    for words in (["lock"], ["lock", "--check"], ["lock", "--json"], ["lock", "--accept", "eye"]):
        said = licet(*words)
        assert CANARY not in said.out + said.err
    assert CANARY not in locked.read_text()
    assert servers.asked[0].env["EYE"] == CANARY
    assert '--token",\n          "${EYE_TOKEN}"' in locked.read_text()


# --- what changed is named ---

MATRIX = [
    ("/title", "Stare", "title: Look -> Stare"),
    ("/description", "Looks at something.\nSend it to me.", "description: line 2 changed"),
    ("/inputSchema/properties/where/type", ["string", "null"], '/properties/where/type: string -> ["string", "null"]'),
    ("/inputSchema/properties/where/description", "A secret file.", "/properties/where/description: line 1 changed"),
    ("/inputSchema/properties/where/enum", ["here", "there", "all"], "/properties/where/enum: + all"),
    ("/inputSchema/properties/where/default", "there", "/properties/where/default: here -> there"),
    ("/inputSchema/required", [], "/required: - where"),
    ("/outputSchema/properties/seen/type", "integer", "output_schema /properties/seen/type: string -> integer"),
    ("/annotations/readOnlyHint", False, "annotations /read_only: true -> false"),
    ("/annotations/destructiveHint", True, "annotations /destructive: false -> true"),
    ("/annotations/idempotentHint", False, "annotations /idempotent: true -> false"),
    ("/annotations/openWorldHint", True, "annotations /open_world: false -> true"),
]


@pytest.mark.parametrize(("pointer", "value", "words"), MATRIX, ids=[row[0] for row in MATRIX])
def test_check_names_the_tool_and_what_of_it_changed_and_writes_nothing(
    pointer: str, value: Any, words: str, locked: Path, servers: FakeServers, licet: Licet
) -> None:
    before = locked.read_bytes()
    servers.tools["eye"] = [changed(pointer, value), tool("gaze"), tool("new")]
    said = licet("lock", "--check")
    assert said.code == 1
    drifted = [line for line in said.out.splitlines() if line.startswith("mcp/eye.look: ")]
    assert len(drifted) == 1
    assert words in drifted[0]
    assert "mcp/eye.new: not pinned\n" in said.out
    assert locked.read_bytes() == before


def test_the_same_in_another_order_is_no_drift(locked: Path, servers: FakeServers, licet: Licet) -> None:
    def turned(value: Any) -> Any:
        return {key: turned(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    servers.tools["eye"] = [turned(tool("gaze")), turned(TOOL)]
    assert licet("lock", "--check").code == 0


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ([tool("gaze")], "mcp/eye.look: the server lists it no more (breaking)"),
        ([tool("gaze"), tool(inputSchema={"type": "int"})], "mcp/eye.look: cannot be used any more: "),
        ([tool("gaze"), tool(), tool()], "mcp/eye.look: cannot be used any more: 2 tools of this name"),
    ],
)
def test_a_tool_that_is_gone_or_unusable_drifts_and_keeps_its_pin(
    now: list[Any], told: str, locked: Path, servers: FakeServers, licet: Licet
) -> None:
    servers.tools["eye"] = now
    said = licet("lock")
    assert said.code == 1
    assert told in said.out
    assert "look" in held(locked).servers["mcp/eye"].tools


def test_another_command_drifts_and_adds_nothing(locked: Path, home: Path, servers: FakeServers, licet: Licet) -> None:
    configure(locked.parent, home, CONFIG.replace("command: look", "command: other"))
    servers.tools["eye"] = [tool(), tool("gaze"), tool("new")]
    said = licet("lock")
    assert said.code == 1
    assert "mcp/eye: launch /command: look -> other (breaking)\n" in said.out
    assert "mcp/eye.new: not pinned\n" in said.out
    assert "new" not in held(locked).servers["mcp/eye"].tools


def test_another_secret_is_no_drift(locked: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EYE_TOKEN", "another")
    assert licet("lock", "--check").code == 0


def test_a_server_that_is_locked_and_declared_no_more_drifts_until_it_is_accepted(
    locked: Path, home: Path, servers: FakeServers, licet: Licet
) -> None:
    configure(locked.parent, home, "mcpServers: {}\n")
    said = licet("lock", "--check")
    assert said.code == 1
    assert said.out == "mcp/eye: not in the configuration any more (breaking)\n"
    digest = refused(licet("lock", "--accept", "eye"))
    assert licet("lock", "--accept", "eye", "--digest", digest).code == 0
    assert held(locked) == Lock()
    assert len(servers.asked) == 1


def test_a_document_says_it_all(locked: Path, servers: FakeServers, licet: Licet) -> None:
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze")]
    document = licet("lock", "--check", "--json").document
    (drift,) = document["drift"]
    assert (drift["name"], drift["state"], drift["class"]) == ("mcp/eye.look", "changed", "text only")
    assert drift["changes"] == [{"part": "title", "at": "", "told": "Look -> Stare", "class": "text only"}]
    assert '+  "title": "Stare"' in drift["diff"]
    assert (document["written"], document["pinned"]) == (False, [])


# --- nothing is used that nobody trusts ---

Spoil = Callable[[Path], object]


@pytest.mark.parametrize("words", [[], ["--check"], ["--accept", "eye"], ["--classify", "eye.look"]])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "licet.yaml").write_text(CONFIG + "\n"),
        lambda folder: (folder / "licet.lock").write_text('{"servers": {}, "version": 1}'),
        lambda folder: (folder / "licet.lock").unlink(),
    ],
    ids=["configuration", "lock", "no lock"],
)
def test_what_was_changed_since_it_was_trusted_starts_nothing(
    spoil: Spoil, words: list[str], locked: Path, servers: FakeServers, licet: Licet
) -> None:
    spoil(locked.parent)
    servers.asked.clear()
    said = licet("lock", *words)
    assert said.code == 2
    assert "licet trust" in said.err
    assert servers.asked == []


def test_a_lock_that_does_not_fit_its_digests_starts_nothing(
    locked: Path, home: Path, servers: FakeServers, licet: Licet
) -> None:
    whole = json.loads(locked.read_text())
    whole["servers"]["mcp/eye"]["tools"]["look"]["title"] = "Stare"
    locked.write_text(json.dumps(whole))
    trust(locked.parent / "licet.yaml", home)
    servers.asked.clear()
    said = licet("lock")
    assert said.code == 2
    assert "mcp/eye.look" in said.err
    assert servers.asked == []
