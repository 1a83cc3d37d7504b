"""``licet explore`` at a terminal: colours, progress, and nothing of the project that acts on it."""

import re
from pathlib import Path

import pytest
from process import Terminal, licet, made_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = made_project(tmp_path)
    (folder / "README.md").write_text("# x\n\nA \x1b]0;title\x07 \u202e paragraph with [a link](http://x.example).\n")
    (folder / "a\x1b[31m\n.py").write_text("# TODO \x1b[2J\n")
    return folder


def test_a_terminal_gets_colours_and_a_line_of_progress_that_goes_away(project: Path) -> None:
    terminal = Terminal(project, "explore")
    assert terminal.end() == 0
    assert re.search(r"\x1b\[3\dm", terminal.text)
    assert "exploring: 1 calls, find" in terminal.text
    assert terminal.text.index("exploring") < terminal.text.rindex("\r\x1b[K") < terminal.text.index("scripted planner")
    assert "**" not in terminal.text.split("scripted planner")[1]


def test_no_color_and_dumb_terminals_get_none(project: Path) -> None:
    plain = Terminal(project, "explore", NO_COLOR="1")
    assert plain.end() == 0
    assert not re.search(r"\x1b\[[34]\d", plain.text)
    dumb = Terminal(project, "explore", TERM="dumb")
    assert dumb.end() == 0
    assert "\x1b" not in dumb.text
    assert dumb.text.count("exploring") == 0


def test_nothing_of_the_project_acts_on_the_terminal(project: Path) -> None:
    for words in ((), ("--full",), ("--json",)):
        terminal = Terminal(project, "explore", *words, NO_COLOR="1")
        assert terminal.end() == 0
        for acting in ("\x1b]", "\x1b[31m", "\x1b[2J", "\u202e", "\x07"):
            assert acting not in terminal.text
        assert "\\u001b" in terminal.text


def test_piped_output_has_no_colours_and_the_run_is_named_on_standard_error(project: Path) -> None:
    piped = licet(project, "explore", env={"TERM": "xterm-256color"})
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout + piped.stderr
    assert piped.stderr.startswith("run ")
    assert piped.stderr.count("\n") == 1
    assert piped.stdout.startswith("# ")
