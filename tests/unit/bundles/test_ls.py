"""``ls``."""

import os
from typing import Any

import pytest


def kinds(result: dict[str, Any]) -> dict[str, tuple[str, int | None]]:
    return {entry["name"]: (entry["kind"], entry["size"]) for entry in result["entries"]}


def test_a_folder_is_listed_with_kinds_and_sizes_in_order(project: Any) -> None:
    project.file("b.txt", "12345")
    project.file("a/inner")
    project.file(".hidden")
    project.file(".gitignore", "b.txt\n")
    project.file(".git/config")
    (project.root / "link").symlink_to("nowhere")
    os.mkfifo(project.root / "pipe")
    result = project("ls")
    assert list(kinds(result)) == [".git", ".gitignore", ".hidden", "a", "b.txt", "link", "pipe"]
    assert kinds(result)["b.txt"] == ("file", 5)
    assert kinds(result)["a"] == ("directory", None)
    assert kinds(result)["link"] == ("link", None)
    assert kinds(result)["pipe"] == ("other", None)
    assert (result["path"], result["total"], result["truncated"]) == (".", 7, False)
    assert "notice" not in result
    assert project("ls", path="a/")["entries"] == [{"name": "inner", "kind": "file", "size": 0}]


def test_a_long_listing_is_cut_with_a_notice(project: Any) -> None:
    for number in range(30):
        project.file(f"f{number:02}")
    result = project("ls", limit=10)
    assert list(kinds(result)) == [f"f{number:02}" for number in range(10)]
    assert (result["total"], result["truncated"]) == (30, True)
    assert "10 of 30" in result["notice"]


def test_a_listing_stays_below_what_a_model_is_shown_unless_more_is_asked_for(project: Any) -> None:
    for number in range(1000):
        project.file(f"{number:04}" + "n" * 100)
    assert len(str(project("ls"))) < 50 * 1024
    assert len(project("ls", limit=2000)["entries"]) == 1000


def test_odd_names_are_safe_json(project: Any) -> None:
    for name in (b"new\nline", b"esc\x1b[31m", b"caf\xe9", "caf\u00e9".encode(), b'quo"te'):
        (project.root / os.fsdecode(name)).touch()
    assert set(kinds(project("ls"))) == {"new\nline", "esc\x1b[31m", "caf\\xe9", "caf\u00e9", 'quo"te'}


def test_entries_that_go_away_meanwhile_are_left_out(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from licet.bundles.files import ls

    project.file("stays")
    gone = project.file("goes")
    row = ls._row

    def late(entry: Any) -> Any:
        gone.unlink(missing_ok=True)
        return row(entry)

    monkeypatch.setattr(ls, "_row", late)
    assert list(kinds(project("ls"))) == ["stays"]


def test_what_is_no_folder_has_its_reason(project: Any) -> None:
    project.file("file")
    (project.root / "out").symlink_to("..")
    assert project.reason("ls", path="file") == "not_a_directory"
    assert project.reason("ls", path="none") == "path_not_found"
    assert project.reason("ls", path="out") == project.reason("ls", path="..") == "path_outside_root"
    assert project.reason("ls", path="/") == "path_outside_root"
