"""A folder that is exchanged with a link to the outside, again and again, while files in it are opened and written."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from licet.errors import LicetError
from licet.model.paths import PathPolicy
from licet.workspace.workspace import Workspace

SECONDS = 0.7
PATIENCE_S = 30.0
"""For what has to happen sooner or later on a busy machine."""

EXCHANGE = """
import ctypes, os, sys
exchange = ctypes.CDLL(None).renameat2
one, other = map(os.fsencode, sys.argv[1:])
print("ready", flush=True)
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(200):
        exchange(-100, one, -100, other, 2)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder, text in (("ws/place", b"inside"), ("outside", b"OUTSIDE")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_bytes(text)
    (tmp_path / "ws" / "link").symlink_to("../outside")
    return tmp_path / "ws"


@contextmanager
def exchanging(root: Path) -> Iterator[None]:
    """``place`` is a folder one moment and a link to the outside the next."""
    command = [sys.executable, "-c", EXCHANGE, str(root / "place"), str(root / "link")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            process.kill()


def outcomes(attempt: Callable[[], str], wanted: set[str], seconds: float = SECONDS) -> dict[str, int]:
    """How often each outcome came, for so long at least and until every wanted one came."""
    counts: dict[str, int] = {}
    begun = monotonic()
    while (spent := monotonic() - begun) < seconds or (not wanted <= counts.keys() and spent < PATIENCE_S):
        outcome = attempt()
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


def reading(workspace: Workspace) -> Callable[[], str]:
    def attempt() -> str:
        try:
            return workspace.read_bytes("place/file").data.decode()
        except LicetError:
            return "refused"

    return attempt


def writing(workspace: Workspace, outside: Path) -> Callable[[], str]:
    number = 0

    def attempt() -> str:
        nonlocal number
        number += 1
        try:
            workspace.write_bytes(f"place/new{number % 10}", b"written")
        except LicetError:
            outcome = "refused"
        else:
            outcome = "written"
        return outcome if os.listdir(outside) == ["file"] else "OUTSIDE"

    return attempt


@pytest.mark.parametrize("force_walk", [False, True])
def test_a_raced_read_gives_what_is_inside_or_nothing(root: Path, force_walk: bool) -> None:
    with Workspace(PathPolicy.current_project(root), force_walk=force_walk) as workspace, exchanging(root):
        counts = outcomes(reading(workspace), {"inside", "refused"})
    assert counts.keys() == {"inside", "refused"}


@pytest.mark.parametrize("force_walk", [False, True])
def test_a_raced_write_lands_inside_or_nowhere(root: Path, force_walk: bool) -> None:
    outside = root.parent / "outside"
    with Workspace(PathPolicy.current_project(root), force_walk=force_walk) as workspace, exchanging(root):
        counts = outcomes(writing(workspace, outside), {"written", "refused"})
    assert counts.keys() == {"written", "refused"}
    assert (outside / "file").read_bytes() == b"OUTSIDE"
    left = {name for folder in ("place", "link") for name in os.listdir(root / folder)}
    assert not [name for name in left if name.endswith(".tmp")]


def test_the_same_race_catches_a_check_before_an_open(root: Path) -> None:
    """The control."""

    def attempt() -> str:
        try:
            if os.path.commonpath([os.path.realpath(root / "place" / "file"), root]) != str(root):
                return "refused"
            return (root / "place" / "file").read_text()
        except OSError:
            return "refused"

    with exchanging(root):
        counts = outcomes(attempt, {"OUTSIDE"}, seconds=0)
    assert counts.get("OUTSIDE", 0) > 0


def test_the_same_race_catches_a_check_before_a_write(root: Path) -> None:
    """The control."""
    outside = root.parent / "outside"

    def attempt() -> str:
        try:
            if os.path.commonpath([os.path.realpath(root / "place"), root]) == str(root):
                (root / "place" / "new").write_text("written")
        except OSError:
            return "refused"
        return "inside" if os.listdir(outside) == ["file"] else "OUTSIDE"

    with exchanging(root):
        counts = outcomes(attempt, {"OUTSIDE"}, seconds=0)
    assert counts.get("OUTSIDE", 0) > 0
