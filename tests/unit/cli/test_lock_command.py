"""``licet lock`` pins what is missing, names what changed, and pins anew only what was shown and accepted."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_servers import TOOL, FakeServers, put_in_place, tool
from said import Licet, Said

from licet.cli import ask
from licet.errors import ServerUnavailableError
from licet.project.lock import Lock, read
from licet.project.trust import trust

CONFIG = """\
mcpServers:
  eye: {command: look, args: ["--token", "${EYE_TOKEN}"], env: {EYE: "${EYE_TOKEN}"}}
tools:
  mcp/eye.*: {read_only: hinted}
"""
CANARY = "canary-5b1f"


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> FakeServers:
    return put_in_place(FakeServers({"eye": [tool(), tool("gaze")]}), monkeypatch)


@pytest.fixture
def folder(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EYE_TOKEN", CANARY)
    configure(project, home)
    monkeypatch.setattr(ask, "ask", lambda text: None)
    return project


@pytest.fixture
def locked(folder: Path, servers: FakeServers, licet: Licet) -> Path:
    assert licet("lock").code == 0
    return folder / "licet.lock"


def configure(project: Path, home: Path, text: str = CONFIG) -> None:
    (project / "licet.yaml").write_text(text)
    trust(project / "licet.yaml", home)


def held(file: Path) -> Lock:
    lock = read(file)
    assert lock is not None
    return lock


def saying(answer: bool | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A person at the terminal who gives one answer; what they were shown."""
    shown: list[str] = []

    def ask_them(text: str) -> bool | None:
        shown.append(text)
        return answer

    monkeypatch.setattr(ask, "ask", ask_them)
    return shown


def changed(pointer: str, value: Any) -> dict[str, Any]:
    now = copy.deepcopy(TOOL)
    *way, last = pointer.split("/")[1:]
    place: Any = now
    for step in way:
        place = place[step]
    place[last] = value
    return now


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


# --- what was shown is accepted ---


def refused(said: Said) -> str:
    """The digest that a refusal without a terminal prints."""
    assert said.code == 3
    assert "nobody is at a terminal to say yes" in said.err
    return said.err.split("--digest ")[1].split()[0]


def test_without_a_terminal_an_acceptance_needs_the_digest_of_exactly_this(
    locked: Path, servers: FakeServers, licet: Licet
) -> None:
    before = locked.read_bytes()
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze")]
    first = licet("lock", "--accept", "eye.look")
    digest = refused(first)
    assert "mcp/eye.look (changed, text only)\n  title: Look -> Stare\n" in first.out
    assert '-  "title": "Look"\n' in first.out
    assert locked.read_bytes() == before
    servers.tools["eye"] = [changed("/title", "Glare"), tool("gaze")]
    other = licet("lock", "--accept", "eye.look", "--digest", digest)
    assert other.code == 3
    assert "is not the digest of what changed" in other.err
    assert locked.read_bytes() == before
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze")]
    assert licet("lock", "--accept", "eye.look", "--digest", digest).code == 0
    tools = held(locked).servers["mcp/eye"].tools
    assert (tools["look"].definition.title, tools["look"].pin.whole) == ("Stare", digest)
    assert tools["look"].classification_dropped
    assert not tools["gaze"].classification_dropped
    assert licet("lock", "--check").code == 0


def test_at_a_terminal_exactly_what_was_shown_is_pinned_from_one_listing(
    locked: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers.tools["eye"] = [changed("/description", "Looks.\nSend it to \x1b[31m me."), tool("gaze")]
    servers.asked.clear()
    shown = saying(True, monkeypatch)
    assert licet("lock", "--accept", "mcp/eye.look").code == 0
    assert len(servers.asked) == 1
    assert "description: lines 1-2 changed" in shown[0]
    assert '+    "Send it to \\u001b[31m me."' in shown[0]
    assert held(locked).servers["mcp/eye"].tools["look"].pin.whole in shown[0]


def test_whoever_does_not_say_yes_leaves_the_lock_as_it_was(
    locked: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = locked.read_bytes()
    servers.tools["eye"] = [changed("/title", "Stare")]
    saying(False, monkeypatch)
    for target in ("eye", "eye.look", "eye.gaze"):
        said = licet("lock", "--accept", target)
        assert (said.code, said.out) == (3, "")
    assert locked.read_bytes() == before


def test_a_whole_server_is_accepted_with_its_launch_and_all_its_tools(
    locked: Path, home: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(locked.parent, home, CONFIG.replace("command: look", "command: other"))
    servers.tools["eye"] = [changed("/title", "Stare"), tool("new")]
    digest = refused(licet("lock", "--accept", "eye"))
    assert licet("lock", "--accept", "eye", "--digest", digest).code == 0
    now = held(locked).servers["mcp/eye"]
    assert now.launch["command"] == "other"
    assert {own: one.classification_dropped for own, one in now.tools.items()} == {"look": True, "new": False}
    assert licet("lock", "--check").code == 0


def test_a_vanished_tool_is_taken_out_once_that_is_accepted(locked: Path, servers: FakeServers, licet: Licet) -> None:
    servers.tools["eye"] = [tool("gaze")]
    digest = refused(licet("lock", "--accept", "eye.look"))
    assert licet("lock", "--accept", "eye.look", "--digest", digest).code == 0
    assert [*held(locked).servers["mcp/eye"].tools] == ["gaze"]


def test_a_lock_that_somebody_changed_meanwhile_is_not_overwritten(
    locked: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze")]

    def meddle(text: str) -> bool:
        locked.write_text('{"servers": {}, "version": 1}')
        return True

    monkeypatch.setattr(ask, "ask", meddle)
    said = licet("lock", "--accept", "eye.look")
    assert said.code == 2
    assert "changed by somebody else" in said.err
    assert locked.read_text() == '{"servers": {}, "version": 1}'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--accept", "ear"], "'ear' is no server of"),
        (["--accept", "eye.nose"], "has no tool 'nose', listed or locked"),
        (["--accept", "../x"], "is not a tool's name"),
        (["--classify", "eye"], "'eye' is no locked tool"),
        (["--classify", "eye.nose"], "'eye.nose' is no locked tool"),
        (["--digest", "sha256:0"], "--digest answers --accept or --classify"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: list[str], told: str, locked: Path, licet: Licet) -> None:
    said = licet("lock", *words)
    assert said.code == 2
    assert told in said.err


def test_where_nothing_changed_there_is_nothing_to_accept(locked: Path, licet: Licet) -> None:
    said = licet("lock", "--accept", "eye")
    assert (said.code, said.out) == (0, "eye: as pinned, there is nothing to accept\n")


# --- the operator's words ---


def test_words_count_again_once_somebody_says_so(
    locked: Path, servers: FakeServers, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers.tools["eye"] = [changed("/title", "Stare"), tool("gaze")]
    digest = refused(licet("lock", "--accept", "eye.look"))
    licet("lock", "--accept", "eye.look", "--digest", digest)
    servers.asked.clear()
    assert refused(licet("lock", "--classify", "eye.look")) == digest
    assert licet("lock", "--classify", "eye.look", "--digest", "sha256:0").code == 3
    shown = saying(False, monkeypatch)
    assert licet("lock", "--classify", "eye.look").code == 3
    assert held(locked).servers["mcp/eye"].tools["look"].classification_dropped
    assert '"title": "Stare"' in shown[0]
    assert "licet.yaml says of it: read_only: hinted" in shown[0]
    saying(True, monkeypatch)
    assert licet("lock", "--classify", "eye.look").code == 0
    assert not held(locked).servers["mcp/eye"].tools["look"].classification_dropped
    assert servers.asked == []


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
