"""No spelling, link, race or odd file leads out of the roots or to a protected name, with ``openat2`` or with the walk.

Each campaign has a control: the same harness run against an implementation that checks first and opens later.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from campaign.paths.corpus import RECORDS, SECRET, build, guarded, spelled, spellings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from licet.bundles.files import tools
from licet.errors import LicetError, PathViolation
from licet.model.context import CallContext
from licet.model.paths import PathPolicy
from licet.policy.paths import judge_path
from licet.workspace.openat2 import available
from licet.workspace.workspace import Workspace

HANDLERS: dict[str, Callable[..., Any]] = {spec.name.removeprefix("local/"): spec.handler for spec in tools()}  # type: ignore[misc]
FORBIDDEN = (SECRET, RECORDS, "secret.txt", "ledger.db")

HOST_NAMED = "the message names a folder of the host"

Operation = tuple[str, dict[str, Any]]

READING: list[Operation] = [
    ("read", {}),
    ("read", {"limit": 0}),
    ("ls", {}),
    ("find", {"pattern": "**"}),
    ("grep", {"pattern": f"{SECRET}|{RECORDS}"}),
]
WRITING: list[Operation] = [
    ("edit", {"edits": [{"old_text": "inside", "new_text": "edited"}]}),
    ("write", {"content": "written\n"}),
    ("write", {"content": "written again\n"}),
]


class Holder:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace


def operate(workspace: Workspace, operation: Operation, path: str) -> Any:
    name, arguments = operation
    return HANDLERS[name](CallContext("c", "r", None, Holder(workspace)), path=path, **arguments)


def verdict(workspace: Workspace, operation: Operation, path: str, top: Path) -> tuple[str, ...]:
    """What came of it, in words that are the same in two copies of the world."""
    try:
        result = operate(workspace, operation, path)
    except LicetError as error:
        told = str(error).replace(str(top), "TOP")
        leaked = HOST_NAMED if str(top) not in path and "TOP" in told else ""
        return (type(error).__name__, getattr(error, "reason", ""), told, leaked)
    return ("done", repr(result).replace(str(top), "TOP"))


def leaks(result: tuple[str, ...]) -> bool:
    """Whether a reading operation gave something from outside or from licet's state; for writing there is the guard."""
    return result[-1] == HOST_NAMED or (result[0] == "done" and any(word in result[1] for word in FORBIDDEN))


@pytest.fixture(autouse=True)
def _nothing_waits() -> Iterator[None]:
    """A pipe that is opened the wrong way would wait for ever."""

    def stop(*_: object) -> None:
        raise AssertionError("an operation waited for something")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def worlds(tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of the world."""
    tops = tmp_path / "one", tmp_path / "two"
    for top in tops:
        top.mkdir()
        build(top)
    return tops


def policies(top: Path) -> dict[str, PathPolicy]:
    return {
        "current_project": PathPolicy.current_project(top / "ws"),
        "allowed_roots": PathPolicy.allowed_roots(top / "ws", top / "second"),
        "through a link": PathPolicy.current_project(top / "real_ws"),
    }


def test_the_corpus_is_large_and_this_machine_has_openat2_or_says_so() -> None:
    assert len(spellings()) >= 200
    assert available() in (True, False)


@pytest.mark.requirement("path.policies", "own.policy-is-protected")
@pytest.mark.parametrize("kind", ["current_project", "allowed_roots", "through a link"])
def test_no_spelling_escapes_and_both_ways_of_opening_agree(worlds: tuple[Path, Path], kind: str) -> None:
    escapes, differences, done = [], [], 0
    before = [guarded(top) for top in worlds]
    with (
        Workspace(policies(worlds[0])[kind]) as by_kernel,
        Workspace(policies(worlds[1])[kind], force_walk=True) as by_walk,
    ):
        for operation in (*READING, *WRITING):
            for path in spellings():
                results = [
                    verdict(workspace, operation, spelled(path, top), top)
                    for workspace, top in zip((by_kernel, by_walk), worlds, strict=True)
                ]
                done += results[0][0] == "done"
                if operation in READING and any(map(leaks, results)):
                    escapes.append((operation[0], path, results))
                if results[0] != results[1]:
                    differences.append((operation[0], path, results))
            changed = [guarded(top) != state for top, state in zip(worlds, before, strict=True)]
            if any(changed):
                escapes.append((operation[0], "something guarded was changed", changed))
    assert escapes == []
    assert differences == []
    assert done > 300, "the corpus has to hold paths that work, too"


@pytest.mark.parametrize("options", [{"cross_devices": True}, {"allow_hard_links": True}])
def test_what_an_operator_may_lift_lifts_nothing_else(worlds: tuple[Path, Path], options: dict[str, bool]) -> None:
    top, other = worlds
    # With hard links allowed, the outside file that has a name inside is inside.
    (top / "ws" / "hard").unlink()
    (other / "ws" / "hard").unlink()
    before = guarded_without_hard(top)
    with (
        Workspace(policies(top)["current_project"], **options) as by_kernel,
        Workspace(policies(other)["current_project"], force_walk=True, **options) as by_walk,
    ):
        allowed = "inside twice" in verdict(by_kernel, READING[0], "hard_in_b", top)[1]
        assert allowed is ("allow_hard_links" in options)
        for operation in (READING[0], WRITING[0], WRITING[1]):
            for path in spellings():
                result = verdict(by_kernel, operation, spelled(path, top), top)
                assert operation in WRITING or not leaks(result), (operation, path, result)
                assert result == verdict(by_walk, operation, spelled(path, other), other), path
    assert guarded_without_hard(top) == before


def guarded_without_hard(top: Path) -> dict[str, tuple[int, bytes]]:
    (top / "ws" / "hard").write_text("")  # a name that the guard wants to see
    found = guarded(top)
    (top / "ws" / "hard").unlink()
    found.pop("ws/hard")
    return found


@pytest.mark.requirement("path.policies")
def test_the_policy_none_opens_nothing_whatever_the_spelling(worlds: tuple[Path, Path]) -> None:
    for path in spellings():
        assert judge_path(spelled(path, worlds[0]), PathPolicy.none()) is not None
    with pytest.raises(PathViolation):
        Workspace(PathPolicy.none())


@pytest.mark.requirement("path.policies")
def test_full_access_goes_everywhere_but_still_only_to_regular_files(
    worlds: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    top = worlds[0]
    monkeypatch.chdir(top / "ws")
    with Workspace(PathPolicy.danger_full_access()) as workspace:
        for path in spellings():
            verdict(workspace, ("read", {"limit": 0}), spelled(path, top), Path("/nowhere"))
        for path in ("out_rel", "../outside/secret.txt", f"{top}/outside/secret.txt", "out_dir_abs/secret.txt", "hard"):
            assert SECRET in operate(workspace, ("read", {}), path)["text"]
        for path in ("fifo", "socket", "null", "/dev/null", "fifo_link", "sub"):
            with pytest.raises(LicetError) as refused:
                operate(workspace, ("read", {}), path)
            assert refused.value.reason == "not_a_file"  # type: ignore[attr-defined]
        operate(workspace, ("write", {"content": "w"}), "../outside/x")
        operate(workspace, ("write", {"content": "w"}), ".git/config")
    assert (top / "outside" / "x").read_text() == (top / "ws" / ".git" / "config").read_text() == "w"


def test_what_the_spelling_alone_refuses_the_workspace_refuses_too(worlds: tuple[Path, Path]) -> None:
    top = worlds[0]
    policy = policies(top)["current_project"]
    refused = 0
    with Workspace(policy) as workspace:
        for path in spellings():
            text = spelled(path, top)
            for operation in (READING[0], WRITING[1]):
                if judge_path(text, policy, writing=operation[0] == "write") is None:
                    continue
                refused += 1
                if text.startswith(str(top / "real_ws")):
                    continue
                assert verdict(workspace, operation, text, top)[0] == "WorkspaceViolation", (operation, path)
    assert refused > 100


# --- any path of these parts ---

WORDS = (
    "ok.txt sub deep file.txt .. . ... in_dir in_rel out_rel out_dir up dot loop_a dangling_in dangling_out .git "
    ".licet licet.yaml config hard fifo secret.txt outside chain39 chain44 to_state to_git proc_root nothing"
)
PARTS = st.sampled_from([*WORDS.split(), ""])
PATHS = st.builds(
    lambda parts, start: start + "/".join(parts),
    st.lists(PARTS, min_size=1, max_size=7),
    st.sampled_from(["", "", "", "{top}/ws/", "{top}/", "/"]),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("world")
    build(top)
    return top


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=PATHS)
def test_any_path_made_of_these_parts_stays_inside(world: Path, path: str) -> None:
    text = spelled(path, world)
    with Workspace(policies(world)["current_project"]) as by_kernel:
        kernel = [verdict(by_kernel, operation, text, world) for operation in READING]
    with Workspace(policies(world)["current_project"], force_walk=True) as by_walk:
        walk = [verdict(by_walk, operation, text, world) for operation in READING]
    assert kernel == walk
    assert not any(map(leaks, kernel))


# --- the control ---


class Naive:
    """Checks the spelling, as many file servers did, then opens."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def checked(self, path: str) -> str:
        whole = os.path.normpath(os.path.join(self.root, path))
        if not whole.startswith(str(self.root)):
            raise PermissionError(path)
        return whole

    def read(self, path: str) -> str:
        whole = self.checked(path)
        if not os.path.isfile(whole):
            raise FileNotFoundError(path)
        return Path(whole).read_text()

    def write(self, path: str) -> None:
        whole = self.checked(path)
        if os.path.exists(whole) and not os.path.isfile(whole):
            raise FileNotFoundError(path)
        Path(whole).write_text("written\n")


def test_the_same_corpus_catches_an_implementation_that_trusts_the_spelling(worlds: tuple[Path, Path]) -> None:
    top = worlds[0]
    naive = Naive(top / "ws")
    before = guarded(top)
    read = []
    for path in spellings():
        with suppress(OSError, ValueError):
            if leaks(("done", naive.read(spelled(path, top)))):
                read.append(path)
    harmless = [path for path in spellings() if not path.startswith(("/dev", "/proc", "proc_", "null", "stdin"))]
    for path in harmless:
        with suppress(OSError, ValueError):
            naive.write(spelled(path, top))
    assert {"out_rel", "out_dir/secret.txt", "hard", "../ws-evil/secret.txt"} <= set(read)
    changed = {name for name, state in guarded(top).items() if before.get(name) != state}
    assert {"outside/new.txt", "outside/secret.txt", "ws/.git/config", "ws/licet.yaml"} <= changed
