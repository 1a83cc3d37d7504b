"""``grep``."""

import os
from time import monotonic
from typing import Any

import pytest

from licet.bundles.files import grep as module
from licet.errors import ToolTimeoutError


def lines(project: Any, pattern: str, **arguments: Any) -> list[tuple[str, int, str]]:
    result = project("grep", pattern=pattern, **arguments)
    return [(match["path"], match["line"], match["text"]) for match in result["matches"]]


def numbers(project: Any, pattern: str, **arguments: Any) -> list[int]:
    return [line for _, line, _ in lines(project, pattern, **arguments)]


def test_lines_are_given_with_their_places_in_order(project: Any) -> None:
    project.file("b.txt", "one\ntwo\nthree two two\n")
    project.file("a/c.txt", "two")
    assert lines(project, "two") == [("a/c.txt", 1, "two"), ("b.txt", 2, "two"), ("b.txt", 3, "three two two")]
    assert lines(project, "t.o$", path="a") == [("a/c.txt", 1, "two")]
    assert lines(project, "two", path="b.txt", limit=1) == [("b.txt", 2, "two")]
    assert lines(project, "none") == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^", [1, 2, 3, 4]),
        ("$", [1, 2, 3, 4]),
        ("^$", [3]),
        ("^b", [2]),
        ("a$", [1]),
        ("x*", [1, 2, 3, 4]),
        (r"\bb\b", []),
        ("a\nb", []),
        (r"a\s+b", []),
        ("[^z]", [1, 2, 4]),
        ("(?i)BB", [2]),
        (r"\d+", [4]),
    ],
)
def test_a_pattern_matches_within_one_line(project: Any, pattern: str, expected: list[int]) -> None:
    project.file("file", "a\nbb\n\nc 12\n")
    assert numbers(project, pattern) == expected
    project.file("file", "a\nbb\n\nc 12")
    assert numbers(project, pattern) == expected


def test_case_and_plain_text_are_options(project: Any) -> None:
    project.file("file", "Straße\nSTRASSE\na.b\naxb\n(x\n")
    assert numbers(project, "stra", ignore_case=True) == [1, 2]
    assert numbers(project, "stra") == []
    assert numbers(project, "a.b") == [3, 4]
    assert numbers(project, "a.b", literal=True) == [3]
    assert numbers(project, "(x", literal=True) == [5]
    assert numbers(project, "STRASS", literal=True, ignore_case=True) == [2]
    assert numbers(project, "ß") == [1]


def test_a_glob_says_which_files(project: Any) -> None:
    for path in ("a.py", "b.txt", "src/c.py", "src/deep/d.py"):
        project.file(path, "x")
    assert [path for path, _, _ in lines(project, "x", glob="*.py")] == ["a.py", "src/c.py", "src/deep/d.py"]
    assert [path for path, _, _ in lines(project, "x", glob="src/*.py")] == ["src/c.py"]
    assert [path for path, _, _ in lines(project, "x", glob="deep/*", path="src")] == ["src/deep/d.py"]


def test_what_is_ignored_protected_or_a_link_is_not_searched(project: Any) -> None:
    project.file(".gitignore", "ignored\n")
    for path in ("ignored", ".git/x", ".licet/x", "sub/.licet/x", "seen"):
        project.file(path, "needle")
    (project.root.parent / "outside").write_text("needle")
    (project.root / "link").symlink_to("../outside")
    (project.root / "inner").symlink_to("seen")
    os.mkfifo(project.root / "pipe")
    assert [path for path, _, _ in lines(project, "needle")] == ["seen"]
    assert lines(project, "needle", path="inner") == [("inner", 1, "needle")]


def test_what_was_not_searched_is_counted(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 100)
    project.file("text", "needle")
    project.file("binary", b"needle\0")
    project.file("large", "needle" * 100)
    os.link(project.root / "text", project.root / "second name")
    project.file("other", "needle")
    result = project("grep", pattern="needle")
    assert [match["path"] for match in result["matches"]] == ["other"]
    assert result["skipped"] == {"binary": 1, "too_large": 1, "unreadable": 2}
    assert result["files_searched"] == 1
    assert project("grep", pattern="needle", path="binary")["skipped"]["binary"] == 1


def test_many_matches_are_cut_with_a_notice(project: Any) -> None:
    project.file("file", "needle\n" * 1000)
    result = project("grep", pattern="needle", limit=10)
    assert (len(result["matches"]), result["truncated"]) == (10, True)
    assert "first 10" in result["notice"]
    assert len(project("grep", pattern="needle")["matches"]) == 200
    assert len(lines(project, "needle", limit=5000)) == 1000


def test_a_result_stays_below_what_a_model_is_shown(project: Any) -> None:
    project.file("file", ("\x01needle" + "\x02" * 500 + "\n") * 1000)
    result = project("grep", pattern="needle")
    assert result["truncated"]
    assert result["matches"]


def test_a_long_line_is_shown_around_its_match(project: Any) -> None:
    project.file("file", "a" * 100_000 + "needle" + "b" * 100_000 + "\nneedle\n")
    (first, second) = lines(project, "needle")
    assert "aneedleb" in first[2]
    assert len(first[2]) < 1000
    assert first[2].startswith("…")
    assert first[2].endswith("…")
    assert second == ("file", 2, "needle")


def test_bytes_that_are_no_utf8_and_windows_line_ends_are_bearable(project: Any) -> None:
    project.file("file", b"caf\xe9 needle\r\nnext\r\n")
    assert lines(project, "needle") == [("file", 1, "caf\ufffd needle")]
    assert lines(project, "next") == [("file", 2, "next")]


@pytest.mark.parametrize("pattern", ["(", "a{1001}", r"(a)\1", "(?=a)", "[z-a]", "*", "(" * 2000, "x" * 4097])
def test_a_pattern_that_the_engine_does_not_take_is_refused(project: Any, pattern: str) -> None:
    handler = project.specs["grep"].handler
    with pytest.raises(Exception, match="the pattern cannot be used") as refused:
        handler(context=project.context(), pattern=pattern)
    assert getattr(refused.value, "reason", "") == "bad_pattern"


def test_a_pattern_that_makes_others_explode_takes_linear_time(project: Any) -> None:
    project.file("file", "a" * 200_000 + "!\n")
    begun = monotonic()
    for pattern in ("^(a+)+$", "(a|aa)+$", "(.*)*(.*)*x", "(a*)*b"):
        assert lines(project, pattern) == []
    assert monotonic() - begun < 5


def test_nobody_waits_longer_than_the_call_may_take(project: Any) -> None:
    project.file("file", "needle")
    with pytest.raises(ToolTimeoutError):
        project.specs["grep"].handler(context=project.context(deadline=0.0), pattern="needle")


def test_nothing_stays_open(project: Any) -> None:
    for number in range(5):
        project.file(f"{number}/file", "needle")
    lines(project, "needle")
    before = len(os.listdir("/proc/self/fd"))
    lines(project, "needle", limit=2)
    lines(project, "needle", path="1/file")
    assert project.reason("grep", pattern="(") == "bad_pattern"
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_cannot_be_searched_has_its_reason(project: Any) -> None:
    os.mkfifo(project.root / "pipe")
    assert project.reason("grep", pattern="x", path="none") == "path_not_found"
    assert project.reason("grep", pattern="x", path="pipe") == "not_a_file"
    assert project.reason("grep", pattern="x", path="../..") == "path_outside_root"
