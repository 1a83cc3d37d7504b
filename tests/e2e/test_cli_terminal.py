"""The command line at a terminal: colours, questions, and nothing that a tool gives acts on it."""

from pathlib import Path

import pytest
from process import OURS, Terminal, licet, made_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made_project(tmp_path)


def test_a_terminal_gets_colours_and_no_color_takes_them_away(project: Path) -> None:
    licet(project, "call", "ls")
    coloured = Terminal(project, "runs", "last")
    assert coloured.end() == 0
    assert "\x1b[33mrefused" in coloured.text
    plain = Terminal(project, "runs", "last", NO_COLOR="1")
    assert plain.end() == 0
    assert "refused" in plain.text
    assert "\x1b[3" not in plain.text


def test_a_dumb_terminal_gets_plain_text(project: Path) -> None:
    licet(project, "call", "ls")
    dumb = Terminal(project, "runs", "last", TERM="dumb")
    assert dumb.end() == 0
    assert "\x1b" not in dumb.text


def test_what_a_tool_gives_does_nothing_to_the_terminal(project: Path) -> None:
    terminal = Terminal(project, "call", "odd", *OURS, "--grant", "odd")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.text
    assert "\u202e" not in terminal.text
    assert '  "lines": "a\\nb"' in terminal.text


@pytest.mark.parametrize(("answer", "code"), [("yes\n", 0), ("no\n", 3), ("y\n", 3), ("\n", 3), ("\x04", 3)])
def test_a_person_is_asked_at_the_terminal_and_only_yes_is_yes(answer: str, code: int, project: Path) -> None:
    words = ("call", "launch", '{"what": "x"}', *OURS, "--grant", "launch", "--mode", "workspace-write")
    terminal = Terminal(project, *words)
    terminal.until("Type yes")
    assert '{"what":"x"}' in terminal.text
    assert not (project / "launched").exists()
    terminal.type(answer)
    assert terminal.end() == code
    assert (project / "launched").exists() == (code == 0)


def test_a_yes_on_standard_input_is_not_heard(project: Path) -> None:
    (project / "yes").write_text("yes\n" * 100)
    words = ("call", "launch", '{"what": "x"}', *OURS, "--grant", "launch", "--mode", "workspace-write")
    terminal = Terminal(project, *words, stdin=project / "yes")
    terminal.until("Type yes")
    terminal.type("no\n")
    assert terminal.end() == 3
    with open(project / "yes") as piped:
        assert licet(project, *words, stdin=piped).returncode == 3
    assert not (project / "launched").exists()
