"""What a report becomes: a document, a baseline, a file that build servers read."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from licet.conformance.baseline import compared, expected
from licet.conformance.document import document
from licet.conformance.junit import junit
from licet.conformance.run import Report
from licet.conformance.verdict import Outcome, Verdict
from licet.errors import ConfigurationError

HOSTILE = 'a <b> & "c" \x1b[2J \u202e ]]> \ud800 \x00 \uffff\nnext'


def report(**verdicts: Verdict) -> Report:
    outcomes = [
        Outcome(f"a.{name}", "core", "a", "a title", verdict, "" if verdict == "passed" else HOSTILE, 0.5)
        for name, verdict in verdicts.items()
    ]
    return Report("a target", tuple(outcomes), 1.0)


def baseline(tmp_path: Path, of: Report) -> str:
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(document(of)))
    return str(path)


def test_nothing_red_and_something_passed_is_well() -> None:
    assert report(x="passed", y="not applicable").ok
    assert not report(x="passed", y="lied").ok
    assert not report(x="not applicable").ok, "nothing was examined"


def test_what_is_red_as_expected_is_as_the_baseline_says_whatever_word_it_is_red_with(tmp_path: Path) -> None:
    held = expected(baseline(tmp_path, report(x="failed", y="passed")))
    assert compared(held, report(x="hung", y="passed")).unexpected == ()


@pytest.mark.parametrize(
    ("before", "now"),
    [("failed", "passed"), ("passed", "failed"), ("passed", "not applicable"), ("failed", "not applicable")],
)
def test_what_got_better_or_worse_is_unexpected(tmp_path: Path, before: Verdict, now: Verdict) -> None:
    held = expected(baseline(tmp_path, report(x=before)))
    against = compared(held, report(x=now))
    assert against.moved == {"a.x"}
    assert against.unexpected[0].startswith(f"a.x is {now} instead of {before}")


def test_what_the_baseline_does_not_know_has_to_be_green(tmp_path: Path) -> None:
    held = expected(baseline(tmp_path, report(x="passed")))
    assert compared(held, report(x="passed", y="passed")).unexpected == ()
    assert compared(held, report(x="passed", y="died")).moved == {"a.y"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"outcomes": []}',
        '{"format": "licet-conformance/1", "outcomes": [{"vector": "a", "verdict": "?"}]}',
    ],
)
def test_a_file_that_is_no_report_is_no_baseline(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ConfigurationError, match="this is no report"):
        expected(str(path))
    with pytest.raises(ConfigurationError, match="No such file"):
        expected(str(tmp_path / "nothing.json"))


def test_the_file_for_build_servers_is_xml_in_which_nothing_acts(tmp_path: Path) -> None:
    text = junit(report(x="passed", y="failed", z="not applicable"))
    assert not any(sign in text for sign in "\x1b\u202e\x00\uffff")
    root = ElementTree.fromstring(text)
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("3", "1", "1")
    failure = root.find("testcase/failure")
    assert failure is not None
    assert failure.get("message", "").startswith('a <b> & "c" \\u001b[2J \\u202e ]]>')
    assert failure.get("type") == "failed"


def test_with_a_baseline_only_what_is_unexpected_is_a_failure_for_build_servers(tmp_path: Path) -> None:
    held = expected(baseline(tmp_path, report(x="failed", y="failed")))
    now = report(x="failed", y="passed")
    root = ElementTree.fromstring(junit(now, compared(held, now)))
    assert [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None] == ["a.y"]
    assert [case.get("name") for case in root.iter("testcase") if case.find("skipped") is not None] == ["a.x"]
