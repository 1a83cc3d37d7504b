"""The configuration of a folder is its own, or the nearest above, and never somebody else's."""

import os
from pathlib import Path

import pytest
from written import write

from licet.errors import ConfigurationError
from licet.project.find import find


def test_the_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    top = write(tmp_path, "{}")
    assert find(deep) == top
    near = write(tmp_path / "a", "{}")
    assert find(deep) == near
    assert find(tmp_path) == top


def test_where_there_is_none_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find(tmp_path / "not" / "made") is None


def test_the_search_ends_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    inside = home / "project"
    inside.mkdir(parents=True)
    write(tmp_path, "{}")
    monkeypatch.setenv("HOME", str(home))
    assert find(inside) is None
    assert find(home) is None
    monkeypatch.setenv("HOME", f"{tmp_path}/./home/")
    assert find(inside) is None
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert find(inside) is None
    own = write(home, "{}")
    assert find(inside) == own
    assert find(tmp_path) == tmp_path / "licet.yaml"


def test_a_link_that_leads_nowhere_is_found_and_not_passed_over(tmp_path: Path) -> None:
    inside = tmp_path / "a"
    inside.mkdir()
    write(tmp_path, "{}")
    (inside / "licet.yaml").symlink_to("nowhere")
    assert find(inside) == inside / "licet.yaml"


def another_owner(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


def test_another_user_s_file_is_refused_but_for_who_only_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "{}")
    another_owner(path, monkeypatch)
    with pytest.raises(ConfigurationError, match=r"belongs to another user .* --config"):
        find(tmp_path)
    assert find(tmp_path, any_owner=True) == path


def test_a_file_in_a_folder_that_anybody_may_write_into_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    write(shared, "{}")
    shared.chmod(0o777)
    with pytest.raises(ConfigurationError, match="anybody may write"):
        find(shared)
    shared.chmod(0o1777)  # where nobody removes what is another's
    assert find(shared) == shared / "licet.yaml"
