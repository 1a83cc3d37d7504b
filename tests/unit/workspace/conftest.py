"""A project folder, and a workspace of either kind in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from licet.model.paths import PathPolicy
from licet.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(params=["openat2", "walk"])
def workspace(root: Path, request: pytest.FixtureRequest) -> Iterator[Workspace]:
    with Workspace(PathPolicy.current_project(root), force_walk=request.param == "walk") as opened:
        yield opened
