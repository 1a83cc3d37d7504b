"""A trusted project with one server that is never started, and its lock."""

from pathlib import Path

import pytest
from fake_servers import FakeServers, put_in_place, tool
from one_server import CANARY, configure
from said import Licet

from licet.cli import ask


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
