"""A server that changes a pinned tool, behind ``licet serve``: the client sees what was pinned, and no call runs."""

import json
import sys
from pathlib import Path

import pytest
from test_serve import Process

from peers import shifting
from peers.serving import made


@pytest.mark.parametrize("change", ["description", "required", "read_only_hint", "vanished"])
def test_a_changed_tool_is_shown_as_pinned_and_refused(change: str, tmp_path: Path) -> None:
    state, log = tmp_path / "state", tmp_path / "log"
    peer = {"command": sys.executable, "args": [shifting.__file__, str(state), str(log)]}
    project = made(tmp_path / "project", {"peer": peer}, ("mcp/peer.look", "mcp/peer.listen"))
    licet = Process(project)
    before = licet.ask("tools/list")["result"]["tools"]
    state.write_text(change)
    refused = licet.ask("tools/call", name="peer__look", arguments={})["result"]
    fine = licet.ask("tools/call", name="peer__listen", arguments={})["result"]
    after = licet.ask("tools/list")["result"]["tools"]
    said = licet.end()
    assert after == before
    (shown,) = [tool for tool in before if tool["name"] == "peer__look"]
    assert {**shown, "name": "look"} == shifting.TOOL
    assert refused["isError"]
    assert refused["content"][0]["text"].startswith("schema_changed: ")
    assert not fine["isError"]
    assert [json.loads(line)["name"] for line in log.read_text().splitlines()] == ["listen"]
    assert said.startswith("licet: refused (schema_changed): ")
    assert said.rstrip().endswith(f"licet why mcp/peer.look --agent coder --config {project.folder}/licet.yaml")
