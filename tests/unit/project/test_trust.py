"""Trust holds for exactly the bytes that somebody looked at, at that path, and for nothing that came later."""

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from written import write

from licet.errors import ConfigurationError
from licet.project import snapshot as snapshots
from licet.project.lock import FILE as LOCK
from licet.project.snapshot import snapshot
from licet.project.trust import (
    changes,
    is_trusted,
    record,
    records,
    require_trusted,
    revoke,
    rewritten,
    trust,
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "config" / "deep").mkdir(parents=True)
    (folder / "config" / "deep" / "a.json").write_text("{}")
    (folder / "skills").mkdir()
    (folder / "skills" / "SKILL.md").write_text("do")
    (folder / LOCK).write_text("{}")
    (folder / "other.txt").write_text("not a part of it")
    return write(folder, "plugin: mine\n")


def test_nothing_is_trusted_before_somebody_says_so(path: Path, state: Path) -> None:
    assert not is_trusted(path, state)
    with pytest.raises(ConfigurationError, match=r"is not trusted: .* then run `licet trust --config \S+licet.yaml`"):
        require_trusted(path, state)
    assert not state.exists()


def test_what_was_trusted_is_handed_out_as_bytes(path: Path, state: Path) -> None:
    trust(path, state)
    held = require_trusted(path, state)
    assert (held.path, held.content, held.lock) == (path, b"plugin: mine\n", b"{}")
    assert set(held.digests) == {"licet.yaml", LOCK, "config/deep/a.json", "skills/SKILL.md"}
    assert held.digests["licet.yaml"] == f"sha256:{sha256(held.content).hexdigest()}"
    assert held.read("config/deep/a.json") == b"{}"
    assert is_trusted(path, state)


def test_only_what_belongs_to_it_counts(path: Path, state: Path) -> None:
    trust(path, state)
    (path.parent / "other.txt").write_text("changed")
    (path.parent / "skill").mkdir()
    (path.parent / "skill" / "x").write_text("new")
    assert is_trusted(path, state)


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "the file": (lambda top: (top / "licet.yaml").write_text("plugin: mine\n#"), "licet.yaml changed"),
    "one byte of the lock": (lambda top: (top / LOCK).write_text("{ "), "licet.lock changed"),
    "the lock gone": (lambda top: (top / LOCK).unlink(), "licet.lock is gone"),
    "a file of config": (lambda top: (top / "config/deep/a.json").write_text("[]"), "config/deep/a.json changed"),
    "a new file in config": (lambda top: (top / "config/b").write_text(""), "config/b is new"),
    "a hidden file in config": (lambda top: (top / "config/.b").write_text(""), "config/.b is new"),
    "a new file in skills": (lambda top: (top / "skills/b").write_text(""), "skills/b is new"),
    "a file of skills gone": (lambda top: (top / "skills/SKILL.md").unlink(), "skills/SKILL.md is gone"),
    "a file moved": (
        lambda top: (top / "skills/SKILL.md").rename(top / "config/SKILL.md"),
        "config/SKILL.md is new, skills/SKILL.md is gone",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_ends_it_and_is_named(path: Path, state: Path, change: str) -> None:
    trust(path, state)
    make, told = CHANGES[change]
    make(path.parent)
    assert not is_trusted(path, state)
    with pytest.raises(ConfigurationError, match=f"is not trusted any more: {told}; look at what changed"):
        require_trusted(path, state)
    assert changes(snapshot(path), state) == told.split(", ")


def test_a_lock_that_appears_ends_it(path: Path, state: Path) -> None:
    (path.parent / LOCK).unlink()
    trust(path, state)
    (path.parent / LOCK).write_text("{}")
    with pytest.raises(ConfigurationError, match=r"licet\.lock is new"):
        require_trusted(path, state)


def test_the_same_bytes_again_are_trusted_again(path: Path, state: Path) -> None:
    trust(path, state)
    path.write_text("plugin: evil\n")
    assert not is_trusted(path, state)
    path.write_text("plugin: mine\n")
    assert is_trusted(path, state)


def test_a_plain_file_with_the_name_of_a_folder_is_no_part(path: Path, state: Path, tmp_path: Path) -> None:
    (path.parent / "config").rename(tmp_path / "away")
    (path.parent / "config").write_text("a file")
    held = trust(path, state)
    assert "config" not in held.digests
    (path.parent / "config").unlink()
    (tmp_path / "away").rename(path.parent / "config")
    assert not is_trusted(path, state)


def test_a_moved_or_copied_folder_is_not_trusted(path: Path, state: Path, tmp_path: Path) -> None:
    trust(path, state)
    moved = path.parent.rename(tmp_path / "moved")
    assert not is_trusted(moved / "licet.yaml", state)
    assert not is_trusted(path, state)


def test_a_link_to_the_folder_is_the_folder(path: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path.parent)
    trust(tmp_path / "link" / "licet.yaml", state)
    assert is_trusted(path, state)
    (tmp_path / "link").unlink()
    evil = tmp_path / "evil"
    evil.mkdir()
    write(evil, "plugin: evil\n")
    (tmp_path / "link").symlink_to(evil)
    assert not is_trusted(tmp_path / "link" / "licet.yaml", state)


@pytest.mark.parametrize("name", ["licet.yaml", LOCK, "config", "config/deep", "skills/SKILL.md"])
def test_a_link_in_place_of_a_part_is_refused_even_to_the_same_bytes(path: Path, state: Path, name: str) -> None:
    trust(path, state)
    part = path.parent / name
    outside = path.parent.parent / "outside"
    part.rename(outside)
    part.symlink_to(outside)
    assert not is_trusted(path, state)
    with pytest.raises(ConfigurationError, match="only"):
        trust(path, state)


@pytest.mark.parametrize("name", ["licet.yaml", LOCK, "config/pipe", "skills/SKILL.md"])
def test_a_pipe_in_place_of_a_part_is_refused_and_holds_nobody_up(path: Path, state: Path, name: str) -> None:
    part = path.parent / name
    part.unlink(missing_ok=True)
    os.mkfifo(part)
    with pytest.raises(ConfigurationError, match="no regular file"):
        trust(path, state)


def test_what_is_recorded_is_what_was_looked_at_not_what_came_meanwhile(path: Path, state: Path) -> None:
    looked_at = snapshot(path)
    path.write_text("plugin: evil\n")
    record(looked_at, state)
    assert not is_trusted(path, state)
    path.write_text("plugin: mine\n")
    assert is_trusted(path, state)


def test_what_is_handed_out_is_what_was_trusted_not_what_came_meanwhile(path: Path, state: Path) -> None:
    trust(path, state)
    held = require_trusted(path, state)
    path.write_text("plugin: evil\n")
    (path.parent / "config/deep/a.json").write_text("[]")
    (path.parent / "skills/SKILL.md").unlink()
    assert held.content == b"plugin: mine\n"
    for name in ("config/deep/a.json", "skills/SKILL.md", "config/../other.txt", "other.txt", "/etc/passwd"):
        with pytest.raises(ConfigurationError, match="changed since it was looked at"):
            held.read(name)


def test_a_link_on_the_way_to_a_part_is_not_followed(path: Path, state: Path, tmp_path: Path) -> None:
    held = trust(path, state)
    (path.parent / "config").rename(tmp_path / "outside")
    (path.parent / "config").symlink_to(tmp_path / "outside")
    with pytest.raises(ConfigurationError):
        held.read("config/deep/a.json")


def test_what_licet_wrote_is_trusted_and_nothing_that_changed_beside_it(path: Path, state: Path) -> None:
    held = trust(path, state)
    (path.parent / LOCK).write_text("new pins")
    after = rewritten(held, LOCK, b"new pins", state)
    assert after.lock == b"new pins"
    assert is_trusted(path, state)
    path.write_text("plugin: evil\n")
    (path.parent / LOCK).write_text("newer pins")
    rewritten(after, LOCK, b"newer pins", state)
    assert changes(snapshot(path), state) == ["licet.yaml changed"]


def test_a_yes_is_taken_back(path: Path, state: Path) -> None:
    assert not revoke(path, state)
    trust(path, state)
    assert [held.path for held in records(state)] == [path]
    assert revoke(path, state)
    assert not is_trusted(path, state)
    assert records(state) == []


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"version": 2}', '{"version": 1, "path": 5, "files": {}}'])
def test_a_record_that_cannot_be_read_is_no_yes(path: Path, state: Path, content: str) -> None:
    trust(path, state)
    (file,) = (state / "trusted").iterdir()
    file.write_text(content)
    assert not is_trusted(path, state)
    assert records(state) == []


def test_a_record_of_another_path_is_no_yes(path: Path, state: Path) -> None:
    trust(path, state)
    (file,) = (state / "trusted").iterdir()
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "path": "/elsewhere/licet.yaml"}))
    assert not is_trusted(path, state)


def test_a_link_in_place_of_a_record_is_no_yes(path: Path, state: Path, tmp_path: Path) -> None:
    trust(path, state)
    (file,) = (state / "trusted").iterdir()
    file.rename(tmp_path / "record")
    file.symlink_to(tmp_path / "record")
    assert not is_trusted(path, state)


def test_a_checkout_cannot_bring_the_record_of_its_own_trust(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = path.parent / ".licet"
    with pytest.raises(ConfigurationError, match="would vouch for itself"):
        trust(path, own)
    assert not own.exists()
    link = path.parent.parent / "state-link"
    link.symlink_to(own)
    with pytest.raises(ConfigurationError, match="would vouch for itself"):
        require_trusted(path, link)
    monkeypatch.setenv("HOME", str(path.parent / "home"))  # the state of who keeps a configuration in a home folder
    trust(path, own)
    assert is_trusted(path, own)


def test_a_state_that_others_may_write_into_is_nobody_s_word(path: Path, state: Path) -> None:
    trust(path, state)
    (state / "trusted").chmod(0o777)
    assert not is_trusted(path, state)
    with pytest.raises(ConfigurationError, match="chmod 700"):
        require_trusted(path, state)


def test_records_are_the_user_s_alone(path: Path, state: Path) -> None:
    trust(path, state)
    assert (state / "trusted").stat().st_mode & 0o777 == 0o700


def test_a_state_that_cannot_be_made_is_told(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="LICET_HOME"):
        trust(path, tmp_path / "file" / "state")


def test_sizes_have_limits(path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as small:
        small.setattr(snapshots._Left, "size", 1)
        with pytest.raises(ConfigurationError, match="more than the 1 bytes"):
            trust(path, state)
    with monkeypatch.context() as few:
        few.setattr(snapshots._Left, "files", 1)
        with pytest.raises(ConfigurationError, match="more than 10000 files"):
            trust(path, state)
    deep = path.parent / "config"
    for _ in range(snapshots._MOST_DEPTH + 2):
        deep = deep / "d"
        deep.mkdir()
    with pytest.raises(ConfigurationError, match="folders inside one another"):
        trust(path, state)


def test_names_that_are_no_text_are_told_apart(path: Path, state: Path) -> None:
    odd = os.fsdecode(b"\xff")
    (path.parent / "config" / odd).write_text("x")
    trust(path, state)
    assert is_trusted(path, state)
    (path.parent / "config" / odd).write_text("y")
    with pytest.raises(ConfigurationError) as caught:
        require_trusted(path, state)
    str(caught.value).encode()


def test_a_name_with_signs_of_a_terminal_is_quoted(path: Path, state: Path) -> None:
    trust(path, state)
    (path.parent / "config" / "a\x1b[2J\n").write_text("")
    with pytest.raises(ConfigurationError) as caught:
        require_trusted(path, state)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)
