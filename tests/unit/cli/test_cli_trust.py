"""``licet trust`` shows what a configuration would do, and takes a person's yes to exactly what it showed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from said import Licet

from licet.cli import ask as asking
from licet.project.trust import is_trusted

FILE = """\
mcpServers:
  git:
    command: uvx
    args: [mcp-server-git==1.0, "--name=a b", "${TOKEN}"]
    env: {API_KEY: canary123, PATH: "/evil\\u202e", HOST: "${HOST:-x}"}
    cwd: repo
  web: {url: "https://example.com/mcp", headers: {Authorization: "Bearer ${TOKEN}"}}
tools:
  mcp/git.*: {read_only: hinted}
agents:
  coder:
    mode: workspace-write
    tools: [read, mcp/git.git_log: {max_count: {most: 50}, ref: {equals: null}}]
    globs: [mcp/web.*]
    groups: [editing_builtins]
    roots: [.]
"""

Answer = Callable[[bool | None], list[str]]


@pytest.fixture
def config(project: Path) -> Path:
    path = project / "licet.yaml"
    path.write_text(FILE)
    (project / "config").mkdir()
    (project / "config" / "a\x1b[2J").write_text("")
    return path


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Sits at a terminal; gives the questions that were asked. None: there is no terminal."""

    def sit(said: bool | None) -> list[str]:
        asked: list[str] = []

        def ask(text: str, device: str | None = None) -> bool | None:
            asked.append(text)
            return said

        monkeypatch.setattr(asking, "ask", ask)
        monkeypatch.setattr(asking, "somebody", lambda device=None: said is not None)
        return asked

    return sit


def test_all_that_matters_is_shown_before_the_question(licet: Licet, config: Path, home: Path, answer: Answer) -> None:
    asked = answer(True)
    said = licet("trust")
    assert said.code == 0
    (question,) = asked
    for line in (
        str(config),
        "    mcp/git: uvx mcp-server-git==1.0 '--name=a b' '${TOKEN}'",
        "      in the folder repo",
        "      API_KEY=canary123",
        "      PATH=/evil\\u202e",
        "      HOST=${HOST:-x}",
        "      it is given your TOKEN, HOST",
        "    mcp/web: https://example.com/mcp",
        "      Authorization=Bearer ${TOKEN}",
        '    mcp/git.*: read_only: "hinted"',
        "    coder: workspace_write, .",
        "      read",
        "      mcp/git.git_log where /max_count most: 50; /ref equals: null",
        "      all that match mcp/web.*",
        "      the group editing_builtins",
        "    nothing: there is no licet.lock",
    ):
        assert f"{line}\n" in question
    assert "In all: servers git, web; agents coder; files 2.\n" in question
    assert "canary" not in said.out + said.err
    assert "\x1b" not in question
    assert "config/a\\u001b[2J  sha256:" in question
    assert question.endswith("Type yes to trust exactly this, anything else not to: ")
    assert is_trusted(config, home)


def test_no_leaves_it_untrusted(licet: Licet, config: Path, home: Path, answer: Answer) -> None:
    answer(False)
    said = licet("trust")
    assert (said.code, said.err) == (3, "licet: nothing was trusted\n")
    assert not is_trusted(config, home)
    assert not home.exists()


def test_without_a_terminal_it_is_shown_and_needs_the_option(
    licet: Licet, config: Path, home: Path, answer: Answer
) -> None:
    asked = answer(None)
    said = licet("trust")
    assert said.code == 2
    assert "--yes" in said.err
    assert "mcp/git: uvx" in said.out
    assert not is_trusted(config, home)
    del asked[:]
    said = licet("trust", "--yes")
    assert said.code == 0
    assert "mcp/git: uvx" in said.out
    assert "API_KEY=(a secret in clear)" in said.out
    assert asked == []
    assert is_trusted(config, home)


def test_what_changes_while_the_person_reads_is_not_trusted(
    licet: Licet, config: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(text: str, device: str | None = None) -> bool:
        config.write_text(FILE.replace("uvx", "evil"))
        return True

    monkeypatch.setattr(asking, "ask", ask)
    monkeypatch.setattr(asking, "somebody", lambda device=None: True)
    assert licet("trust").code == 0
    assert not is_trusted(config, home)
    config.write_text(FILE)
    assert is_trusted(config, home)


def test_what_changed_since_is_named(licet: Licet, config: Path, answer: Answer) -> None:
    licet("trust", "--yes")
    assert "is trusted already, as it is" in licet("trust").err
    (config.parent / "licet.lock").write_text('{"version": 1, "servers": {}}')
    config.write_text(FILE + "# more\n")
    asked = answer(False)
    licet("trust")
    assert "  changed since it was trusted\n    licet.lock is new\n    licet.yaml changed\n" in asked[0]


def test_a_file_that_does_not_load_is_not_trusted(licet: Licet, config: Path, home: Path) -> None:
    config.write_text("agents: {a: {mode: rw}}\n")
    said = licet("trust", "--yes")
    assert said.code == 2
    assert "licet.yaml:1: agents.a.mode" in said.err
    config.write_text(FILE)
    (config.parent / "licet.lock").write_text("{}")
    assert licet("trust", "--yes").code == 2
    assert not is_trusted(config, home)


def test_a_link_is_not_trusted(licet: Licet, config: Path, home: Path) -> None:
    config.rename(config.parent / "other.yaml")
    config.symlink_to("other.yaml")
    said = licet("trust", "--yes")
    assert said.code == 2
    assert "only plain files are trusted" in said.err
    assert not is_trusted(config, home)


def test_the_list_tells_what_became_of_each(licet: Licet, config: Path, tmp_path: Path) -> None:
    licet("trust", "--yes")
    said = licet("trust", "--list")
    assert said.code == 0
    assert f"{config}  as it was  2" in said.out
    config.write_text(FILE + "#")
    said = licet("trust", "--list")
    assert said.code == 1
    assert f"{config}  changed  2" in said.out
    config.unlink()
    assert f"{config}  gone  2" in licet("trust", "--list").out


def test_a_yes_is_taken_back(licet: Licet, config: Path, home: Path) -> None:
    licet("trust", "--yes")
    assert "trusted no more" in licet("trust", "--revoke").err
    assert not is_trusted(config, home)
    assert "was not" in licet("trust", "--revoke").err
