"""The copy of a project is bounded, holds nothing but files and folders, and reads without waiting."""

import os
from pathlib import Path

import pytest

from licet.agents.probe.copying import LEFT_OUT, copy_tree


def listed(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    (root / "deep" / "deeper").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"a" * 10)
    (root / "b.bin").write_bytes(bytes(range(256)))
    (root / "deep" / "c.txt").write_bytes(b"c" * 30)
    (root / "deep" / "deeper" / "d.txt").write_bytes(b"d" * 40)
    return root


def test_a_small_project_is_copied_whole(source: Path, tmp_path: Path) -> None:
    copied = copy_tree(source, tmp_path / "copy")
    assert copied == (4, 336, False, 0)
    assert listed(tmp_path / "copy") == listed(source)
    assert (tmp_path / "copy" / "b.bin").read_bytes() == bytes(range(256))


def test_what_is_near_the_top_is_copied_first(source: Path, tmp_path: Path) -> None:
    copied = copy_tree(source, tmp_path / "copy", limit_entries=4)
    assert copied.cut
    assert listed(tmp_path / "copy") == ["a.txt", "b.bin", "deep", "deep/c.txt"]


def test_a_file_that_is_too_large_is_left_out_and_the_rest_is_not(source: Path, tmp_path: Path) -> None:
    copied = copy_tree(source, tmp_path / "copy", limit_bytes=100)
    assert copied.cut
    assert copied.size_bytes == 80
    assert "b.bin" not in listed(tmp_path / "copy")
    assert "deep/deeper/d.txt" in listed(tmp_path / "copy")


def test_links_pipes_and_what_cannot_be_read_are_skipped(source: Path, tmp_path: Path) -> None:
    os.mkfifo(source / "pipe")
    (source / "link").symlink_to("a.txt")
    (source / "loop").symlink_to(".")
    (source / "dangling").symlink_to("nowhere")
    copied = copy_tree(source, tmp_path / "copy")
    assert copied.skipped == 4
    assert copied.files == 4
    assert not any(path.is_symlink() for path in (tmp_path / "copy").rglob("*"))


@pytest.mark.parametrize("name", sorted(LEFT_OUT))
def test_history_and_what_tools_made_are_left_out(source: Path, tmp_path: Path, name: str) -> None:
    (source / "deep" / name).mkdir()
    (source / "deep" / name / "x").write_text("x")
    assert copy_tree(source, tmp_path / "copy").files == 4
    assert name not in " ".join(listed(tmp_path / "copy"))


def test_names_of_any_bytes_are_copied(source: Path, tmp_path: Path) -> None:
    (source / "two\nlines\x1b[31m").write_text("x")
    (source / os.fsdecode(b"\xff\xfe")).write_text("x")
    assert copy_tree(source, tmp_path / "copy").files == 6
    assert listed(tmp_path / "copy") == listed(source)


def test_a_source_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        copy_tree(tmp_path / "nowhere", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
