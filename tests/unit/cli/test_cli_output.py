"""Nothing that a command shows acts on a terminal, and what is shown as JSON is what was there."""

import json
import sys

import pytest

from licet.cli import output
from licet.cli.moment import duration, moment

HOSTILE = "a\x1b[31m\x07\r\nb\t\x00\x7f\x9b\u202e\u2066\u200b\ufeff\U000e0041\ud800z"


def acts(text: str) -> bool:
    """Whether a terminal would do anything but show the text."""
    return any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200b\ufeff\ud800\U000e0041" for c in text)


def test_visible_text_is_one_line_and_does_nothing() -> None:
    shown = output.visible(HOSTILE)
    assert acts(HOSTILE)
    assert not acts(shown)
    assert "\\u001b" in shown
    assert "\\u000a" in shown


def test_visible_text_keeps_letters_of_every_script_and_brackets() -> None:
    plain = "Ärger [x] <y> {z} 漢字 العربية \\ ' \""
    assert output.visible(plain) == plain


def test_a_json_document_does_nothing_and_says_what_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    value = {HOSTILE: [HOSTILE, "漢字", 1.5, None, {"[": "<"}]}
    output.document(value)
    text = capsys.readouterr().out
    assert json.loads(text) == value
    assert not acts(text.replace("\n", ""))
    assert "漢字" in text


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_list_written_piece_by_piece_is_one_document(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    values = [{"n": n, "lines": "a\nb"} for n in range(count)]
    output.documents(iter(values))
    assert json.loads(capsys.readouterr().out) == values


def test_a_piped_table_has_columns_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("name", "n"), [("a", output.Styled("1", "bold red")), ("漢字", "2"), ("x\ny", "3")])
    assert capsys.readouterr().out == "name      n\na         1\n漢字      2\nx\\u000ay  3\n"


def test_a_table_without_rows_has_its_headings(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("name", "n"), [])
    assert capsys.readouterr().out == "name  n\n"


def test_what_is_said_goes_to_standard_error_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("licet: " + HOSTILE)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert not acts(said.err.rstrip("\n"))


def test_a_reader_of_standard_error_that_went_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def write(self, text: str) -> None:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    output.say("licet: nobody hears this")


def test_a_pipe_is_no_terminal() -> None:
    assert not output.on_terminal()


@pytest.mark.parametrize(
    ("us", "told"),
    [
        (None, "-"),
        (-1, "-"),
        (0, "0 us"),
        (999, "999 us"),
        (1_000, "1 ms"),
        (2_471, "2.47 ms"),
        (999_999, "999 ms"),
        (1_500_000, "1.5 s"),
        (119_999_999, "119 s"),
        (120_000_000, "2 min"),
        (7_200_000_000, "2 h"),
    ],
)
def test_durations_are_told_in_the_unit_that_suits_them(us: int | None, told: str) -> None:
    assert duration(us) == told


@pytest.mark.parametrize("impossible", [None, 10**30, -(10**30)])
def test_a_moment_that_cannot_be_is_a_dash(impossible: int | None) -> None:
    assert moment(impossible) == "-"
