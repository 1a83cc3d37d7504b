"""``licet.lock`` is written whole or not at all."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from lock_samples import definition, lock_of

from licet.errors import ConfigurationError
from licet.project.lock import Lock, read, write
from licet.project.whole_file import create


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "licet.lock"
    write(path, Lock())
    return path


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    step: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write(file, lock_of(definition()))
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["licet.lock"]


@pytest.mark.parametrize("step", ["fsync", "link"])
def test_a_new_file_that_fails_is_not_there_at_all(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        create(tmp_path / "licet.yaml", "text")
    assert os.listdir(tmp_path) == []


def test_a_new_file_replaces_none(tmp_path: Path) -> None:
    (tmp_path / "licet.yaml").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"licet\.yaml exists, and nothing is overwritten"):
        create(tmp_path / "licet.yaml", "text")
    assert (tmp_path / "licet.yaml").read_text() == "mine"
    assert os.listdir(tmp_path) == ["licet.yaml"]


def test_a_link_is_not_followed_and_not_replaced(file: Path) -> None:
    real = file.rename(file.with_name("real.lock"))
    before = real.read_bytes()
    file.symlink_to(real)
    with pytest.raises(ConfigurationError, match="it is a link"):
        write(file, lock_of(definition()))
    assert file.is_symlink()
    assert real.read_bytes() == before


def test_the_mode_stays(file: Path) -> None:
    file.chmod(0o640)
    write(file, lock_of(definition()))
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert read(file) == lock_of(definition())


def test_a_new_lock_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "licet.lock", Lock())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "licet.lock").stat().st_mode) == 0o640
