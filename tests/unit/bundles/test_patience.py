"""No pattern and no ignore file holds up a call: it is quick, or it is given up."""

import re
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.bundles.files.grep import lines
from licet.bundles.files.ignore import MAX_RULES
from licet.bundles.files.patience import Patience, Patient, TooSlowError
from licet.bundles.files.pattern import MAX_PATTERN_CHARACTERS, MAX_STEPS, expression, glob
from licet.errors import ToolFailedError

SECOND = 1.0
"""Of the thread's own time, where tens of milliseconds are expected and a bomb takes minutes."""

COSTLY = [
    ".{0,1000}.{0,1000}.{0,1000}.{0,1000}b",
    "(?:a?){1000}b",
    "(?:a|b)*a(?:a|b){900}c",
    "(a)" * 300 + "b",
    "(?i)" + r"\pL" * 330,
    r"\pL{900}b",
    "(" * 400 + "a" + ")" * 400,
    "|".join(f"a{{{count}}}b" for count in range(1, 110)),
    "(x+x+)+y",
    "(a+)+$",
    r"[^\x{0}-\x{10}]{0,900}b",
    "a" * MAX_PATTERN_CHARACTERS,
]
GLOBS = ["*a" * 400, "{a,b}" * 200, "?" * MAX_PATTERN_CHARACTERS, "**/" * 300, "{" * 900, "[!" * 400, "[a-z]" * 200]
IGNORE_FILES = {
    "costly rules": (b"*a" * 100 + b"b\n") * 1200,
    "one costly rule": b"*a" * 60_000 + b"\n",
    "rules in turn": b"".join(b"%sr%d\n" % (b"!" if n % 2 else b"", n) for n in range(30_000)),
    "folders": (b"**/" * 30 + b"x\n") * 2000,
    "choices": (b"[a-z0-9]" * 30 + b"\n") * 1000,
    "empty lines": b"\n" * 250_000,
}


def quickly(project: Any, tool: str, **arguments: Any) -> str:
    """Why it was refused, or an empty text. Raises AssertionError: it took long either way."""
    begun = thread_time()
    try:
        project(tool, **arguments)
    except ToolFailedError as failed:
        return failed.reason
    finally:
        assert thread_time() - begun < SECOND
    return ""


@pytest.mark.parametrize("pattern", COSTLY, ids=lambda pattern: pattern[:20])
@pytest.mark.parametrize("text", ["a" * 1_000_000, "ab" * 500_000 + "\n", "aaaa\n" * 200_000, "é" * 500_000])
def test_a_pattern_is_searched_quickly_or_refused(project: Any, pattern: str, text: str) -> None:
    project.file("text", text)
    assert quickly(project, "grep", pattern=pattern) in ("", "bad_pattern")


@pytest.mark.parametrize("pattern", GLOBS, ids=lambda pattern: pattern[:20])
def test_a_glob_is_matched_quickly_or_refused(project: Any, pattern: str) -> None:
    for number in range(100):
        project.file("a" * 200 + str(number), "x")
    for tool, arguments in (("find", {"pattern": pattern}), ("grep", {"pattern": "x", "glob": pattern})):
        assert quickly(project, tool, **arguments) in ("", "bad_pattern")


@pytest.mark.parametrize("rules", IGNORE_FILES.values(), ids=IGNORE_FILES)
def test_an_ignore_file_that_takes_too_long_is_passed_over(project: Any, rules: bytes) -> None:
    for number in range(30):
        project.file("a" * 200 + str(number), "x")
    project.file(".gitignore", rules)
    assert quickly(project, "find", pattern="*") == ""
    assert project("find", pattern="*")["total_seen"] == 31, "what is not known to be ignored is shown"


def test_an_ignore_file_of_many_rules_still_counts(project: Any) -> None:
    project.file(".gitignore", "\n".join([*(f"rule{number}" for number in range(MAX_RULES - 1)), "seen"]))
    project.file("seen")
    assert project("find", pattern="*")["paths"] == [".gitignore"]


def test_patience_ends_and_grows_with_what_is_looked_at() -> None:
    patience = Patience()
    patience.spend(thread_time(), 1)
    with pytest.raises(TooSlowError) as ended:
        patience.spend(thread_time() - 10, 1)
    assert ended.value.reason == "bad_pattern"
    Patience().spend(thread_time() - 10, 1, length=1_000_000_000)


def test_a_pattern_of_too_many_steps_is_refused_and_one_below_is_not() -> None:
    assert expression("a{1000}" * 9, ignore_case=False, literal=False).programsize <= MAX_STEPS
    for make in (lambda: expression("a{1000}" * 11, ignore_case=False, literal=False), lambda: glob("?" * 1000 + "**")):
        with pytest.raises(ToolFailedError):
            make()


texts = st.text(st.sampled_from("ab\n"), max_size=300).map(str.encode)
patterns = st.sampled_from(["a", "^a", "a$", "^$", "b*", "ab?a", "^", "$", r"\bb", "(?:a|b){3}", "$^", "^[^a]*$"])


@given(texts, patterns, st.integers(40, 400))
def test_windows_give_the_same_lines_as_the_whole_text(text: bytes, pattern: str, width: int) -> None:
    rows = [row[: width // 2] for row in text.split(b"\n")]
    text = b"\n".join(rows)
    patient = Patient(expression(pattern, ignore_case=False, literal=False), Patience())
    patient.window_bytes = width
    found = [(line.number, line.text.encode()) for line in lines(patient, text)]
    if text.endswith(b"\n"):
        rows.pop()  # after the last line end no line begins
    expected = [(number, row) for number, row in enumerate(rows, 1) if re.search(pattern.encode(), row)]
    assert found == expected


@pytest.mark.parametrize("at", [0, 3000, 3072, 3900, 4090, 4096, 5000, 99_990])
def test_in_a_line_longer_than_a_window_matches_are_found_across_its_borders(at: int) -> None:
    text = bytearray(b"." * 100_000)
    text[at : at + 6] = b"needle"
    patient = Patient(expression("needle", ignore_case=False, literal=False), Patience())
    patient.window_bytes = 4096
    assert [line.number for line in lines(patient, bytes(text))] == [1]
    starts = Patient(expression("^needle|needle$", ignore_case=False, literal=False), Patience())
    starts.window_bytes = 4096
    assert len(list(lines(starts, bytes(text)))) == (at == 0), "a window's border is no line's"
