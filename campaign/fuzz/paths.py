"""Paths judged by their spelling, opened by the kernel and by the walk, chosen to be written, in a world of traps."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from campaign.fuzz.flaw import Flaw
from campaign.paths import corpus
from licet.errors import LicetError
from licet.model.paths import PathPolicy
from licet.policy import paths as judging
from licet.policy import protected
from licet.workspace import confined
from licet.workspace.openat2 import available
from licet.workspace.workspace import Workspace

TOP = "{top}"
SEEDS = corpus.spellings()
WORDS = sorted({part for path in corpus.TARGETS for part in path.split("/") if len(part) < 40} | {
    "../", "/", "//", "./", "/..", "\0", TOP, "ws/", "outside/", "secret.txt", ".licet", ".git", "/proc/self/", "fd/",
})  # fmt: skip
MOST_BYTES = 300


class World(NamedTuple):
    top: Path
    root: str
    workspaces: dict[str, Workspace]


@cache
def world() -> World:
    """One for the life of the process: nothing here writes."""
    top = Path(tempfile.mkdtemp(prefix="fuzz-"))
    root = corpus.build(top)
    policy = PathPolicy.current_project(root)
    ways = {"walk": Workspace(policy, force_walk=True)}
    if available():
        ways["openat2"] = Workspace(policy)
    return World(top, str(root), ways)


def check(data: bytes) -> None:
    """Raises AssertionError: a path leads out, the two ways differ, or the spelling was judged more strictly."""
    here = world()
    path = data.decode("utf-8", "surrogateescape").replace(TOP, str(here.top))
    policy = PathPolicy.current_project(here.root)
    for writing in (False, True):
        denied = judging.judge_path(path, policy, writing=writing)
        if denied is not None:
            denied.message.encode()
        answers = {way: _answer(here, one, path, writing) for way, one in here.workspaces.items()}
        assert len(set(answers.values())) == 1, f"the ways differ: {answers}"
        answer = next(iter(answers.values()))
        assert denied is None or answer.startswith("PathViolation"), f"{denied}, but it was {answer}"


def _answer(here: World, workspace: Workspace, path: str, writing: bool) -> str:
    """Where it leads, or why it leads nowhere."""
    try:
        return _chosen(here, workspace, path) if writing else _opened(here, workspace, path)
    except LicetError as refused:
        str(refused).encode()
        kind = "PathViolation" if "Violation" in type(refused).__name__ else type(refused).__name__
        return f"{kind} {getattr(refused, 'reason', '')}"


def _opened(here: World, workspace: Workspace, path: str) -> str:
    opened, folder = workspace.open_any(path)
    try:
        real = os.readlink(f"/proc/self/fd/{opened.handle}")
        _inside(here, real)
        assert opened.key == real, f"it says that it is {opened.key!r}"
        if not folder:
            content = os.read(opened.handle, 1000)
            assert corpus.SECRET.encode() not in content
            assert corpus.RECORDS.encode() not in content
        return f"{real} as {opened.shown}"
    finally:
        os.close(opened.handle)


def _chosen(here: World, workspace: Workspace, path: str) -> str:
    with workspace.target(path) as target:
        parent = Path(target.key).parent
        while not parent.exists():
            parent = parent.parent
        _inside(here, str(parent.resolve()))
        names = target.key.removeprefix(here.root).split("/")
        assert not [name for name in names if protected.fold(name) in protected.PROTECTED], target.key
        with suppress(LicetError):
            content = target.read(1000) or b""
            assert corpus.SECRET.encode() not in content
        return f"{target.key} as {target.shown}"


def _inside(here: World, real: str) -> None:
    assert real == here.root or real.startswith(f"{here.root}/"), f"it leads to {real!r}"
    assert ".licet" not in real.split("/"), f"it leads to licet's own state: {real!r}"


def _forgets_its_state() -> None:
    """Nothing is unreadable by its name any more."""
    for module in (judging, confined):
        setattr(module, "why_unreadable", lambda names: "")  # noqa: B010 - what a module imports is not its own


def _harmless() -> Iterator[str]:
    yield from ("ok.txt", "sub/file.txt", ".hidden", "in_dir/file.txt", ".licet.txt", "to_stat")


FLAW = Flaw("a workspace that does not know licet's own state", _forgets_its_state, list(_harmless()))
