"""The system call, and doing without it."""

import errno
import os
from pathlib import Path

import pytest

from licet.model.paths import PathPolicy
from licet.workspace import openat2 as module
from licet.workspace.workspace import Workspace


def test_a_nul_never_reaches_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_call", lambda: pytest.fail("the kernel was asked"))
    with pytest.raises(ValueError, match="NUL"):
        module.openat2(0, "a\0b", os.O_RDONLY, module.BENEATH)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.E2BIG])
def test_a_kernel_or_filter_that_refuses_the_call_makes_the_workspace_walk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int
) -> None:
    monkeypatch.setattr(module, "_call", lambda: lambda *_: -number)
    module.available.cache_clear()
    try:
        assert not module.available()
        (tmp_path / "file").write_text("text")
        with Workspace(PathPolicy.current_project(tmp_path)) as workspace:
            assert workspace.read_bytes("file").data == b"text"
    finally:
        module.available.cache_clear()


def test_uncertainty_is_asked_again_eight_times(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [-errno.EAGAIN] * 7 + [42]
    monkeypatch.setattr(module, "_call", lambda: lambda *_: answers.pop(0))
    assert module.openat2(0, "a", os.O_RDONLY, module.BENEATH) == 42
    answers = [-errno.EAGAIN] * 9
    with pytest.raises(BlockingIOError):
        module.openat2(0, "a", os.O_RDONLY, module.BENEATH)
    assert len(answers) == 1


def test_any_other_answer_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [-errno.ENOENT, 42]
    monkeypatch.setattr(module, "_call", lambda: lambda *_: answers.pop(0))
    with pytest.raises(FileNotFoundError):
        module.openat2(0, "a", os.O_RDONLY, module.BENEATH)
    assert answers == [42]


def test_a_path_that_stays_unsure_is_an_error_with_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Workspace(PathPolicy.current_project(tmp_path)) as workspace:
        workspace.stat(".")
        monkeypatch.setattr("licet.workspace.confined.openat2", _unsure)
        monkeypatch.setattr(workspace._reach, "_kernel", True)
        with pytest.raises(Exception, match="kept changing") as refused:
            workspace.read_bytes("file")
    assert getattr(refused.value, "reason", "") == "path_unstable"


def _unsure(*_: object) -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
