"""``licet trust`` at a real terminal: all of it is read there, and only the word ``yes``, typed after it, is a yes."""

from pathlib import Path

import pytest
from process import Terminal, licet, made_project

FILE = """\
mcpServers: {git: {command: uvx, args: ["mcp-server-git==1.0", "\\e[2J\\u202e"]}}
agents: {a: {globs: [mcp/git.*]}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = made_project(tmp_path)
    (project / "licet.yaml").write_text(FILE)
    return project


@pytest.mark.parametrize(
    ("answer", "code"), [("yes\n", 0), ("no\n", 3), ("y\n", 3), ("YES\n", 3), ("\n", 3), ("\x04", 3)]
)
def test_only_yes_is_yes(project: Path, answer: str, code: int) -> None:
    terminal = Terminal(project, "trust")
    terminal.until("anything else not to: ")
    assert "mcp/git: uvx mcp-server-git==1.0 " in terminal.text
    assert "\x1b" not in terminal.text
    assert "\u202e" not in terminal.text
    terminal.type(answer)
    assert terminal.end() == code
    listed = licet(project, "trust", "--list").stdout
    assert ("as it was" in listed) == (code == 0)


def test_a_yes_on_standard_input_is_not_heard_and_a_pipe_does_not_hide_the_page(project: Path) -> None:
    (project / "yes").write_text("yes\n" * 100)
    terminal = Terminal(project, "trust", stdin=project / "yes")
    terminal.until("anything else not to: ")
    terminal.type("no\n")
    assert terminal.end() == 3
    with open(project / "yes") as piped:
        done = licet(project, "trust", stdin=piped)
    assert done.returncode == 2
    assert "mcp/git: uvx" in done.stdout
    assert "--yes" in done.stderr
    assert "as it was" not in licet(project, "trust", "--list").stdout
