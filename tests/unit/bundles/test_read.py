"""``read``."""

import hashlib
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps

from licet.bundles.files import read as module
from licet.bundles.files.read import after_lines


def page(project: Any, **arguments: Any) -> tuple[str, int, int, bool]:
    result = project("read", path="file", **arguments)
    return result["text"], result["lines"], result["total_lines"], result["truncated"]


def test_a_file_is_read_with_its_digest(project: Any) -> None:
    project.file("sub/file", "one\ntwo\n")
    result = project("read", path="./sub//file")
    assert result == {
        "path": "sub/file",
        "text": "one\ntwo\n",
        "offset": 1,
        "lines": 2,
        "total_lines": 2,
        "truncated": False,
        "digest": "sha256:" + hashlib.sha256(b"one\ntwo\n").hexdigest(),
    }


@pytest.mark.parametrize("end", ["", "\n"])
def test_pages_put_together_are_the_file(project: Any, end: str) -> None:
    text = "".join(f"line {number}\r\n" for number in range(1, 100)) + "the last one" + end
    project.file("file", text)
    for limit in (1, 7, 99, 100, 101):
        offset, pages = 1, []
        while True:
            result = project("read", path="file", offset=offset, limit=limit)
            pages.append(result["text"])
            assert result["total_lines"] == 100
            assert result["lines"] == min(limit, 101 - offset)
            if not result["truncated"]:
                assert "next_offset" not in result
                break
            offset = result["next_offset"]
            assert f"continue with offset {offset}" in result["notice"]
        assert "".join(pages) == text


def test_limits_at_the_borders(project: Any) -> None:
    project.file("file", "a\nb\nc")
    assert page(project, limit=0) == ("", 0, 3, True)
    assert page(project, limit=1) == ("a\n", 1, 3, True)
    assert page(project, offset=3) == ("c", 1, 3, False)
    assert page(project, offset=3, limit=0) == ("", 0, 3, True)
    assert page(project, offset=4) == ("", 0, 3, False)
    assert page(project, offset=2**53) == ("", 0, 3, False)
    project.file("file", "")
    assert page(project) == page(project, limit=0) == ("", 0, 0, False)
    project.file("file", "\n")
    assert page(project) == ("\n", 1, 1, False)


def test_two_thousand_lines_are_given_unless_more_are_asked_for(project: Any) -> None:
    project.file("file", "x\n" * 3000)
    assert project("read", path="file")["next_offset"] == 2001
    assert page(project, limit=3000)[1:] == (3000, 3000, False)


@pytest.mark.parametrize("line", ["x" * 100, "\x01" * 50, "\u20ac" * 60, '"' * 90])
def test_a_result_stays_below_what_a_model_is_shown_unless_more_is_asked_for(project: Any, line: str) -> None:
    project.file("file", f"{line}\n" * 2000)
    result = project("read", path="file")
    assert len(dumps(result)) < 50 * 1024
    assert 0 < result["lines"] < 2000
    assert result["next_offset"] == result["lines"] + 1
    assert page(project, limit=2000)[1] == 2000


def test_no_result_passes_the_largest_whatever_is_asked_for(project: Any) -> None:
    project.file("file", ("\x01" * 1900 + "\n") * 2000)
    result = project("read", path="file", limit=20_000)
    assert len(dumps(result)) < 4 * 1024 * 1024
    assert result["truncated"]
    assert result["lines"] > 100


def test_a_long_line_is_cut_and_says_so(project: Any) -> None:
    project.file("file", "a" * 10_000 + "\n" + "b" * 10 + "\n" + "c" * 5000)
    result = project("read", path="file")
    first, second, third = result["text"].split("\n")
    assert first.startswith("a" * 2000 + "… [cut: 8000 more characters")
    assert second == "b" * 10
    assert "3000 more" in third
    assert result["cut_lines"] == 2
    assert not result["truncated"]


def test_bytes_that_are_no_utf8_are_replaced_and_told(project: Any) -> None:
    project.file("file", b"caf\xe9\nplain\n")
    result = project("read", path="file")
    assert result["text"] == "caf\ufffd\nplain\n"
    assert result["encoding_errors"] is True
    assert "encoding_errors" not in project("read", path="file", offset=2)


def test_only_a_line_end_ends_a_line(project: Any) -> None:
    text = "a\x0bb\x0cc\x1cd\u2028e\x85f\rg\n"
    project.file("file", text * 400)
    result = project("read", path="file", limit=400)
    assert result["lines"] == result["total_lines"] == 400
    assert result["text"] == text * 400


def test_a_binary_or_huge_file_is_refused(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("binary", b"text" + b"\0")
    project.file("late", b"x" * 9000 + b"\0\n")
    assert project.reason("read", path="binary") == "binary_file"
    assert project("read", path="late")["total_lines"] == 1
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 10)
    project.file("huge", b"x" * 11)
    assert project.reason("read", path="huge") == "too_large"


def test_what_is_no_file_has_its_reason_and_nothing_waits(project: Any) -> None:
    os.mkfifo(project.root / "pipe")
    (project.root / "folder").mkdir()
    (project.root / "null").symlink_to("/dev/null")
    assert project.reason("read", path="pipe") == project.reason("read", path="folder") == "not_a_file"
    assert project.reason("read", path="null") == project.reason("read", path="/dev/stdin") == "path_outside_root"
    assert project.reason("read", path="none") == "path_not_found"
    assert project.reason("read", path="a\0b") == "path_outside_root"
    assert project.reason("read", path=".licet/x") == "path_protected"


@given(text=st.text("ab\n", max_size=200), lines=st.integers(0, 250), start=st.integers(0, 3))
def test_counting_in_blocks_is_counting(text: str, lines: int, start: int) -> None:
    data = text.encode() * 3
    start = min(start, len(data))
    expected = start
    for _ in range(lines):
        at = data.find(b"\n", expected)
        expected = len(data) if at < 0 else at + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 16)
        assert after_lines(data, start, lines) == expected
