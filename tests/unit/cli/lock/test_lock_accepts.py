"""``licet lock`` pins anew only what was shown and accepted, and then only that."""

from pathlib import Path

import pytest
from fake_servers import FakeServers, tool
from one_server import CONFIG, changed, configure, held, refused, saying
from said import Licet

from licet.cli import ask

# --- what was shown is accepted ---


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
