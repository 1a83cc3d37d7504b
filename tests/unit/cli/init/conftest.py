"""A project without a configuration, and servers that are never started."""

from pathlib import Path

import pytest
from fake_servers import FakeServers, put_in_place, tool

from licet.cli import ask


@pytest.fixture
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LICET_DEPTH", raising=False)
    monkeypatch.setattr(ask, "somebody", lambda: False)
    monkeypatch.setattr(ask, "ask", lambda text: None)
    return project


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> FakeServers:
    listed = [
        tool("look"),
        tool("gaze", annotations={"readOnlyHint": True}),
        tool("poke", annotations={"readOnlyHint": False}),
        tool("burn", annotations={"readOnlyHint": True, "destructiveHint": True}),
        tool("mumble", annotations={}),
        tool("veil", description="Looks.\u202e\U000e0041"),
        tool("résumé"),
    ]
    return put_in_place(FakeServers({"eye": listed, "ear": [tool("listen"), tool("GAZE")]}), monkeypatch)
